import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRecord } from '../../src/events/file-record.js';
import { readFileRecord } from '../../src/events/record-view.js';
import { jsonLine } from '../../src/shared/jsonl.js';
import { entryAt, ids, input, numbers, opened } from '../contracts/record-samples.js';
import { tempDir } from '../helpers/temp-dir.js';

async function folderWith(log: string, transcript = ''): Promise<string> {
  const folder = await tempDir('view');
  await mkdir(join(folder, 'transcripts'));
  await writeFile(join(folder, 'log.jsonl'), log);
  await writeFile(join(folder, 'transcripts', 'writer.jsonl'), transcript);
  return folder;
}

const bad = `${jsonLine(entryAt(1))}{"v":1,"fi\n${jsonLine(entryAt(3))}${jsonLine(entryAt(4))}`;

test('K215 behind a bad line later events are read, with a warning that has its line number', async () => {
  const folder = await folderWith(bad);
  const { entries, findings } = await readFileRecord(folder, 'tolerant').log();
  // Right: later events read
  expect(numbers(entries)).toEqual([1, 3, 4]);
  // Right: warning with line no.
  expect(findings).toEqual([
    {
      code: 'log-broken',
      severity: 'warning',
      path: join(folder, 'log.jsonl'),
      line: 2,
      message: 'line 2 is not JSON and was left out; later lines were read',
      remedy: expect.stringContaining('restore it'),
    },
  ]);
});

test('K215 so it is in a transcript', async () => {
  const folder = await folderWith('', `${jsonLine(opened(1))}\0\0\n${jsonLine(input(1, 2))}`);
  const { entries, findings } = await readFileRecord(folder, 'tolerant').transcript('writer');
  expect(ids(entries)).toEqual(['1-0', '1-2']);
  expect(findings).toMatchObject([{ code: 'transcript-broken', severity: 'warning', line: 2 }]);
});

test('strict reading refuses what an opening would refuse', async () => {
  const view = readFileRecord(await folderWith(bad, 'x\ny\n'), 'strict');
  await expect(view.log()).rejects.toMatchObject({ code: 'log-broken' });
  await expect(view.transcript('writer')).rejects.toMatchObject({ code: 'transcript-broken' });
});

test('the unfinished line of a live writer is left out without a word, and the file without a touch', async () => {
  const folder = await folderWith(
    `${jsonLine(entryAt(1))}${jsonLine(entryAt(2)).slice(0, 30)}`,
    `${jsonLine(opened(1))}{"id`,
  );
  const before = [await readFile(join(folder, 'log.jsonl')), await readdir(folder)];
  for (const reading of ['strict', 'tolerant'] as const) {
    const view = readFileRecord(folder, reading);
    expect(await view.log()).toEqual({ entries: [entryAt(1)], findings: [] });
    expect(await view.transcript('writer')).toEqual({ entries: [opened(1)], findings: [] });
  }
  expect([await readFile(join(folder, 'log.jsonl')), await readdir(folder)]).toEqual(before);
});

test('it reads beside a live writer, each time what is there by then', async () => {
  const folder = join(await tempDir('view'), 'run-a');
  const record = await openFileRecord(folder, { clock: { wallMs: () => 0 }, mode: 'create' });
  const view = readFileRecord(folder, 'strict');
  expect(await view.members()).toEqual([]);
  for (const first of [1, 2, 3]) {
    await record.log.append(entryAt(first));
    expect((await view.log()).entries).toHaveLength(first);
  }
  const digest = await record.blobs.put('words');
  await record.transcripts.append('writer', [opened(1)]);
  await record.transcripts.append('lead', [opened(2, 'lead')]);
  expect(await view.blob(digest)).toBe('words');
  expect(await view.blob('0'.repeat(64))).toBeUndefined();
  expect(await view.members()).toEqual(['lead', 'writer']);
  expect(await view.transcript('nobody')).toEqual({ entries: [], findings: [] });
  await record.close();
});

test('where there is no team it says so', async () => {
  const folder = await tempDir('view');
  const view = readFileRecord(join(folder, 'run-x'), 'tolerant');
  await expect(view.log()).rejects.toMatchObject({ code: 'no-team' });
  expect(await view.members()).toEqual([]);
  expect(await readdir(folder)).toEqual([]);
});

test('a line that was appended twice is named and left out', async () => {
  const folder = await folderWith(jsonLine(entryAt(1)));
  await appendFile(join(folder, 'log.jsonl'), jsonLine(entryAt(1)) + jsonLine(entryAt(2)));
  const { entries, findings } = await readFileRecord(folder, 'tolerant').log();
  expect(numbers(entries)).toEqual([1, 2]);
  expect(findings.map(({ line }) => line)).toEqual([2]);
});
