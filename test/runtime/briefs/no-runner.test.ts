// Briefs that no runner takes (spec/runner.md §5, case F148): said at once, asked for a bounded number of times, given up in time.
import { expect, test } from 'vitest';
import { BullMqQueue } from '../../../src/dispatch/bullmq-queue.js';
import { poolOfBriefs } from '../../../src/dispatch/job.js';
import { DELEGATION_BOUNDS, NO_DELEGATION } from '../../../src/runtime/house.js';
import { systemClock } from '../../../src/shared/clock.js';
import { type Call, does, finish, says, when } from '../../cases/play.js';
import { describeRedis, redisForTests } from '../../helpers/redis.js';
import { onRedis } from '../../helpers/redis-team.js';
import { commitAll } from '../../helpers/repository.js';
import { startJob, writeMission } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';

const TASKS = Array.from({ length: 10 }, (_, place) => `#${place + 1}`);

/** Long enough to look at the queue, short enough to wait for. */
const BEGIN_MS = 6_000;

const send = (task: string): Call => ({
  tool: 'delegate_engineer',
  args: { task, goal: 'It greets.', acceptance: ['it does'] },
});

describeRedis('briefs of a pool without a runner', () => {
  const redis = redisForTests();

  test('F148: ten briefs: each is told as no_runner, one job each waits, and each is given up at its time', async () => {
    const server = redis();
    const at = await writeMission({
      recipe: {
        tasks: TASKS.map((task) => ({ id: `t${task.slice(1)}`, subject: `Do ${task}`, role: 'boss' })),
        engineer: { kind: 'command', pool: 'far' },
      },
      roles: { boss: { delegate: true } },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('Task #1 is ready', does(...TASKS.map(send)), says('Sent.')),
            when('#10 has failed', finish('failed')),
          ],
        },
      },
      files: { 'readme.txt': 'a project\n' },
    });
    commitAll(at.workspace, 'Begin');
    const bounds = { ...DELEGATION_BOUNDS, beginMs: BEGIN_MS };
    const delegation = { ...NO_DELEGATION, elsewhere: true, bounds };
    const run = await startJob(onRedis({ ...at, house: { ...at.house, delegation } }, server));
    await until(() => run.of('brief.evidence').length === TASKS.length, {
      ms: 30_000,
      what: 'each brief is told as one that nobody takes',
    });
    expect(new Set(run.of('brief.evidence').map(({ code }) => code))).toEqual(new Set(['no_runner']));
    const connection = server.connect();
    const queue = new BullMqQueue({
      connect: () => server.connect('queue').client,
      names: server.names,
      clock: systemClock,
      onTrouble: () => {},
    });
    const counts = await queue.counts(poolOfBriefs('far'));
    await queue.close();
    expect(counts).toEqual({ waiting: TASKS.length, delayed: 0, active: 0 });
    const ended = await run.ended();
    expect(ended.reason).toBe('failed');
    expect(run.of('brief.sent')).toHaveLength(TASKS.length);
    expect(run.of('brief.ended').map(({ status }) => status)).toEqual(TASKS.map(() => 'lost'));
    const mails = run
      .of('mail.sent')
      .filter(({ body }) => body.includes('no runner of pool far lives (no_runner)'));
    expect(mails).toHaveLength(TASKS.length);
    await connection.close(1_000);
  });
});
