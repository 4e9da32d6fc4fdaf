import { expect, test } from 'vitest';
import { parseTranscript } from '../../src/events/transcript-lines.js';
import { jsonLine } from '../../src/shared/jsonl.js';
import { ids, input, opened } from '../contracts/record-samples.js';

const file = (...lines: readonly unknown[]): Uint8Array => Buffer.from(lines.map(jsonLine).join(''));

test('turns follow each other, each from its opened entry', () => {
  const entries = [opened(3), input(3, 1), input(3, 2), opened(8), opened(11), input(11, 1)];
  expect(parseTranscript(file(...entries))).toMatchObject({
    entries,
    broken: [],
    place: { turn: 11, k: 1 },
  });
});

test.each([
  ['an entry of an older turn', [opened(5), input(4, 1), input(5, 1)], 2, '4-1', ['5-0', '5-1']],
  ['an entry twice', [opened(5), input(5, 1), input(5, 1), input(5, 2)], 3, '5-1', ['5-0', '5-1', '5-2']],
  ['a left out entry', [opened(5), input(5, 2)], 2, '5-2', ['5-0', '5-2']],
  ['a turn that was not opened', [opened(5), input(6, 1)], 2, '6-1', ['5-0', '6-1']],
  [
    'an id of another form',
    [opened(5), { ...input(5, 1), id: '5_1' }, input(5, 2)],
    2,
    '5_1',
    ['5-0', '5-2'],
  ],
])('%s is named by its line, and later lines are read', (_what, lines, line, id, read) => {
  const found = parseTranscript(file(...lines));
  expect(found.broken.map((place) => place.line)).toContain(line);
  expect(found.broken[0]?.reason).toContain(`has id "${id}"`);
  expect(ids(found.entries)).toEqual(read);
});

test.each([['a text'], [12], [null], [{ id: '5-1' }], [{ id: '5-1', kind: 'dream' }]])(
  'a line with %j is no transcript entry',
  (line) => {
    const { broken } = parseTranscript(file(opened(5), line, input(5, 1)));
    expect(broken).toEqual([{ line: 2, reason: 'is no transcript entry' }]);
  },
);

test('a torn tail is told apart from damage', () => {
  const whole = file(opened(5), input(5, 1, 'é'));
  const { entries, torn, broken } = parseTranscript(whole.subarray(0, whole.length - 4));
  expect(ids(entries)).toEqual(['5-0']);
  expect(torn?.line).toBe(2);
  expect(broken).toEqual([]);
});
