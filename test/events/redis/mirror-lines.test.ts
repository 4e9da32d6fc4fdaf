import { expect, test } from 'vitest';
import { nextNumber } from '../../../src/events/log-entry.js';
import { LOG_START, type RawEntry, seal } from '../../../src/events/redis/log-stream.js';
import {
  type Mirrored,
  type MirrorItem,
  mirrorLine,
  mirrorStart,
  openMirror,
} from '../../../src/events/redis/mirror-lines.js';
import { entryAt, input, MULTI_BYTE, opened } from '../../contracts/record-samples.js';

const TEAM = 'run-a';

const memory = (id: string, ...entries: readonly object[]): MirrorItem => ({
  kind: 'memory',
  member: 'writer',
  entry: [id, ['e', JSON.stringify(entries)]],
});

/** A mirror with everything that a record has, in the order in which it is written. */
function items(team = TEAM): MirrorItem[] {
  const log: MirrorItem[] = [];
  let head = LOG_START;
  for (let n = 0; n < 3; n++) {
    const entry = entryAt(head.next, `${MULTI_BYTE}${n}`);
    const of = { lines: [JSON.stringify(entry)], next: nextNumber(entry) };
    const sealed = seal(team, 'w', head, of);
    log.push({ kind: 'log', entry: [sealed.head.id, [...sealed.fields]] });
    head = sealed.head;
  }
  const [first, ...others] = log;
  if (first === undefined) throw new Error('nothing was sealed');
  return [
    { kind: 'text', text: `a prompt ${MULTI_BYTE}` },
    first,
    memory('1-0', opened(1)),
    memory('1-2', input(1, 1), input(1, 2, MULTI_BYTE)),
    ...others,
  ];
}

function linesOf(held: readonly MirrorItem[], team = TEAM): string[] {
  let digest = mirrorStart(team);
  return held.map((one) => {
    const next = mirrorLine(digest, one);
    digest = next.digest;
    return next.line;
  });
}

const open = (lines: readonly string[], team = TEAM): Mirrored =>
  openMirror(team, Buffer.from(lines.join('')), '/m/mirror.jsonl');

const sizes = ({ log, memories, texts }: Mirrored): readonly number[] => [
  log.length,
  [...memories.values()].flat().length,
  texts.length,
];

const brokenAt = (line: number) =>
  expect.objectContaining({
    code: 'mirror-broken',
    message: expect.stringContaining(`/m/mirror.jsonl:${line}: line ${line} of the mirror`),
  });

function thrown(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test('what is written opens again, whole', () => {
  const held = items();
  const mirror = open(linesOf(held));
  const raw = held.flatMap((one): RawEntry[] => (one.kind === 'log' ? [one.entry] : []));
  expect(mirror.log).toEqual(raw);
  expect(mirror.entries.map(({ first }) => first)).toEqual([1, 2, 3]);
  expect(mirror.memories.get('writer')?.map(([id]) => id)).toEqual(['1-0', '1-2']);
  expect(mirror.texts).toEqual([`a prompt ${MULTI_BYTE}`]);
});

test('cut off at any byte it is the mirror as it was then', () => {
  const lines = linesOf(items());
  const bytes = Buffer.from(lines.join(''));
  const ends = lines.map((_, n) => Buffer.byteLength(lines.slice(0, n + 1).join('')));
  for (let length = 0; length <= bytes.length; length++) {
    const whole = ends.filter((end) => end <= length).length;
    const mirror = openMirror(TEAM, bytes.subarray(0, length), 'm');
    expect(sizes(mirror)).toEqual(sizes(open(lines.slice(0, whole))));
  }
});

test('a byte that was changed, wherever it is, is found at its line, and what stands before it is named as proven', () => {
  const lines = linesOf(items());
  const bytes = Buffer.from(lines.join(''));
  let line = 1;
  for (const [at, byte] of bytes.entries()) {
    const changed = Buffer.from(bytes);
    changed[at] = byte === 0x78 ? 0x79 : 0x78;
    // Without its last line end the last line was never whole.
    if (at < bytes.length - 1)
      expect(thrown(() => openMirror(TEAM, changed, '/m/mirror.jsonl'))).toEqual(brokenAt(line));
    if (byte === 10) line++;
  }
  expect(thrown(() => open(['x', ...lines]))).toEqual(brokenAt(1));
  const [first = '', second = ''] = lines;
  const damaged = [first, second.replace('kind', 'kine'), ...lines.slice(2)];
  expect(thrown(() => open(damaged))).toMatchObject({
    message: expect.stringContaining('lines 1 to 1 are proven'),
  });
});

test.each<[string, number, (lines: string[]) => string[]]>([
  ['left out', 3, (lines) => lines.toSpliced(2, 1)],
  ['doubled', 4, (lines) => lines.toSpliced(2, 0, lines[2] ?? '')],
  ['moved', 3, (lines) => lines.toSpliced(2, 1).toSpliced(4, 0, lines[2] ?? '')],
  ['put in', 3, (lines) => lines.toSpliced(2, 0, linesOf(items())[0] ?? '')],
])('a line that was %s is found', (_, line, change) => {
  expect(thrown(() => open(change(linesOf(items()))))).toEqual(brokenAt(line));
});

test('that of another team is none, nor one whose log is another’s or has a hole though its own chain is whole', () => {
  expect(thrown(() => open(linesOf(items(), 'run-b')))).toEqual(brokenAt(1));
  expect(thrown(() => open(linesOf(items('run-b'))))).toMatchObject({
    code: 'mirror-broken',
    message: expect.stringContaining('was changed, or is of another team'),
  });
  const holed = items().filter((one) => one.kind !== 'log' || one.entry[0] !== '0-2');
  expect(thrown(() => open(linesOf(holed)))).toMatchObject({
    message: expect.stringContaining('the chain is broken'),
  });
  const forgotten = items().filter((one) => one.kind !== 'memory' || one.entry[0] !== '1-0');
  expect(thrown(() => open(linesOf(forgotten)))).toMatchObject({
    message: expect.stringContaining('of the transcript of writer'),
  });
});
