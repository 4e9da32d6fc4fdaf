// The server goes away while runners work (spec/runner.md §3, §5): no result is lost and none comes twice.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Outbox } from '../../src/delegate/runner/outbox.js';
import { PIECE_BYTES } from '../../src/dispatch/brief-post.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { redisProxy } from '../helpers/redis-proxy.js';
import { git } from '../helpers/repository.js';
import { until } from '../helpers/until.js';
import { heldEngineer, isAlive, oneBrief } from './delegation.js';
import { atWork, OnRunners } from './on-runners.js';

/** As long as the specification says, or a tenth of it: the same in everything but time. */
const AWAY_MS = process.env['BNERD_TEST_FAULTS'] === 'whole' ? 20_000 : 2_500;

/** Shorter than the time in which the server is away. */
const SHORT = { BNERD_LEASE: '2s' };

/** Longer than it takes to start a process. */
const LONG = { BNERD_LEASE: '20s', BNERD_BEAT: '500ms' };

/** The result of the only brief lies in the outbox of a runner. */
const lies = (workdir: string): Promise<unknown> =>
  until(async () => (await new Outbox(workdir).list()).waiting.length > 0, {
    ms: 60_000,
    what: 'the result lies in the outbox',
  });

describePrivateRedis('runners while the server is away', () => {
  test('a result that is due meanwhile is brought when it is back, once; nobody is called lost for the outage', async () => {
    const server = await privateRedis();
    const { on, machine, team, engineer } = await atWork(redisAt(server.url), SHORT);
    server.freeze();
    await engineer.go();
    await lies(machine.workdir);
    await delay(AWAY_MS);
    server.thaw();
    const run = await team.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await on.at.of('brief.sent')).toHaveLength(1);
    expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['completed']);
    expect(git(on.at.at.workspace, 'branch', '--list', 'bnerd/*').split('\n')).toHaveLength(1);
  });

  test('killed with a result in its outbox and started again, it brings it, once', async () => {
    const server = await privateRedis();
    const { on, machine, runner: first, team, engineer } = await atWork(redisAt(server.url), LONG);
    server.freeze();
    await engineer.go();
    await lies(machine.workdir);
    first.signal('SIGKILL');
    await first.ended;
    server.thaw();
    await machine.start();
    const run = await team.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['completed']);
    await until(async () => (await new Outbox(machine.workdir).list()).waiting.length === 0, {
      ms: 30_000,
      what: 'the outbox is empty',
    });
  });

  test('killed while it brings a bundle of several pieces and started again, it brings all of it, once', async () => {
    const server = await privateRedis();
    const proxy = await redisProxy(server);
    const engineer = await heldEngineer('fill big.bin 3');
    const on = await OnRunners.make(oneBrief(engineer.deeds), redisAt(server.url), LONG);
    const { machine, process: first } = await on.runner({ env: { BNERD_REDIS_URL: proxy.url } });
    const team = await on.at.run();
    await engineer.atWork();
    const held = proxy.holdAfter(2 * PIECE_BYTES);
    await engineer.go();
    await held;
    first.signal('SIGKILL');
    await first.ended;
    expect(await on.at.of('brief.ended')).toEqual([]);
    await machine.start();
    const run = await team.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['completed']);
    const branches = git(on.at.at.workspace, 'branch', '--list', '--format=%(refname)', 'bnerd/*').split(
      '\n',
    );
    expect(branches).toHaveLength(1);
    expect(git(on.at.at.workspace, 'cat-file', '-s', `${branches[0]}:big.bin`)).toBe(String(3 * 2 ** 20));
  });

  test('told to stop meanwhile, it ends its engineer and itself, and says what lies in the outbox', async () => {
    const server = await privateRedis();
    const { on, machine, runner, team, engineer, pid } = await atWork(redisAt(server.url), LONG, {
      words: ['--grace', '1s'],
    });
    server.freeze();
    runner.signal('SIGTERM');
    const ended = await runner.ended;
    expect(ended.exit, ended.stderr).toBe(3);
    expect(ended.stderr).toContain('1 results lie in the outbox');
    expect(await isAlive(pid)).toBe(false);
    expect((await new Outbox(machine.workdir).list()).waiting).toMatchObject([
      { result: { status: 'cancelled' } },
    ]);
    server.thaw();
    await engineer.go();
    await machine.start();
    const run = await team.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['lost', 'completed']);
  });
});
