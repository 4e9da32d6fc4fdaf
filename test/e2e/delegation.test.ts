// Delegation through the program: an engineer that is another process does the work, and the team takes it in.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { block, type Call, claim, complete, does, says, TOLD_DIGEST, update, when } from '../cases/play.js';
import { whereTeamsHave } from '../helpers/engines.js';
import { git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import {
  delegates,
  delegating,
  delegatingJob,
  heldEngineer,
  isAlive,
  oneBrief,
  pidIn,
  runnerOf,
} from './delegation.js';

test('B30: a lead delegates, the commit is a branch of the workspace, the gate reads it by git_diff, and the run is done', async () => {
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

test('a failing verification ends the brief as failed; its commit is there to be looked at, and the task stays with its member', async () => {
  const job = await delegatingJob(
    delegating([
      when(
        'Task #1 is ready',
        does(delegates('#1', ['commit greet.txt bye'], { verify_keys: ['greets'] })),
        says('Sent.'),
      ),
      when(
        ['has ended: failed \\(verify_failed\\)', 'verify: greets failed', 'still with you'],
        does(complete('#1')),
        says('I did it another way.'),
      ),
    ]),
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.exit, run.stderr).toBe(0);
  const [ended] = await job.of('brief.ended');
  expect(ended).toMatchObject({ status: 'failed', cause: 'verify_failed', verify: [{ outcome: 'failed' }] });
  const [delivered] = await job.of('brief.delivered');
  expect(git(job.workspace, 'show', `${delivered?.branch}:greet.txt`)).toBe('bye');
});

test('G166: called off, the engineer is gone before the brief has ended, and nothing of it counts', async () => {
  const at = await tempDir('engineer');
  const job = await delegatingJob(
    delegating([
      when(
        'Task #1 is ready',
        does(delegates('#1', ['commit greet.txt hello', `touch ${at}/at-work`, `wait ${at}/never`])),
        says('Sent.'),
      ),
      when(
        'call it off',
        does({ tool: 'delegate_status', args: {} }),
        {
          capture: { brief: '(run-\\S+\\.o1) #1' },
          ...does({ tool: 'delegate_cancel', args: { brief: '{{brief}}', reason: 'no longer wanted' } }),
        },
        says('Called off.'),
      ),
      when(['has ended: cancelled', 'called off by boss'], does(complete('#1')), says('Done by myself.')),
    ]),
  );
  const running = await job.start(['--auto-approve', 'all']);
  const engineer = await pidIn(join(at, 'at-work'));
  await job.here(['team', 'send', await job.id(), 'lead', 'call it off']);
  const ended = await job.fact('brief.ended');
  expect(await isAlive(engineer)).toBe(false);
  expect(ended).toMatchObject({ status: 'cancelled', cause: null });
  expect((await running.ended).exit).toBe(0);
  expect(await job.of('brief.delivered')).toEqual([]);
  expect(git(job.workspace, 'branch', '--list', 'bnerd/*')).toBe('');
});

test('H176: three briefs of 0.50 under a cap of 1.25: two work at once on one repository, the third waits for money', async () => {
  const at = await tempDir('engineer');
  const sends = (task: string, ...deeds: readonly string[]): Call =>
    delegates(task, ['costs 0.30', ...deeds, `commit ${task.slice(1)}.txt done`], { cost_usd: 0.5 });
  const job = await delegatingJob(
    delegating(
      [
        when(
          'Task #1 is ready',
          does(
            sends('#1', `touch ${at}/one`, `wait ${at}/two`),
            sends('#2', `touch ${at}/two`, `wait ${at}/one`, `wait ${at}/first-is-in`),
            sends('#3'),
          ),
          { expect: ['0.25 are left of 1.25'], ...does(claim('#3'), block('#3', 'no money yet')) },
          says('Two are out.'),
        ),
        when('of #1, attempt 1, has ended: completed', does(complete('#1')), says('One is in.')),
        when(
          'of #2, attempt 1, has ended: completed',
          does(complete('#2'), update('#3', { status: 'pending' }), sends('#3')),
          says('The third is out.'),
        ),
        when('of #3, attempt 2, has ended: completed', does(complete('#3')), says('All are in.')),
      ],
      {
        recipe: {
          limits: { cost_usd: 1.25 },
          tasks: ['one', 'two', 'three'].map((id) => ({ id, subject: `Do ${id}`, role: 'boss' })),
        },
      },
    ),
  );
  const running = await job.start(['--auto-approve', 'all']);
  await job.fact('task.completed');
  await writeFile(join(at, 'first-is-in'), '');
  const run = await running.ended;
  expect(run.exit, run.stderr).toBe(0);
  expect((await job.of('brief.sent')).map(({ task, cost_usd }) => [task, cost_usd])).toEqual([
    ['#1', 0.5],
    ['#2', 0.5],
    ['#3', 0.5],
  ]);
  expect((await job.of('brief.ended')).map(({ cost_usd, estimated }) => [cost_usd, estimated])).toEqual(
    Array.from({ length: 3 }, () => [0.3, false]),
  );
  expect(git(job.workspace, 'branch', '--list', 'bnerd/*').split('\n')).toHaveLength(3);
});

test('E106: a rule about delegation is asked for lead and worker alike, and so is the safety of the team', async () => {
  const denied = (task: string) => [
    when(
      `Task ${task} is ready`,
      does(delegates(task, ['commit x y']), delegates(task, ['commit x y'], { safety: 'full' })),
      { expect: ['denied, not run', 'looser than this team'], ...does(claim(task), complete(task)) },
      says('Without an engineer.'),
    ),
  ];
  const job = await delegatingJob(
    delegating(denied('#1'), {
      recipe: {
        permissions: [{ tool: 'delegate_engineer', match: 'non-destructive *', decision: 'deny' }],
        tasks: [
          { id: 'one', subject: 'Do one', role: 'boss' },
          { id: 'two', subject: 'Do two', role: 'worker' },
        ],
      },
      roles: { worker: { delegate: true } },
      script: { worker: { idle: 'Ready.', turns: denied('#2') } },
    }),
  );
  const run = await job.run(['--auto-approve', 'all']);
  expect(run.exit, run.stderr).toBe(0);
  expect(await job.of('brief.sent')).toEqual([]);
});

whereTeamsHave('runners', () => {
  test('G156, G160: the team is killed while an engineer works: after the next start nothing of it runs, it is offered again, and its work comes in once', async () => {
    const held = await heldEngineer();
    const job = await delegatingJob(oneBrief(held.deeds));
    const running = await job.start(['--auto-approve', 'all']);
    const engineer = await held.atWork();
    running.signal('SIGKILL');
    await running.ended;
    await held.go();
    const resumed = await job.bnerd(['team', 'resume', await job.id()]);
    expect(resumed.exit, resumed.stderr).toBe(0);
    expect(await isAlive(engineer)).toBe(false);
    expect((await job.of('brief.sent')).map(({ offer }) => offer)).toEqual([1, 2]);
    expect((await job.of('brief.ended')).map(({ status }) => status)).toEqual(['lost', 'completed']);
    expect(await job.of('brief.delivered')).toHaveLength(1);
  });

  test('G158: a runner that dies takes its engineer with it; its brief is lost and offered again', async () => {
    const held = await heldEngineer();
    const job = await delegatingJob(oneBrief(held.deeds));
    const running = await job.start(['--auto-approve', 'all']);
    const engineer = await held.atWork();
    await held.go();
    process.kill(await runnerOf(await job.id()), 'SIGKILL');
    const lost = await job.fact('brief.ended');
    expect(lost).toMatchObject({ status: 'lost', cause: 'lost' });
    expect(await isAlive(engineer)).toBe(false);
    expect((await running.ended).exit).toBe(0);
    expect((await job.of('brief.sent')).map(({ offer }) => offer)).toEqual([1, 2]);
  });

  test('a simulation starts no engineer: a stand-in says so, and the recipe moves on', async () => {
    const job = await delegatingJob(
      delegating([
        when(
          'Task #1 is ready',
          does(delegates('#1', ['commit greet.txt hello'], { verify_keys: ['greets'] })),
          says('Sent.'),
        ),
        when(
          ['has ended: completed', 'Simulated: no engineer was started'],
          does(complete('#1')),
          says('It is in.'),
        ),
      ]),
    );
    const run = await job.bnerd(['team', 'simulate', 'job', '--auto-approve', 'all']);
    expect(run.exit, run.stderr).toBe(0);
    expect(await job.of('brief.accepted')).toMatchObject([{ runner: 'simulated' }]);
    expect(git(job.workspace, 'branch', '--list', 'bnerd/*')).toBe('');
  });
});
