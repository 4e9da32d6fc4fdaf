// What an engineer of a real run was given, by everything that tells of it: verify, transcript, both audits, with and without a record.
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { does, says, when } from '../cases/play.js';
import { delegates, delegating, delegatingJob } from './delegation.js';

const TURNS = [
  when('Task #1 is ready', does(delegates('#1', ['commit greet.txt hello'])), says('Sent.')),
  when(
    'has ended: completed',
    does({
      tool: 'team_task_complete',
      args: { task: '#1', summary: 'Done.', evidence: [{ item: 'it is done', text: 'seen' }] },
    }),
    says('Done.'),
  ),
];

test('record, signed brief, transcript and registry agree; a word changed in the file is found', async () => {
  const job = await delegatingJob(delegating(TURNS));
  const env = { BNERD_RUNNER_ENGINEER_SKILLS: 'reading-a-codebase' };
  const run = await job.run(['--auto-approve', 'all'], { env });
  expect(run.exit, run.stderr).toBe(0);
  const id = await job.id();
  const [sent] = await job.of('brief.sent');
  const [ended] = await job.of('brief.ended');
  const path = ended?.transcript?.path ?? '';
  expect(sent?.entries.map(({ name }) => name)).toEqual([
    'implementation-craft',
    'verification-before-handoff',
  ]);

  const verified = await job.bnerd(['team', 'verify', id]);
  expect(verified, verified.stdout).toMatchObject({ exit: 0 });
  expect(verified.stdout).not.toContain('note:');

  const shown = await job.here(['team', 'transcript', id, 't1.a1.o1']);
  expect(shown, shown.stderr).toMatchObject({ exit: 0, stderr: '' });
  expect(shown.stdout).toContain(`  │ # Brief ${sent?.brief}\n`);

  const GIVEN = [
    { name: 'implementation-craft', came: 'brief' },
    { name: 'reading-a-codebase', came: 'runner' },
    { name: 'verification-before-handoff', came: 'brief' },
  ];
  const whole = await job.here(['skills', 'audit', id, '--json']);
  expect(JSON.parse(whole.stdout).briefs).toMatchObject([
    { brief: sent?.brief, transcript: path, entries: GIVEN },
  ]);

  const audit = ['skills', 'audit', '--transcript'];
  const proven = await job.bnerd([...audit, path, '--team', id, '--json']);
  expect(proven, proven.stderr).toMatchObject({ exit: 0 });
  expect(JSON.parse(proven.stdout)).toMatchObject({
    brief: sent?.brief,
    sent_block: sent?.sent_block,
    final_block: ended?.final_block,
    entries: GIVEN.map((entry) => ({ entry })),
    findings: [],
  });
  const byFiles = await job.here([...audit, path]);
  expect(byFiles, byFiles.stderr).toMatchObject({ exit: 0 });
  expect(byFiles.stderr).toContain('by the registry: 3 entries: no objection');

  const copy = join(job.place.root, 'copy');
  await copyFile(path, copy);
  await writeFile(copy, (await readFile(copy, 'utf8')).replace(/commit/, 'push'));
  const changed = await job.here([...audit, copy, '--team', id]);
  expect(changed.exit).toBe(1);
  expect(changed.stderr).toMatch(/copy:\d+: error (text|brief)-differs /);
});

test('a simulation of it has no signed result and no transcript, and its record is whole', async () => {
  const job = await delegatingJob(delegating(TURNS));
  const run = await job.bnerd(['team', 'simulate', 'job', '--auto-approve', 'all']);
  expect(run.exit, run.stderr).toBe(0);
  const id = await job.id();
  expect(await job.of('brief.ended')).toMatchObject([{ detail: 'simulated', transcript: null }]);
  const verified = await job.here(['team', 'verify', id]);
  expect(verified, verified.stdout).toMatchObject({ exit: 0 });
  const shown = await job.here(['team', 'transcript', id, 't1.a1.o1']);
  expect([shown.exit, shown.stdout]).toEqual([1, '']);
  expect(shown.stderr).toContain('error no-transcript the transcript of brief ');
});
