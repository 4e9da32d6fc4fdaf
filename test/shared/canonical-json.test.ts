import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/shared/canonical-json.js';

describe('canonical JSON', () => {
  test('is the example of RFC 8785', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"\u002f',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('orders members by UTF-16 code units, as RFC 8785 says', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    expect(
      JSON.parse(
        `[${canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))
          .slice(1, -1)
          .replaceAll(':0', '')}]`,
      ),
    ).toEqual(['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']);
  });

  test('says the same value, whatever the order of its members', () => {
    void fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.stringify(JSON.parse(text))).toBe(
          JSON.stringify(JSON.parse(canonicalJson(JSON.parse(text)))),
        );
        expect(canonicalJson(turned(value))).toBe(text);
      }),
    );
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [[undefined]], [1n], [() => 1]])(
    'has no text for %s',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(/has no canonical form/);
    },
  );
});

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, turned(member)]),
  );
}
