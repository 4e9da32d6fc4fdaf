import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextNumber } from '../../../src/events/log-entry.js';
import {
  LOG_START,
  type LogHead,
  openStream,
  type RawEntry,
  seal,
} from '../../../src/events/redis/log-stream.js';
import { entryAt, MULTI_BYTE } from '../../contracts/record-samples.js';

/** How many facts each entry of the log has, in the entries of the stream. */
type Shape = readonly (readonly number[])[];

function sealed(
  shape: Shape,
  team = 'run-a',
): { raw: RawEntry[]; entries: ReturnType<typeof entryAt>[]; end: LogHead } {
  const raw: RawEntry[] = [];
  const entries: ReturnType<typeof entryAt>[] = [];
  let head = LOG_START;
  for (const group of shape) {
    let { next } = head;
    const lines = group.map((facts) => {
      const entry = entryAt(next, ...Array.from({ length: facts }, (_, place) => `${MULTI_BYTE}${place}`));
      entries.push(entry);
      next = nextNumber(entry);
      return JSON.stringify(entry);
    });
    const one = seal(team, 'w1', head, { lines, next });
    raw.push([one.head.id, one.fields]);
    head = one.head;
  }
  return { raw, entries, end: head };
}

/** The stream with one letter of one field of one of its entries changed. */
function changed(raw: readonly RawEntry[], at: number, name: 'h' | 'e', nat: number): RawEntry[] {
  return raw.map(([id, fields], place) => {
    if (place !== at) return [id, fields];
    const field = fields.indexOf(name) + 1;
    return [
      id,
      fields.map((value, index) => (index === field ? withOther(value, nat % value.length) : value)),
    ];
  });
}

/** The text with another letter at the place. */
function withOther(text: string, place: number): string {
  return `${text.slice(0, place)}${text[place] === '7' ? '8' : '7'}${text.slice(place + 1)}`;
}

const shapes = fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

test('what is sealed opens again, entry by entry, with the same end', () =>
  fc.assert(
    fc.property(shapes, (shape) => {
      const { raw, entries, end } = sealed(shape);
      const read = openStream('run-a', raw, '');
      expect(read.broken).toEqual([]);
      expect(read.entries).toEqual(entries);
      expect(read.heads.at(-1)).toMatchObject(end);
      expect(raw.map(([id]) => id)).toEqual(read.heads.map(({ id }) => id));
    }),
  ));

test('the end of a stream opens by itself, when nobody asks what was before', () => {
  const { raw, entries } = sealed([[1], [2, 1], [1]]);
  expect(openStream('run-a', raw.slice(1), undefined)).toMatchObject({
    entries: entries.slice(1),
    broken: [],
  });
  expect(openStream('run-a', raw.slice(1), '').broken).toMatchObject([
    { reason: expect.stringContaining('chain') },
  ]);
});

test('a change of any letter of any field, a missing entry, another order or another team is seen', () =>
  fc.assert(
    fc.property(shapes, fc.nat(), fc.nat(), fc.constantFrom('h', 'e'), (shape, nat, letter, name) => {
      const { raw } = sealed(shape);
      const at = nat % raw.length;
      expect(openStream('run-a', changed(raw, at, name, letter), '').broken.length).toBeGreaterThan(0);
      if (raw.length > 1 && at < raw.length - 1) {
        expect(openStream('run-a', raw.toSpliced(at, 1), '').broken.length).toBeGreaterThan(0);
        expect(openStream('run-a', raw.toReversed(), '').broken.length).toBeGreaterThan(0);
      }
      expect(openStream('run-b', raw, '').broken.length).toBeGreaterThan(0);
    }),
  ));

test('a head has four words', () => {
  const [first] = sealed([[1]]).raw;
  const [id, fields] = first ?? ['', []];
  for (const change of [(head: string) => `${head} more`, (head: string) => head.replace(/ \S+$/, '')]) {
    const other = fields.map((value, place) => (place === 1 ? change(value) : value));
    expect(openStream('run-a', [[id, other]], '').broken).toMatchObject([
      { reason: `(in ${id}) has no head` },
    ]);
  }
});

test('two writers that say the same do not seal the same', () => {
  const what = { lines: [JSON.stringify(entryAt(1))], next: 2 };
  const one = seal('run-a', 'w1', LOG_START, what);
  expect(seal('run-a', 'w2', LOG_START, what).head.digest).not.toBe(one.head.digest);
  expect(seal('run-a', 'w1', LOG_START, what)).toEqual(one);
});

test.each([
  ['0-1', ['h', 'x'], 'holds no list'],
  ['0-1', ['h', 'x', 'e', '{}'], 'holds no list'],
  ['0-1', ['h', 'x', 'e', '['], 'holds no list'],
  ['0-1', ['e', '[{}]'], 'has no head'],
  ['5-1', ['h', 'x', 'e', '[{}]'], 'has an id that no log gives'],
  ['0-1', [], 'holds no list'],
])('what stands in %s as %j is named and does not throw', (id, fields, reason) => {
  const { broken } = openStream('run-a', [[id, fields]], '');
  expect(broken[0]).toMatchObject({ code: 'log-broken', line: 1, reason: expect.stringContaining(reason) });
});
