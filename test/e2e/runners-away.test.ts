// The server goes away while runners work (spec/runner.md §3, §5): no result is lost and none comes twice.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/delegate/runner/outbox.js';
import { complete, does, says, when } from '../cases/play.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { delegates, delegating, isAlive, pidIn } from './delegation.js';
import { OnRunners } from './on-runners.js';

/** As long as the specification says, or a tenth of it: the same in everything but time. */
const AWAY_MS = process.env['BNERD_TEST_FAULTS'] === 'whole' ? 20_000 : 2_500;

/** Shorter than the time in which the server is away. */
const SHORT = { BNERD_LEASE: '2s' };

/** Longer than it takes to start a process. */
const LONG = { BNERD_LEASE: '20s', BNERD_BEAT: '500ms' };

const mission = (at: string) =>
  delegating([
    when(
      'Task #1 is ready',
      does(delegates('#1', [`touch ${at}/at-work`, `wait ${at}/go`, 'commit greet.txt hello'])),
      says('Sent.'),
    ),
    when('has ended: completed', does(complete('#1')), says('It is in.')),
  ]);

/** The result of the only brief lies in the outbox of a runner. */
const lies = (workdir: string): Promise<unknown> =>
  until(async () => (await new Outbox(workdir).list()).waiting.length > 0, {
    ms: 60_000,
    what: 'the result lies in the outbox',
  });

describePrivateRedis('runners while the server is away', () => {
  test('a result that is due meanwhile is brought when it is back, once; nobody is called lost for the outage', async () => {
    const server = await privateRedis();
    const at = await tempDir('engineer');
    const on = await OnRunners.make(mission(at), redisAt(server.url), SHORT);
    const { machine } = await on.runner();
    const running = await on.at.run();
    await pidIn(join(at, 'at-work'));
    server.freeze();
    await writeFile(join(at, 'go'), '');
    await lies(machine.workdir);
    await delay(AWAY_MS);
    server.thaw();
    const run = await running.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await on.at.of('brief.sent')).toHaveLength(1);
    expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['completed']);
    expect(git(on.at.at.workspace, 'branch', '--list', 'bnerd/*').split('\n')).toHaveLength(1);
  });

  test('killed with a result in its outbox and started again, it brings it, once', async () => {
    const server = await privateRedis();
    const at = await tempDir('engineer');
    const on = await OnRunners.make(mission(at), redisAt(server.url), LONG);
    const { machine, process: first } = await on.runner();
    const running = await on.at.run();
    await pidIn(join(at, 'at-work'));
    server.freeze();
    await writeFile(join(at, 'go'), '');
    await lies(machine.workdir);
    first.signal('SIGKILL');
    await first.ended;
    server.thaw();
    await machine.start();
    const run = await running.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['completed']);
    await until(async () => (await new Outbox(machine.workdir).list()).waiting.length === 0, {
      ms: 30_000,
      what: 'the outbox is empty',
    });
  });

  test('told to stop meanwhile, it ends its engineer and itself, and says what lies in the outbox', async () => {
    const server = await privateRedis();
    const at = await tempDir('engineer');
    const on = await OnRunners.make(mission(at), redisAt(server.url), LONG);
    const { machine, process: runner } = await on.runner({ words: ['--grace', '1s'] });
    const running = await on.at.run();
    const engineer = await pidIn(join(at, 'at-work'));
    server.freeze();
    runner.signal('SIGTERM');
    const ended = await runner.ended;
    expect(ended.exit, ended.stderr).toBe(3);
    expect(ended.stderr).toContain('1 results lie in the outbox');
    expect(await isAlive(engineer)).toBe(false);
    expect((await new Outbox(machine.workdir).list()).waiting).toMatchObject([
      { result: { status: 'cancelled' } },
    ]);
    server.thaw();
    await writeFile(join(at, 'go'), '');
    await machine.start();
    const run = await running.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['lost', 'completed']);
  });
});
