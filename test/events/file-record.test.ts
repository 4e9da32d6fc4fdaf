import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRecord } from '../../src/events/file-record.js';
import type { TeamRecord } from '../../src/events/record.js';
import { sha256 } from '../../src/shared/digest.js';
import { jsonLine } from '../../src/shared/jsonl.js';
import { entryAt, ids, input, MULTI_BYTE, numbers, opened } from '../contracts/record-samples.js';
import { tempDir } from '../helpers/temp-dir.js';

const clock = { wallMs: () => Date.UTC(2026, 0, 2) };
const create = (folder: string): Promise<TeamRecord> => openFileRecord(folder, { clock, mode: 'create' });
const open = (folder: string): Promise<TeamRecord> => openFileRecord(folder, { clock, mode: 'open' });

/** A closed team with these bytes as its log. */
async function teamWith(log: string | Uint8Array): Promise<{ folder: string; log: string }> {
  const folder = join(await tempDir('record'), 'run-a');
  await (await create(folder)).close();
  await writeFile(join(folder, 'log.jsonl'), log);
  return { folder, log: join(folder, 'log.jsonl') };
}

/** Opens, appends the next entry, and reads everything as the next process would. */
async function goOn(folder: string): Promise<{ before: readonly number[]; after: readonly number[] }> {
  const record = await open(folder);
  const before = numbers(await record.log.read());
  const next = before.length + 1;
  expect(await record.log.append(entryAt(next, 'went on'))).toEqual({ kind: 'appended' });
  await record.close();
  const again = await open(folder);
  expect(again.findings).toEqual([]);
  const after = numbers(await again.log.read());
  await again.close();
  return { before, after };
}

const two = jsonLine(entryAt(1, MULTI_BYTE)) + jsonLine(entryAt(2, '😀'));

test('a team lies in its folder: log, transcripts by member, blobs by digest, for the owner alone', async () => {
  const folder = join(await tempDir('record'), 'deep', 'run-a');
  const record = await create(folder);
  await record.blobs.put('text');
  await record.transcripts.append('writer-2', [opened(1)]);
  await record.log.append(entryAt(1));
  await record.close();
  expect(await readFile(join(folder, 'log.jsonl'), 'utf8')).toBe(jsonLine(entryAt(1)));
  expect(await readFile(join(folder, 'transcripts', 'writer-2.jsonl'), 'utf8')).toBe(jsonLine(opened(1)));
  expect(await readFile(join(folder, 'blobs', sha256('text')), 'utf8')).toBe('text');
  const modes = await Promise.all(
    ['', 'transcripts', 'blobs', 'log.jsonl', 'transcripts/writer-2.jsonl', `blobs/${sha256('text')}`].map(
      async (name) => ((await stat(join(folder, name))).mode & 0o777).toString(8),
    ),
  );
  expect(modes).toEqual(['700', '700', '700', '600', '600', '600']);
});

test('K211 a last line cut in mid-JSON is set aside, and every later line is valid', async () => {
  const half = jsonLine(entryAt(3)).slice(0, 40);
  const { folder, log } = await teamWith(two + half);
  expect(await goOn(folder)).toEqual({ before: [1, 2], after: [1, 2, 3] });
  // Right: tail closed/quarantined
  expect(await readFile(join(folder, 'log.torn'), 'utf8')).toBe(
    `{"at":"2026-01-02T00:00:00.000Z","file":"log.jsonl","line":3,"offset":${Buffer.byteLength(two)},"bytes":40}\n${half}\n`,
  );
  // Right: every later line valid
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).first)).toEqual([1, 2, 3]);
});

test('K211 Q43 however often a run is cut and gone on with, nothing acknowledged is fused or lost', async () => {
  const { folder, log } = await teamWith('');
  for (let round = 1; round <= 5; round++) {
    const record = await open(folder);
    expect(numbers(await record.log.read())).toEqual(
      Array.from({ length: round - 1 }, (_, place) => place + 1),
    );
    await record.log.append(entryAt(round));
    await record.close();
    // The kill: a piece of the next line got out.
    await appendFile(log, jsonLine(entryAt(round + 1)).slice(0, round * 9));
  }
});

