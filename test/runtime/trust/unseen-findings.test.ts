import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRole } from '../../../src/catalog/roles/parse-role.js';
import { unseenFindings } from '../../../src/runtime/trust/unseen-findings.js';
import { parseOpen } from '../../../src/skills/parse/open.js';

const linesOf = (text: string): unknown[] =>
  unseenFindings('x.md', text, false).map(({ code, line }) => [code, line]);

test('an escape in a role that only a repair makes readable is seen as well', () => {
  const text = '---\nname: scribe\ndescription: Use: this\nmodel: "op\\u200Bus"\n---\nBody.\n';
  expect(parseRole({ path: 'x.md', tier: 'project', text }).kind).toBe('loaded');
  expect(linesOf(text)).toEqual([['unseen-character', 4]]);
});

test('what a repair takes literally is what stands there, escapes included', () => {
  const text = '---\nname: scribe\ndescription: Use: a \\u200B b\n---\nBody.\n';
  const load = parseRole({ path: 'x.md', tier: 'project', text });
  expect(load).toMatchObject({ kind: 'loaded', role: { description: 'Use: a \\u200B b' } });
  expect(linesOf(text)).toEqual([]);
});

describe('an escape is seen', () => {
  const source = {
    path: 'x.md',
    tier: 'project',
    tree: 'bnerd',
    layout: 'flat',
    expectedName: 'scribe',
    kind: 'skill',
  } as const;
  const described = (text: string): string => {
    const parsed = parseOpen(text, source);
    if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.findings));
    return parsed.entry.description;
  };

  test('in a skill that is read pair by pair, the last way there is', () => {
    const text = '---\nname: scribe\ndescription: "hid\\u200Bden"\nno pair at all\n---\nBody.\n';
    expect(described(text)).toBe('hid\u200bden');
    expect(linesOf(text)).toEqual([['unseen-character', 3]]);
  });

  test('of a selector that stands behind an emoji elsewhere in the text', () => {
    const bits = '\\uFE0F\\uFE0E\\uFE0F';
    const text = `---\nname: scribe\ndescription: "A${bits} b"\n---\n\u{1f44d}\ufe0f and \u263a\ufe0e.\n`;
    expect(described(text)).toBe('A\ufe0f\ufe0e\ufe0f b');
    expect(linesOf(text)).toEqual([
      ['unseen-character', 3],
      ['unseen-character', 3],
    ]);
    expect(linesOf(text.replace(`A${bits}`, '\u{1f44d}\\uFE0F'))).toEqual([]);
  });

  test('of a mark at the head of a value, and of each carriage return', () => {
    const text = '---\nname: scribe\ndescription: "\\uFEFFa\\r\\nb"\n---\nBody.\n';
    expect(described(text)).toContain('\r');
    expect(unseenFindings('x.md', text, false).map(({ message }) => message.slice(0, 6))).toEqual([
      'U+FEFF',
      'U+000D',
    ]);
  });

  test('whatever hidden characters a skill has, in whichever fields and however broken its frontmatter', () => {
    const hidden = fc.constantFrom(
      '\u200b',
      '\u202e',
      '\ufe0f',
      '\u{e0041}',
      '\u00ad',
      '\u2028',
      '\0',
      '\u2800',
    );
    const escaped = (text: string): string =>
      [...text].map((one) => `\\U${(one.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`).join('');
    const lines = fc.subarray(
      ['no pair', 'notes: [half', 'license: a: b', 'x: "open', '\u{1f44d}\ufe0f: y'],
      {
        minLength: 0,
      },
    );
    fc.assert(
      fc.property(fc.array(hidden, { minLength: 1, maxLength: 4 }), lines, (characters, more) => {
        const description = `"a${escaped(characters.join(''))}b"`;
        const text = `---\n${['name: scribe', `description: ${description}`, ...more].join('\n')}\n---\nBody.\n`;
        const parsed = parseOpen(text, source);
        if (parsed.kind === 'refused' || !/^a[^\\]+b$/u.test(parsed.entry.description)) return;
        expect(linesOf(text)).toContainEqual(['unseen-character', 3]);
      }),
    );
  });
});
