// A real folder for each of several hundred cuts: too many fsyncs for the fast tests.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileRecord } from '../../src/events/file-record.js';
import { jsonLine } from '../../src/shared/jsonl.js';
import { entryAt, ids, input, MULTI_BYTE, opened } from '../contracts/record-samples.js';
import { tempDir } from '../helpers/temp-dir.js';

const clock = { wallMs: () => Date.UTC(2026, 0, 2) };

test('K213 Q43 the log cut at every byte offset opens to the longest valid prefix, and the next append is readable', async () => {
  const folder = join(await tempDir('cut'), 'run-a');
  const log = join(folder, 'log.jsonl');
  await (await openFileRecord(folder, { clock, mode: 'create' })).close();
  const whole = Buffer.from(jsonLine(entryAt(1, MULTI_BYTE)) + jsonLine(entryAt(2, '😀')));
  const firstEnd = whole.indexOf(10) + 1;
  for (let cut = 0; cut <= whole.length; cut++) {
    await writeFile(log, whole.subarray(0, cut));
    await writeFile(join(folder, 'log.torn'), '');
    const record = await openFileRecord(folder, { clock, mode: 'open' });
    const entries = await record.log.read();
    const expected = cut === whole.length ? 2 : cut >= firstEnd ? 1 : 0;
    expect(entries).toEqual([entryAt(1, MULTI_BYTE), entryAt(2, '😀')].slice(0, expected));
    expect(await record.log.append(entryAt(expected + 1, 'next'))).toEqual({ kind: 'appended' });
    await record.close();
    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toHaveLength(expected + 1);
    const good = [0, firstEnd, whole.length][expected] ?? 0;
    const aside = await readFile(join(folder, 'log.torn'));
    if (cut === good) {
      expect(record.findings).toEqual([]);
      expect(aside).toHaveLength(0);
    } else {
      expect(record.findings.map(({ code }) => code)).toEqual(['log-torn']);
      expect(aside.subarray(aside.indexOf(10) + 1, -1)).toEqual(whole.subarray(good, cut));
    }
  }
});

test('K213 a transcript cut at every byte offset opens to the longest valid prefix, and goes on', async () => {
  const folder = join(await tempDir('cut'), 'run-a');
  const file = join(folder, 'transcripts', 'writer.jsonl');
  await (await openFileRecord(folder, { clock, mode: 'create' })).close();
  const lines = [opened(1), input(1, 1, MULTI_BYTE)];
  const whole = Buffer.from(lines.map(jsonLine).join(''));
  for (let cut = 0; cut <= whole.length; cut++) {
    await writeFile(file, whole.subarray(0, cut));
    const record = await openFileRecord(folder, { clock, mode: 'open' });
    const kept = whole.subarray(0, cut).filter((byte) => byte === 10).length;
    expect(await record.transcripts.read('writer')).toEqual(lines.slice(0, kept));
    expect(await record.transcripts.append('writer', [opened(2)])).toEqual({ kind: 'appended' });
    expect(ids(await record.transcripts.read('writer'))).toEqual([...ids(lines.slice(0, kept)), '2-0']);
    await record.close();
  }
});
