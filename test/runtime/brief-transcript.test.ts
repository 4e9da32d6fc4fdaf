// `bnerd team transcript <team> <brief>` (spec/team.md §7): where the file lies, bounds, secrets, lies about the place.
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OUTPUT_MARK } from '../../src/delegate/engineers/transcript.js';
import { briefTranscript, isBriefWord } from '../../src/runtime/brief-transcript.js';
import { redactorOf } from '../../src/shared/secrets/redactor.js';
import { DELEGATING_TEAM, delegatedRecord } from '../helpers/delegated-record.js';
import { writeMission } from '../helpers/team.js';
import { rider } from '../helpers/transcripts.js';
import { JOB } from './job.js';

const SECRET = 'correct-horse-battery-staple';

async function scene(how: Parameters<typeof delegatedRecord>[1] = {}) {
  const { house: open } = await writeMission(JOB);
  const house = { ...open, secrets: redactorOf([{ name: 'API_KEY', value: SECRET }]) };
  const record = await delegatedRecord(house.home, { sent: [rider('alpha')], ...how });
  const look = async (word = record.brief.id) => {
    const found = await briefTranscript(house, DELEGATING_TEAM, word);
    if (found.kind === 'refused') throw new Error(found.findings.map(({ message }) => message).join());
    return found.value;
  };
  const shown = async () => {
    const found = await look();
    if (found.kind !== 'shown') throw new Error(JSON.stringify(found));
    return found.transcript;
  };
  return { record, look, shown };
}

/** A brief that has not ended as far as the log says: nobody has signed its file yet. */
async function unended(log: string): Promise<void> {
  const lines = (await readFile(log, 'utf8')).split('\n');
  await writeFile(log, lines.filter((line) => !line.includes('"brief.ended"')).join('\n'));
}

test('of a brief: all that was given, then all of its output', async () => {
  const { record, shown, look } = await scene();
  const [prompt = '', output = ''] = (await readFile(record.transcript, 'utf8')).split(OUTPUT_MARK);
  expect(await shown()).toMatchObject({
    brief: record.brief.id,
    path: record.transcript,
    given: { text: prompt, bytes: Buffer.byteLength(prompt), left_out: 0 },
    output: { text: output, bytes: Buffer.byteLength(output), left_out: 0 },
    findings: [],
  });
  expect(await look('t1.a1.o1')).toMatchObject({ kind: 'shown' });
  expect(await look('t2.a1.o1')).toEqual({ kind: 'no-brief' });
});

test('of one that is at work: as far as it has come, and that nobody has signed it', async () => {
  const { record, shown } = await scene();
  await unended(record.log);
  await writeFile(record.transcript, 'More.\n', { flag: 'a' });
  const { output, findings } = await shown();
  expect(output.text).toBe('It is done.\nMore.\n');
  expect(findings).toMatchObject([{ severity: 'info', code: 'not-told' }]);
});

test('of long output the end, from a line on; what is secret is taken out before it is cut', async () => {
  const { record, shown } = await scene();
  await unended(record.log);
  const line = `${SECRET} ${'x'.repeat(100)}\n`;
  const output = line.repeat(20_000);
  const text = await readFile(record.transcript, 'utf8');
  const prompt = text.slice(0, text.indexOf(OUTPUT_MARK));
  await writeFile(record.transcript, prompt + OUTPUT_MARK + output);
  const { output: end } = await shown();
  expect(end.bytes).toBe(Buffer.byteLength(output));
  expect(end.text.length).toBeLessThan(300_000);
  expect(end.left_out).toBe(end.bytes - Buffer.byteLength(end.text));
  expect(new Set(end.text.split('\n'))).toEqual(new Set([`[secret:API_KEY] ${'x'.repeat(100)}`, '']));
});

test('of a long brief the beginning', async () => {
  const { shown } = await scene({ order: { context: 'word\n'.repeat(50_000), goal: 'é'.repeat(200_000) } });
  const { given, findings } = await shown();
  expect(findings).toEqual([]);
  expect(Buffer.byteLength(given.text)).toBeLessThanOrEqual(512 << 10);
  expect(Buffer.byteLength(given.text)).toBeGreaterThan((512 << 10) - 4);
  expect(given.text).not.toContain('\ufffd');
  expect(given.left_out).toBe(given.bytes - Buffer.byteLength(given.text));
});

describe('a file that is not what it must be is named, and not shown', () => {
  test.each<[string, (path: string) => Promise<void>, string, RegExp]>([
    ['gone', (path) => rm(path), 'no-transcript', /it is not there; its runner was runner-1$/],
    ['changed', (path) => writeFile(path, 'x', { flag: 'a' }), 'file-differs', /its runner signed/],
    [
      'another file that a runner names',
      (path) => writeFile(path, 'secrets of mine'),
      'file-differs',
      /signed/,
    ],
    [
      'a link',
      async (path) => {
        await rename(path, join(path, '..', 'elsewhere'));
        await symlink('elsewhere', path);
      },
      'no-transcript',
      /it is no file/,
    ],
  ])('%s', async (_, change, code, message) => {
    const { record, look } = await scene();
    await change(record.transcript);
    expect(await look()).toMatchObject({
      kind: 'not-shown',
      finding: { code, message: expect.stringMatching(message), path: record.transcript },
    });
  });
});

test.each<[string, boolean]>([
  [`${DELEGATING_TEAM}.t1.a1.o1`, true],
  ['t12.a3.o1', true],
  ['worker', false],
  ['t1.a1', false],
  ['t0.a1.o1', false],
  ['set1.a1.o1', false],
])('%s: %s', (word, is) => {
  expect(isBriefWord(word)).toBe(is);
});
