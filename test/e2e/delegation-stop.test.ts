// Stopping a team whose engineer is at work, and an engineer that writes where nobody told it to.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complete, does, says, shell, when } from '../cases/play.js';
import { git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { delegates, delegating, delegatingJob, isAlive, pidIn } from './delegation.js';
import type { Job } from './job.js';

/** A job whose engineer works until somebody ends it; its number. */
async function atWork(): Promise<{ job: Job; running: Awaited<ReturnType<Job['start']>>; engineer: number }> {
  const at = await tempDir('engineer');
  const job = await delegatingJob(
    delegating([
      when(
        'Task #1 is ready',
        does(delegates('#1', [`touch ${at}/at-work`, `wait ${at}/never`])),
        says('Sent.'),
      ),
      when('has ended: (cancelled|lost|completed)', does(complete('#1')), says('By myself.')),
    ]),
  );
  const running = await job.start(['--auto-approve', 'all']);
  return { job, running, engineer: await pidIn(join(at, 'at-work')) };
}

test('while it works status tells of it; stopped once, the engineer is called off, and the run goes on at the next resume', async () => {
  const { job, running, engineer } = await atWork();
  await job.fact('brief.progress', ({ step }) => step === 'engineer');
  const id = await job.id();
  const status = JSON.parse((await job.here(['team', 'status', id, '--json'])).stdout);
  expect(status.briefs).toMatchObject([
    {
      task: '#1',
      member: 'boss',
      engineer: 'command',
      state: 'running',
      runner: 'embedded',
      step: 'engineer',
    },
  ]);
  expect((await job.here(['team', 'status', id])).stdout).toContain('t1.a1.o1');
  running.signal('SIGINT');
  expect((await running.ended).exit).toBe(130);
  expect(await isAlive(engineer)).toBe(false);
  expect(await job.of('brief.ended')).toMatchObject([{ status: 'cancelled' }]);
  const resumed = await job.bnerd(['team', 'resume', id]);
  expect(resumed.exit, resumed.stderr).toBe(0);
});

test('stopped twice, nothing of it is left', async () => {
  const { running, engineer } = await atWork();
  running.signal('SIGINT');
  running.signal('SIGINT');
  expect((await running.ended).exit).toBe(130);
  expect(await isAlive(engineer)).toBe(false);
});

test('an engineer that changes the workspace of the team has escaped, when no member’s tool has written meanwhile', async () => {
  const job = await delegatingJob(
    delegating([
      when(
        'Task #1 is ready',
        does(delegates('#1', ['plant planted.txt', 'commit greet.txt hello'])),
        says('Sent.'),
      ),
      when(['has ended: failed \\(escaped\\)', 'planted.txt'], does(complete('#1')), says('I have looked.')),
    ]),
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.exit, run.stderr).toBe(0);
  expect(await job.of('brief.ended')).toMatchObject([{ status: 'failed', cause: 'escaped' }]);
});

test('where a member has written meanwhile nobody knows who it was: it is said, and what was delivered counts', async () => {
  const at = await tempDir('engineer');
  const job = await delegatingJob(
    delegating(
      [
        when(
          'Task #1 is ready',
          does(delegates('#1', [`touch ${at}/at-work`, `wait ${at}/go`, 'commit greet.txt hello'])),
          does(
            shell(`until [ -e ${at}/at-work ]; do sleep 0.05; done; echo mine > mine.txt; touch ${at}/go`),
          ),
          says('Sent.'),
        ),
        when(
          ['has ended: completed', 'changed in the workspace of the team meanwhile'],
          does(complete('#1')),
          says('In.'),
        ),
      ],
      { roles: { boss: { delegate: true, base: 'write' } } },
    ),
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.exit, run.stderr).toBe(0);
  const [delivered] = await job.of('brief.delivered');
  expect(git(job.workspace, 'show', `${delivered?.branch}:greet.txt`)).toBe('hello');
});
