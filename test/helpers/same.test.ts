import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { picture } from './build-state.js';
import { same } from './same.js';

test.each([
  [1, 2],
  ['1', 1],
  [null, {}],
  [[], {}],
  [new Map(), {}],
  [new Set(), []],
  [[1, 2], [1]],
  [{ a: 1 }, {}],
  [{}, { a: null }],
  [{ a: { b: [1] } }, { a: { b: [2] } }],
  [new Map([['a', 1]]), new Map([['a', 2]])],
  [new Set(['a', 'b']), new Set(['b', 'a'])],
])('%j and %j are not the same', (one, other) => {
  expect([same(one, other), same(other, one)]).toEqual([false, false]);
});

test('a field that is undefined is none, and the order of fields says nothing', () => {
  expect(same({ a: 1, b: 2, c: undefined }, { b: 2, a: 1 })).toBe(true);
});

test('of values that JSON keeps, those are the same that the system calls equal', () => {
  const kept = fc.array(fc.jsonValue({ maxDepth: 2 })).map((value): unknown => JSON.parse(picture(value)));
  void fc.assert(
    fc.property(kept, kept, (one, other) => {
      expect(same(one, structuredClone(one))).toBe(true);
      expect(same(one, other)).toBe(isDeepStrictEqual(one, other));
    }),
  );
});
