// Delegation through the program: an engineer that is another process does the work, and the team takes it in.
import { expect, test } from 'vitest';
import { does, says, TOLD_DIGEST, when } from '../cases/play.js';
import { git } from '../helpers/repository.js';
import { delegates, delegating, delegatingJob } from './delegation.js';

test('a lead delegates, the commit is a branch of the workspace, the gate reads it by git_diff, and the run is done', async () => {
  const job = await delegatingJob(
    delegating(
      [
        when(
          'Task #1 is ready',
          does(delegates('#1', ['commit greet.txt hello'], { verify_keys: ['greets'] })),
          says('Sent.'),
        ),
        when('has ended: completed', says('It is on its way.')),
      ],
      {
        recipe: {
          tasks: [
            { id: 'build', subject: 'Build it', role: 'boss', gates: ['reviewer'], artifacts: ['greet.txt'] },
          ],
        },
        roles: { reviewer: { base: 'read' } },
        script: {
          reviewer: {
            idle: 'Ready.',
            turns: [
              when(
                'waits for your review',
                {
                  capture: {
                    digest: TOLD_DIGEST,
                    branch: 'branch (bnerd/\\S+), ',
                    base: '([0-9a-f]{40})\\.\\.',
                  },
                  ...does({ tool: 'git_diff', args: { from: '{{base}}', to: '{{branch}}' } }),
                },
                {
                  expect: ['\\+hello'],
                  ...does({
                    tool: 'team_review',
                    args: { task: '#1', verdict: 'approve', evidence_digest: '{{digest}}' },
                  }),
                },
                says('It is good.'),
              ),
            ],
          },
        },
      },
    ),
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.stderr, run.stderr).toContain('done');
  expect(run.exit).toBe(0);
  const [sent] = await job.of('brief.sent');
  expect(git(job.workspace, 'show', `${sent?.branch}:greet.txt`)).toBe('hello');
  expect(await job.of('brief.ended')).toMatchObject([
    { status: 'completed', verify: [{ key: 'greets', outcome: 'passed' }] },
  ]);
});
