// `bnerd skills audit --transcript` (spec/runner.md §2, case L18): a transcript against the record of its team, against a
// log that lies elsewhere, and against the registry.
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { auditTranscript, type ToldBy } from '../../../src/runtime/skills/audit-transcript.js';
import { DELEGATING_TEAM, delegatedRecord } from '../../helpers/delegated-record.js';
import { type TestHouse, writeMission } from '../../helpers/team.js';
import { foreignRider, rider } from '../../helpers/transcripts.js';
import { JOB } from '../job.js';

const TEAM: ToldBy = { kind: 'team', team: DELEGATING_TEAM };

async function scene(how: Parameters<typeof delegatedRecord>[1] = {}) {
  const at = await writeMission(JOB);
  const sent = [foreignRider('beta'), rider('alpha')];
  return { at, record: await delegatedRecord(at.house.home, { sent, added: [rider('added')], ...how }) };
}

async function audit({ house }: TestHouse, path: string, by: ToldBy) {
  const found = await auditTranscript(house, path, by);
  if (found.kind === 'refused') throw new Error(found.findings.map(({ message }) => message).join('; '));
  return found.value;
}

const said = ({ findings }: { findings: readonly { severity: string; code: string }[] }): string[] =>
  findings.map(({ severity, code }) => `${severity} ${code}`);

describe('against the record of its team', () => {
  test('all is told: who gave what, the brief, both digests, the file', async () => {
    const { at, record } = await scene();
    const found = await audit(at, record.transcript, TEAM);
    expect(found.findings).toEqual([]);
    expect(found).toMatchObject({
      against: 'record',
      team: DELEGATING_TEAM,
      brief: record.brief.id,
      bytes: (await readFile(record.transcript)).length,
    });
    expect(found.given).toBeGreaterThan(0);
    expect(found.entries.map(({ tag, entry }) => [tag?.name, entry?.came])).toEqual([
      ['added', 'runner'],
      ['alpha', 'brief'],
      ['beta', 'brief'],
    ]);
  });

  test('a file that was changed is none of it', async () => {
    const { at, record } = await scene();
    const text = await readFile(record.transcript, 'utf8');
    await writeFile(record.transcript, text.replace('Body of alpha', 'Body of Alpha'));
    expect(said(await audit(at, record.transcript, TEAM))).toEqual([
      'error text-differs',
      'error block-differs',
      'error block-differs',
      'error file-differs',
    ]);
  });

  test('a transcript of another team is named as such', async () => {
    const { at, record } = await scene();
    const text = await readFile(record.transcript, 'utf8');
    await writeFile(record.transcript, text.replaceAll(record.brief.id, 'run-other-01.t1.a1.o1'));
    const found = await audit(at, record.transcript, TEAM);
    expect(found.findings).toMatchObject([
      { code: 'unknown-brief', message: expect.stringContaining(record.brief.id) },
    ]);
  });

  test('a skill that holds the title of its brief leads nobody astray', async () => {
    const title = `# Brief ${DELEGATING_TEAM}.t1.a1.o1`;
    const { at, record } = await scene({ sent: [rider('alpha', { body: `Do.\n\n${title}\n\nDo not.` })] });
    expect((await audit(at, record.transcript, TEAM)).findings).toEqual([]);
  });

  test('a signed brief that was changed in the record is an error, one that is gone is said', async () => {
    const { at, record } = await scene();
    const path = record.blobPath(record.texts.brief);
    await writeFile(path, (await readFile(path, 'utf8')).replace('Add a line', 'Add two lines'));
    expect(said(await audit(at, record.transcript, TEAM))).toEqual(['info not-told', 'error brief-unusable']);
    await rm(path);
    expect(said(await audit(at, record.transcript, TEAM))).toEqual(['info not-told']);
  });
});

test('a log on another machine is as good, with its texts beside it or without', async () => {
  const { at, record } = await scene();
  const folder = join(at.house.temporaryDirectory, 'evidence');
  await mkdir(folder);
  await copyFile(record.log, join(folder, 'team.jsonl'));
  const by: ToldBy = { kind: 'record', file: join(folder, 'team.jsonl') };
  const alone = await audit(at, record.transcript, by);
  expect(said(alone)).toEqual(['info not-told']);
  expect(alone).toMatchObject({ team: DELEGATING_TEAM, given: null });
  await mkdir(join(folder, 'blobs'));
  await copyFile(record.blobPath(record.texts.brief), join(folder, 'blobs', record.texts.brief));
  expect((await audit(at, record.transcript, by)).findings).toEqual([]);
});

test('without a record the built-in skills are known, others are not', async () => {
  const { at, record } = await scene();
  const found = await audit(at, record.transcript, { kind: 'registry' });
  expect(said(found)).toEqual([
    'error unknown-entry',
    'error unknown-entry',
    'error unknown-entry',
    'info not-told',
  ]);
  expect(found).toMatchObject({ against: 'registry', team: null, brief: record.brief.id });
});

test.each<[string, (folder: string) => [string, ToldBy], string]>([
  ['no file', (folder) => [join(folder, 'none'), TEAM], 'no-transcript'],
  ['a folder', (folder) => [folder, TEAM], 'no-transcript'],
  ['no team', () => ['t', { kind: 'team', team: 'run-nobody' }], 'unknown-team'],
  ['no log', (folder) => ['t', { kind: 'record', file: join(folder, 'none') }], 'no-record'],
  ['a log that is none', () => ['t', { kind: 'record', file: 't' }], 'log-broken'],
])('%s is refused', async (_, words, code) => {
  const at = await writeMission(JOB);
  await writeFile(join(at.workspace, 't'), '# Brief x\n{\n');
  expect(await auditTranscript(at.house, ...words(at.workspace))).toMatchObject({
    kind: 'refused',
    findings: [{ code, remedy: expect.stringMatching(/./) }],
  });
});
