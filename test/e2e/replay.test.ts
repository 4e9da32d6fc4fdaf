// spec/team.md §9 `record/` and `replay/` through the program: no network, no key, and a changed prompt is refused.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claim, complete, does, finish, says, when } from '../cases/play.js';
import { delegates, delegating, delegatingJob } from './delegation.js';
import { job } from './job.js';

test('a run is recorded and played again; one changed byte in a role file is refused with a diff of the prompt', async () => {
  const at = await job({
    recipe: { workspace: 'temp', tasks: [{ id: 'one', subject: 'One', role: 'worker' }] },
    roles: { boss: {}, worker: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [when('', says('Go.')), when('completed #1', finish())] },
      worker: {
        idle: 'Ready.',
        turns: [when('Task #1 is ready', does(claim('#1')), does(complete('#1')), says('Done.'))],
      },
    },
  });
  const script = join(at.mission, 'orchestrator/teams/job/script.yaml');
  const first = await at.run(['do this', '--model', `record/script/${script}`, '--json-events']);
  expect(first.exit).toBe(0);
  const { team } = first.lines[0] as { team: string };
  // One role may give its answers again while another is asked.
  const half = await at.run(['--model', `worker=replay/${team}`]);
  expect(half.stderr).toContain('done (exit 0)');
  await writeFile(script, 'script: 1\nroles: {}\n');

  const again = await at.run(['--model', `replay/${team}`]);
  expect(again.stderr).toContain('done (exit 0)');
  expect(again.exit).toBe(0);
  const result = first.lines.at(-1) as { result: string };
  expect(again.stdout).toBe(`${result.result.trimEnd()}\n`);

  const role = join(at.mission, 'orchestrator/roles/worker.md');
  await writeFile(role, (await readFile(role, 'utf8')).replace('You are worker.', 'You are Worker.'));
  const changed = await at.run(['--model', `replay/${team}`]);
  expect(changed.exit).toBe(2);
  expect(changed.stdout).toBe('');
  expect(changed.stderr).toContain(
    [
      '  │ --- system prompt of worker, part role, as recorded',
      '  │ +++ system prompt of worker, part role, in this run',
      '  │ @@ -1,1 +1,1 @@',
      '  │ -You are worker.',
      '  │ +You are Worker.',
    ].join('\n'),
  );
  expect(changed.stderr).toContain(
    'error replay-differs the system prompt of worker differs from the recorded one in part role',
  );
});

test('a run whose members delegated is refused with the reason before anything is made', async () => {
  const at = await delegatingJob(
    delegating([
      when('Task #1 is ready', does(delegates('#1', ['commit greet.txt hello'])), says('Sent.')),
      when('has ended: completed', does(complete('#1')), says('It is in.')),
    ]),
  );
  const script = join(at.mission, 'orchestrator/teams/job/script.yaml');
  const first = await at.run(['--model', `record/script/${script}`, '--auto-approve', 'all']);
  expect(first.exit, first.stderr).toBe(0);
  const again = await at.run(['--model', `replay/${await at.id()}`, '--auto-approve', 'all']);
  expect(again.exit).toBe(2);
  expect(again.stderr).toContain('members of it delegated');
  expect(await at.ids()).toHaveLength(1);
});
