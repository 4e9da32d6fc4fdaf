// `bnerd skills audit --transcript` through the program: text, JSON, exit codes, what does not go together.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';
import { DELEGATING_TEAM, delegatedRecord } from '../helpers/delegated-record.js';
import { foreignRider, rider } from '../helpers/transcripts.js';

async function scene() {
  const place = await bnerdPlace();
  const record = await delegatedRecord(place.state, {
    sent: [foreignRider('beta'), rider('alpha')],
    added: [rider('added')],
  });
  const words = ['skills', 'audit', '--transcript', record.transcript];
  return { place, record, words };
}

test('an entry a line, what it is of behind it; exit 0', async () => {
  const { place, record, words } = await scene();
  const { exit, stdout, stderr } = await bnerd([...words, '--team', DELEGATING_TEAM], { place });
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: `brief ${record.brief.id}, by the record of ${DELEGATING_TEAM}: 3 entries: no objection\n`,
  });
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 7))).toEqual([
    ['LINE', 'ENTRY', 'KIND', 'VERSION', 'ORIGIN', 'LICENSE', 'GIVEN BY'],
    ['1', 'added', 'skill', '1.0.0', 'proprietary', '-', 'runner'],
    ['7', 'alpha', 'skill', '1.0.0', 'proprietary', '-', 'brief'],
    ['13', 'beta', 'skill', '1.0.0', 'third-party', 'MIT', 'brief'],
    [''],
  ]);
});

test('what differs is told with file and line, in JSON as well; exit 1', async () => {
  const { place, record, words } = await scene();
  const text = await readFile(record.transcript, 'utf8');
  await writeFile(record.transcript, text.replace('Body of beta', '\u001b[2JBody of Beta'));
  const by = ['--record', record.log];
  const told = await bnerdHere([...words, ...by], { place });
  expect(told.exit).toBe(1);
  expect(told.stderr).toContain(
    `${record.transcript}:13: error text-differs the text behind the tag of beta `,
  );
  expect(told.stderr).toMatch(/: 3 entries: 4 errors\n$/);
  expect(told.stdout + told.stderr).not.toContain('\u001b');
  const json = await bnerdHere([...words, ...by, '--json'], { place });
  expect(json.exit).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    v: 1,
    transcript: record.transcript,
    against: 'record',
    team: DELEGATING_TEAM,
    brief: record.brief.id,
    entries: [{ line: 1 }, { line: 7 }, { line: 13, tag: { name: 'beta', license: 'MIT' }, entry: null }],
    findings: [{ code: 'text-differs', line: 13 }, {}, {}, { code: 'file-differs' }],
  });
});

test('without a record it says what it is held against', async () => {
  const { place, words } = await scene();
  const { exit, stderr } = await bnerdHere(words, { place });
  expect(exit).toBe(1);
  expect(stderr).toContain('without a record texts are compared with the registry');
  expect(stderr).toMatch(/, by the registry: 3 entries: 3 errors\n$/);
});

test.each([
  ['a team without a transcript', ['--team', 'run-x'], '--team: error missing-flag'],
  ['a record without a transcript', ['--record', 'log.jsonl'], '--record: error missing-flag'],
  ['two records', ['--transcript', 't', '--team', 'x', '--record', 'y'], '--team: error wrong-use'],
  ['a team as a word', ['run-x', '--transcript', 't'], '--transcript: error wrong-use'],
  ['a bill of materials', ['--transcript', 't', '--format', 'spdx'], '--transcript: error wrong-use'],
  ['a look at the network', ['--transcript', 't', '--online'], '--online: error wrong-use'],
  ['no file', ['--transcript', 'none'], 'none: error no-transcript'],
])('%s is wrong use: exit 2', async (_, words, found) => {
  const { exit, stdout, stderr } = await bnerdHere(['skills', 'audit', ...words]);
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toContain(found);
});