const e = Buffer.from('é');
test.each<[string, Buffer]>([
  ['mid-UTF-8', Buffer.concat([Buffer.from('{"v":1,"first":3,"wall":"'), e.subarray(0, 1)])],
  ['mid-JSON', Buffer.from('{"v":1,"first":3,"at":3')],
  ['valid without newline', Buffer.from(jsonLine(entryAt(3)).trimEnd())],
])('K213 a tail that ends %s is repaired at once: a second crash loses no more', async (_what, tail) => {
  const { folder, log } = await teamWith(Buffer.concat([Buffer.from(two), tail]));
  const record = await open(folder);
  expect(record.findings).toMatchObject([{ code: 'log-torn', severity: 'warning', path: log, line: 3 }]);
  expect(numbers(await record.log.read())).toEqual([1, 2]);
  await record.close();
  expect(await readFile(log, 'utf8')).toBe(two);
  expect((await readFile(join(folder, 'log.torn'))).includes(tail)).toBe(true);
  expect(await goOn(folder)).toEqual({ before: [1, 2], after: [1, 2, 3] });
});

test('K213 a bad middle row refuses to load, with its number, and nothing is changed', async () => {
  const { folder, log } = await teamWith(`${jsonLine(entryAt(1))}{"v":1,"fir\n${jsonLine(entryAt(3))}{"half`);
  const before = await readFile(log);
  await expect(open(folder)).rejects.toMatchObject({
    name: 'FatalError',
    code: 'log-broken',
    message: expect.stringContaining(`${log}:2: line 2 is not JSON`),
  });
  expect(await readFile(log)).toEqual(before);
  expect(await readdir(folder)).not.toContain('log.torn');
});

test('K213 an empty file is a team without entries that can go on', async () => {
  const { folder } = await teamWith('');
  expect(await goOn(folder)).toEqual({ before: [], after: [1] });
});

test('K213 a crash during repair leaves nothing that the next repair cannot mend', async () => {
  const tail = jsonLine(entryAt(3)).slice(0, 50);
  for (const kept of ['', tail.slice(0, 20), `{"file":"log.jsonl"}\n${tail}\n`]) {
    // The tail was copied aside, in part or whole, and not yet cut off.
    const { folder } = await teamWith(two + tail);
    await writeFile(join(folder, 'log.torn'), kept);
    expect(await goOn(folder)).toEqual({ before: [1, 2], after: [1, 2, 3] });
    const aside = await readFile(join(folder, 'log.torn'), 'utf8');
    expect(aside.startsWith(kept)).toBe(true);
    expect(aside.endsWith(`\n${tail}\n`)).toBe(true);
  }
});

test('Q45 a block of NULs at the end is set aside, whether a line break follows it or not', async () => {
  for (const tail of [Buffer.alloc(4096), Buffer.concat([Buffer.alloc(4096), Buffer.from('\n')])]) {
    const { folder } = await teamWith(Buffer.concat([Buffer.from(two), tail]));
    expect(await goOn(folder)).toEqual({ before: [1, 2], after: [1, 2, 3] });
  }
});

test('Q45 a block of NULs in the middle is named by its line, never silently cut', async () => {
  const middle = Buffer.concat([
    Buffer.from(jsonLine(entryAt(1))),
    Buffer.alloc(512),
    Buffer.from(jsonLine(entryAt(2))),
  ]);
  const { folder } = await teamWith(Buffer.concat([middle, Buffer.from(jsonLine(entryAt(3)))]));
  await expect(open(folder)).rejects.toMatchObject({
    code: 'log-broken',
    message: expect.stringContaining('line 2 holds NUL bytes'),
  });
});

test('Q45 half a character at the end of a log or a transcript blocks no later write', async () => {
  const half = Buffer.from('{"id":"1-2","kind":"input","text":"€').subarray(0, -1);
  const { folder, log } = await teamWith(two);
  const record = await open(folder);
  await record.transcripts.append('writer', [opened(1), input(1, 1)]);
  await record.close();
  await appendFile(log, half);
  await appendFile(join(folder, 'transcripts', 'writer.jsonl'), half);
  const next = await open(folder);
  expect(next.findings.map(({ code, line }) => [code, line])).toEqual([
    ['log-torn', 3],
    ['transcript-torn', 3],
  ]);
  expect(await next.transcripts.append('writer', [input(1, 2, '€')])).toEqual({ kind: 'appended' });
  expect(await next.log.append(entryAt(3))).toEqual({ kind: 'appended' });
  expect(ids(await next.transcripts.read('writer'))).toEqual(['1-0', '1-1', '1-2']);
  await next.close();
  const aside = await readFile(join(folder, 'transcripts', 'writer.torn'));
  expect(aside.includes(half)).toBe(true);
});

