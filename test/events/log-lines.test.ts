import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { FACT_TYPES } from '../../src/events/event.js';
import { type LogEntry, logEntry, RECORD_VERSION } from '../../src/events/log-entry.js';
import { parseLog } from '../../src/events/log-lines.js';
import { jsonLine } from '../../src/shared/jsonl.js';
import { entryAt, MULTI_BYTE, numbers } from '../contracts/record-samples.js';

const log = (...lines: readonly unknown[]): Uint8Array => Buffer.from(lines.map(jsonLine).join(''));

test('entries are numbered from 1 by the facts before them', () => {
  const entries = [entryAt(1, 'a', 'b'), entryAt(3), entryAt(4, 'c', 'd', 'e')];
  const lines = parseLog(log(...entries));
  expect(lines.entries).toEqual(entries);
  expect(lines.next).toBe(7);
  expect(lines.broken).toEqual([]);
  expect(lines.ends.at(-1)).toBe(lines.goodBytes);
});

test('a tail of a log is read from the number it begins with', () => {
  expect(parseLog(log(entryAt(5), entryAt(6)), 5)).toMatchObject({ next: 7, broken: [] });
  expect(parseLog(log(entryAt(6)), 5).broken).toHaveLength(1);
});

test('a left out number is named with its line, and later entries are read', () => {
  const { entries, broken } = parseLog(log(entryAt(1), entryAt(3), entryAt(4)));
  expect(broken).toEqual([
    {
      code: 'log-broken',
      line: 2,
      reason: 'begins with number 3 where 2 is due: it leaves out numbers',
    },
  ]);
  expect(numbers(entries)).toEqual([1, 3, 4]);
});

test('a repeated number is named with its line, and left out', () => {
  const { entries, broken } = parseLog(log(entryAt(1), entryAt(2), entryAt(2, 'again'), entryAt(3)));
  expect(broken).toEqual([
    { code: 'log-broken', line: 3, reason: 'begins with number 2 where 3 is due: it repeats numbers' },
  ]);
  expect(entries).toEqual([entryAt(1), entryAt(2), entryAt(3)]);
});

test('a log that does not begin at 1 is broken in its first line', () => {
  expect(parseLog(log(entryAt(2))).broken).toMatchObject([{ code: 'log-broken', line: 1 }]);
});

const good = entryAt(2);
test.each<[string, unknown, string]>([
  [
    'a newer version',
    { ...good, v: RECORD_VERSION + 1 },
    `has version ${RECORD_VERSION + 1}, this program knows up to ${RECORD_VERSION}`,
  ],
  [
    'an unknown type of fact',
    { ...good, facts: [{ type: 'task.dreamt' }] },
    'has a fact of the unknown type "task.dreamt"',
  ],
])('%s is no damage but too new, wherever it stands', (_what, line, reason) => {
  const expected = { code: 'record-too-new', line: 2, reason };
  expect(parseLog(log(entryAt(1), line)).broken).toEqual([expected]);
  expect(parseLog(log(entryAt(1), line, entryAt(3))).broken).toEqual([expected]);
});

test.each<[string, unknown, string]>([
  ['no object', 12, 'is not a JSON object'],
  ['a list', [], 'is not a JSON object'],
  ['no version', { ...good, v: undefined }, 'has v nothing, allowed is a whole number from 1'],
  ['version 0', { ...good, v: 0 }, 'has v 0, allowed is a whole number from 1'],
  ['no number', { ...good, first: '2' }, 'has first "2", allowed is a whole number from 1'],
  ['time before the start', { ...good, at: -1 }, 'has at -1, allowed are milliseconds from 0'],
  ['no stamp', { ...good, wall: 5 }, 'has wall 5, allowed is an ISO 8601 stamp'],
  ['no command', { ...good, commands: [] }, 'names no command'],
  ['a command without id', { ...good, commands: [{ id: '', facts: 1 }] }, 'has a command without an id'],
  ['a half fact', { ...good, commands: [{ id: 'c', facts: 0.5 }] }, 'has a command with 0.5 facts'],
  ['a wrong count', { ...good, commands: [{ id: 'c', facts: 2 }] }, 'has 1 facts, its commands count 2'],
  ['no facts', { ...good, facts: [] }, 'has no facts'],
  ['a fact that is a text', { ...good, facts: ['x'] }, 'has a fact without a type'],
])('a line with %s is broken, also as the last one: no crash writes it', (_what, line, reason) => {
  const { entries, broken, torn } = parseLog(log(entryAt(1), line));
  expect(numbers(entries)).toEqual([1]);
  expect(broken).toEqual([{ code: 'log-broken', line: 2, reason }]);
  expect(torn).toBeUndefined();
});

test.each(['__proto__', 'constructor', 'toString'])(
  'a fact of type %s is one of a type that there is not',
  (type) => {
    const text = JSON.stringify({ ...entryAt(1), facts: [{ type: 'TYPE' }] }).replace('TYPE', type);
    const { entries, broken } = parseLog(Buffer.from(`${text}\n`));
    expect(entries).toEqual([]);
    expect(broken).toMatchObject([{ line: 1, reason: expect.stringContaining(`unknown type "${type}"`) }]);
  },
);

test('fields of a fact that are named as what every object has change no object', () => {
  const planted = '"facts":[{"__proto__":{"planted":true},"constructor":{"prototype":{"planted":true}},';
  const text = JSON.stringify(entryAt(1)).replace('"facts":[{', planted);
  expect(text).toContain(planted);
  const [entry] = parseLog(Buffer.from(`${text}\n`)).entries;
  const [fact] = entry?.facts ?? [];
  expect(fact).toMatchObject({ ...entryAt(1).facts[0] });
  for (const each of [fact, { ...fact }, structuredClone(fact), {}])
    expect(each).not.toHaveProperty('planted');
});

test('a decision without facts may stand beside others in an entry', () => {
  const commands = [
    { id: 'a', facts: 0 },
    { id: 'b', facts: 1 },
  ];
  expect(parseLog(log({ ...entryAt(1), commands })).broken).toEqual([]);
});

test('cut at every byte, a log gives its whole entries and the rest as a torn tail', () => {
  const entries = [entryAt(1, MULTI_BYTE), entryAt(2, '😀', 'é'), entryAt(4)];
  const whole = log(...entries);
  for (let cut = 0; cut <= whole.length; cut++) {
    const lines = parseLog(whole.subarray(0, cut));
    const kept = whole.subarray(0, cut).filter((byte) => byte === 10).length;
    expect(lines.entries).toEqual(entries.slice(0, kept));
    expect(lines.broken).toEqual([]);
    expect(lines.goodBytes + (lines.torn?.bytes.length ?? 0)).toBe(cut);
  }
});

test('every type of fact of this version is known on loading', () => {
  const entries = FACT_TYPES.map((type, place) => ({ ...entryAt(place + 1), facts: [{ type }] }));
  expect(parseLog(log(...entries)).broken).toEqual([]);
});

test.each([1, 2, 3, 4, 5])(
  'the golden record of version %i loads, and every entry keeps to the full schema',
  async (v) => {
    const bytes = await readFile(new URL(`../fixtures/runs/v${v}.jsonl`, import.meta.url));
    const { entries, broken, torn } = parseLog(bytes);
    expect({ broken, torn }).toEqual({ broken: [], torn: undefined });
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) expect(logEntry.parse(entry)).toEqual(entry satisfies LogEntry);
  },
);
