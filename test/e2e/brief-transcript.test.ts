// `bnerd team transcript <team> <brief>` through the program: text and JSON, safe on a terminal, without secrets.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';
import { DELEGATING_TEAM, delegatedRecord } from '../helpers/delegated-record.js';
import { rider } from '../helpers/transcripts.js';

const SECRET = 'correct-horse-battery-staple';

async function scene() {
  const place = await bnerdPlace();
  const record = await delegatedRecord(place.state, { sent: [rider('alpha')] });
  const words = ['team', 'transcript', DELEGATING_TEAM];
  return { place, record, words, env: { API_KEY: SECRET } };
}

test('what was given, then its output, each line behind a mark', async () => {
  const { place, record, words, env } = await scene();
  const { exit, stdout, stderr } = await bnerd([...words, record.brief.id], { place, env });
  expect([exit, stderr]).toEqual([0, '']);
  const lines = stdout.split('\n');
  expect(lines.filter((line) => line !== '' && !line.startsWith('  │ '))).toEqual([
    `brief ${record.brief.id}, ${record.transcript}`,
    expect.stringMatching(/^given to the engineer \(\d+ bytes\)$/),
    'its output (12 bytes)',
  ]);
  expect(lines).toContain('  │ <!-- provenance: skill=alpha; version=1.0.0; origin=proprietary -->');
  expect(lines.slice(-3)).toEqual(['  │ It is done.', '  │ ', '']);
});

test('nothing in it moves a terminal or tells a secret, in JSON neither; what differs is said, exit 1', async () => {
  const { place, record, words, env } = await scene();
  const log = (await readFile(record.log, 'utf8')).split('\n');
  await writeFile(record.log, log.filter((line) => !line.includes('"brief.ended"')).join('\n'));
  const text = await readFile(record.transcript, 'utf8');
  const said = `\u001b[2J${SECRET}\n`;
  await writeFile(record.transcript, text.replace('Body of alpha', 'Body of Alpha') + said);
  const told = await bnerdHere([...words, 't1.a1.o1'], { place, env });
  expect(told.exit).toBe(1);
  expect(told.stderr).toContain(': error text-differs ');
  expect(told.stdout).toContain('  │ [2J[secret:API_KEY]\n');
  const json = await bnerdHere([...words, 't1.a1.o1', '--json'], { place, env });
  expect(json.exit).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    v: 1,
    brief: record.brief.id,
    output: { text: expect.stringMatching(/\[secret:API_KEY\]\n$/), left_out: 0 },
  });
  for (const { stdout, stderr } of [told, json]) {
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout + stderr).not.toContain('\u001b');
  }
});

test('a file that is not the one that was signed is not shown: exit 1; an unknown name lists briefs: exit 2', async () => {
  const { place, record, words } = await scene();
  await writeFile(record.transcript, 'something of mine');
  const lied = await bnerdHere([...words, record.brief.id], { place });
  expect([lied.exit, lied.stdout]).toEqual([1, '']);
  expect(lied.stderr).toContain(`${record.transcript}: error file-differs `);
  const unknown = await bnerdHere([...words, 't7.a1.o1'], { place });
  expect([unknown.exit, unknown.stdout]).toEqual([2, '']);
  expect(unknown.stderr).toContain(`members: lead, worker; briefs: ${record.brief.id}`);
});