test('a newer record, or one with a fact this program does not know, is refused and left alone', async () => {
  const lines = [
    { ...entryAt(2), v: entryAt(2).v + 1 },
    { ...entryAt(2), facts: [{ type: 'task.dreamt' }] },
  ];
  for (const line of lines) {
    const { folder, log } = await teamWith(jsonLine(entryAt(1)) + jsonLine(line));
    await expect(open(folder)).rejects.toMatchObject({
      code: 'record-too-new',
      message: expect.stringContaining(`${log}:2:`),
    });
    expect(await readFile(log, 'utf8')).toBe(jsonLine(entryAt(1)) + jsonLine(line));
  }
});

test('F130 a start never touches what another team or an earlier start has recorded', async () => {
  const { folder, log } = await teamWith(`${two}{"half`);
  const other = join(folder, '..', 'run-b');
  await (await create(other)).close();
  await expect(create(folder)).rejects.toMatchObject({
    name: 'UserError',
    code: 'team-exists',
    message: expect.stringContaining(`${folder}: a team with 2 log entries is here already`),
  });
  // Right: intact
  expect(await readFile(log, 'utf8')).toBe(`${two}{"half`);
  expect(await goOn(folder)).toEqual({ before: [1, 2], after: [1, 2, 3] });
});

test('F131 a start that died before its first entry does not block its name', async () => {
  const { folder } = await teamWith('{"v":1,"fir');
  const record = await create(folder);
  expect(record.findings.map(({ code }) => code)).toEqual(['log-torn']);
  expect(await record.log.append(entryAt(1))).toEqual({ kind: 'appended' });
  await record.close();
});

test('where there is no team, opening says so and makes nothing', async () => {
  const parent = await tempDir('record');
  await expect(open(join(parent, 'run-x'))).rejects.toMatchObject({ name: 'UserError', code: 'no-team' });
  expect(await readdir(parent)).toEqual([]);
});

test('a transcript damaged in the middle is named by member and line when it is read', async () => {
  const { folder } = await teamWith(two);
  const file = join(folder, 'transcripts', 'writer.jsonl');
  await writeFile(file, `${jsonLine(opened(1))}nonsense\n${jsonLine(input(1, 1))}`);
  const record = await open(folder);
  await expect(record.transcripts.read('writer')).rejects.toMatchObject({
    code: 'transcript-broken',
    message: expect.stringContaining(`${file}:2: line 2 is not JSON`),
  });
  await record.close();
});

test('a transcript whose end is damaged before a torn tail refuses to open, and is not cut', async () => {
  const { folder } = await teamWith(two);
  const file = join(folder, 'transcripts', 'writer.jsonl');
  const text = `${jsonLine(opened(1))}nonsense\n{"half`;
  await writeFile(file, text);
  await expect(open(folder)).rejects.toMatchObject({ code: 'transcript-broken' });
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('the newest turn is known from the last line, however long the lines are', async () => {
  const { folder } = await teamWith(two);
  const record = await open(folder);
  const long = 'é'.repeat(100_000);
  await record.transcripts.append('writer', [opened(1), input(1, 1, long), input(1, 2, 'short')]);
  await record.transcripts.append('lead', [opened(2), input(2, 1, 'short'), input(2, 2, long)]);
  await record.close();
  const next = await open(folder);
  expect(await next.transcripts.append('writer', [input(1, 3)])).toEqual({ kind: 'appended' });
  expect(await next.transcripts.append('lead', [opened(1)])).toEqual({ kind: 'fenced', newest: 2 });
  expect(await next.transcripts.append('lead', [input(2, 3)])).toEqual({ kind: 'appended' });
  expect(ids(await next.transcripts.read('lead'))).toEqual(['2-0', '2-1', '2-2', '2-3']);
  await next.close();
});

test('more members than handles are kept open write and read as few do', async () => {
  const folder = join(await tempDir('record'), 'run-a');
  const record = await create(folder);
  const members = Array.from({ length: 100 }, (_, place) => `member-${place}`);
  const before = (await readdir('/proc/self/fd').catch(() => [])).length;
  for (const k of [0, 1]) {
    await Promise.all(
      members.map((member, place) =>
        record.transcripts.append(member, [k === 0 ? opened(place + 1, member) : input(place + 1, k)]),
      ),
    );
  }
  const after = (await readdir('/proc/self/fd').catch(() => [])).length;
  expect(after - before).toBeLessThanOrEqual(70);
  for (const [place, member] of members.entries()) {
    const turn = place + 1;
    expect(ids(await record.transcripts.read(member))).toEqual([`${turn}-0`, `${turn}-1`]);
  }
  await record.close();
});

test.each([['../lead'], ['.hidden'], ['a/b'], [''], ['a\0b'], ['x'.repeat(101)]])(
  'a member named %j gets no file',
  async (member) => {
    const record = await create(join(await tempDir('record'), 'run-a'));
    await expect(record.transcripts.append(member, [opened(1)])).rejects.toMatchObject({
      code: 'member-name',
    });
    await expect(record.transcripts.read(member)).rejects.toMatchObject({ code: 'member-name' });
    await record.close();
  },
);

test('a text whose bytes were changed is refused, not handed out', async () => {
  const { folder } = await teamWith(two);
  const record = await open(folder);
  const digest = await record.blobs.put('approved words');
  await writeFile(join(folder, 'blobs', digest), 'Approved words');
  await expect(record.blobs.get(digest)).rejects.toMatchObject({ name: 'FatalError', code: 'blob-broken' });
  await record.close();
});

test('what a dead process left half written among the blobs is swept', async () => {
  const { folder } = await teamWith(two);
  await writeFile(join(folder, 'blobs', '.part-1-abc'), 'half');
  await (await open(folder)).close();
  expect(await readdir(join(folder, 'blobs'))).toEqual([]);
});

test('a folder that others could enter is closed to them, and said to have been open', async () => {
  const { folder } = await teamWith(two);
  await chmod(folder, 0o755);
  const record = await open(folder);
  expect(record.findings.map(({ code }) => code)).toEqual(['record-was-open']);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await record.close();
});

test('a link in place of the log or of a transcript is not followed', async () => {
  const { folder } = await teamWith(two);
  const outside = join(folder, '..', 'outside');
  await writeFile(outside, jsonLine(opened(1)));
  await symlink(outside, join(folder, 'transcripts', 'writer.jsonl'));
  await expect(open(folder)).rejects.toMatchObject({ code: 'ELOOP' });
  const second = join(folder, '..', 'run-b');
  await mkdir(second);
  await symlink(outside, join(second, 'log.jsonl'));
  await expect(open(second)).rejects.toMatchObject({ code: 'ELOOP' });
  expect(await readFile(outside, 'utf8')).toBe(jsonLine(opened(1)));
});

test('a second writer is noticed before a byte of ours is added, and nothing of theirs is cut', async () => {
  const { folder, log } = await teamWith(two);
  const record = await open(folder);
  await appendFile(log, jsonLine(entryAt(3, 'theirs')));
  await expect(record.log.append(entryAt(3, 'ours'))).rejects.toMatchObject({
    code: 'log-failed',
    message: expect.stringContaining('another process writes this team'),
  });
  await record.close();
  expect(await readFile(log, 'utf8')).toBe(two + jsonLine(entryAt(3, 'theirs')));
});

test('a log that became shorter stops the team', async () => {
  const { folder, log } = await teamWith(two);
  const record = await open(folder);
  await truncate(log, 10);
  await expect(record.log.append(entryAt(3))).rejects.toMatchObject({ code: 'log-failed' });
  await record.close();
});

test('closing releases the lock it was given, last', async () => {
  const folder = join(await tempDir('record'), 'run-a');
  const released: string[] = [];
  const lock = {
    release: async () => {
      released.push(await readFile(join(folder, 'log.jsonl'), 'utf8'));
    },
  };
  const record = await openFileRecord(folder, { clock, mode: 'create', lock });
  const written = record.log.append(entryAt(1));
  await Promise.all([record.close(), record.close()]);
  await written;
  expect(released).toEqual([jsonLine(entryAt(1))]);
});
