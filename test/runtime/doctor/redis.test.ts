// What the doctor says of a Redis: servers of several configurations, each real (spec/engine.md §1 "Loss", §3).
import { describe, expect, onTestFinished, test } from 'vitest';
import { Agenda } from '../../../src/dispatch/agenda.js';
import { BriefPost } from '../../../src/dispatch/brief-post.js';
import { briefJob, poolOfBriefs } from '../../../src/dispatch/job.js';
import { keepLive, registerWorker } from '../../../src/dispatch/presence.js';
import { type RunnerSays, registerRunner } from '../../../src/dispatch/runners.js';
import { redisAddress } from '../../../src/events/redis/redis-address.js';
import type { Check } from '../../../src/runtime/doctor/check.js';
import { examine } from '../../../src/runtime/doctor/doctor.js';
import { runnerChecks } from '../../../src/runtime/doctor/redis-runners.js';
import { readInfo, serverChecks, versionCheck } from '../../../src/runtime/doctor/redis-server.js';
import { prefixChecks } from '../../../src/runtime/doctor/redis-teams.js';
import { openLink, type RedisLink, type RedisPlace } from '../../../src/runtime/engine/redis-link.js';
import { systemClock } from '../../../src/shared/clock.js';
import { redisNames } from '../../../src/shared/redis-names.js';
import { newKeyPair } from '../../../src/shared/signature.js';
import { accepted } from '../../helpers/briefs.js';
import { queueAt } from '../../helpers/queue.js';
import {
  describePrivateRedis,
  describeRedis,
  privateRedis,
  redisAt,
  redisForTests,
  type TestRedis,
} from '../../helpers/redis.js';
import { replicated } from '../../helpers/redis-replica.js';
import { writeMission } from '../../helpers/team.js';

const FOREVER = new AbortController().signal;

const placeOf = ({ url, names }: Pick<TestRedis, 'url' | 'names'>): RedisPlace => ({
  address: redisAddress(url),
  names,
  timing: { leaseMs: 60_000, beatMs: 10_000, graceMs: 5_000 },
  takesTurns: true,
  saidBy: 'flag',
  repositories: { allowed: [], env: {} },
  signed: 'with a key',
});

async function linkTo(redis: TestRedis): Promise<RedisLink> {
  const link = await openLink({ clock: systemClock, hostname: 'h1' }, placeOf(redis));
  onTestFinished(() => link.close());
  return link;
}

const of = (checks: readonly Check[], check: string): readonly Check[] =>
  checks.filter((one) => one.check === check);

/** The checks of a server that is started with these lines of configuration. */
async function checksOf(config: readonly string[], skewMs = 0): Promise<readonly Check[]> {
  const server = await privateRedis({ config });
  const { client } = await linkTo(redisAt(server.url));
  const clock = { wallMs: () => systemClock.wallMs() + skewMs, monotonicMs: () => systemClock.monotonicMs() };
  return serverChecks(client, clock);
}

describePrivateRedis('a server', () => {
  test.each([
    [[], 'error', 'no AOF'],
    [['--appendonly', 'yes', '--appendfsync', 'always'], 'ok', 'a power cut loses nothing'],
    [['--appendonly', 'yes', '--appendfsync', 'everysec'], 'ok', 'a power cut up to about a second'],
    [['--appendonly', 'yes', '--appendfsync', 'no'], 'warning', 'had not yet written'],
    [['--appendonly', 'yes', '--rename-command', 'CONFIG', ''], 'warning', 'may not be asked'],
  ])('%j: persistence is %s', async (config, state, words) => {
    const [check] = of(await checksOf(config), 'redis-persistence');
    expect(check?.state).toBe(state);
    expect(check?.found).toContain(words);
    if (state !== 'ok') expect(check?.remedy).not.toBeNull();
  });

  test.each([
    [['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'], 'error'],
    [['--maxmemory-policy', 'allkeys-lru'], 'warning'],
    [['--maxmemory', '100mb', '--maxmemory-policy', 'noeviction'], 'ok'],
  ])('%j: eviction is %s', async (config, state) => {
    const [check] = of(await checksOf(config), 'redis-eviction');
    expect(check).toMatchObject({ state, wanted: expect.stringContaining('noeviction') });
    if (state !== 'ok') expect(check?.remedy).toContain('config set maxmemory-policy noeviction');
  });

  test.each([
    [31_000, 'error', 'ahead of the server'],
    [-31_000, 'error', 'behind the server'],
    [29_000, 'ok', 'ahead of the server'],
  ])('a clock that is %i ms off is %s', async (skewMs, state, words) => {
    const [check] = of(await checksOf([], skewMs), 'redis-clock');
    expect(check?.state).toBe(state);
    expect(check?.found).toContain(words);
  });

  test('is named as what it is; one that answers has a latency; a replica takes no writes', async () => {
    const checks = await checksOf([]);
    expect(of(checks, 'redis-version')[0]?.found).toMatch(/^(Redis|Valkey) \d/);
    expect(of(checks, 'redis-role')).toMatchObject([{ state: 'ok' }]);
    expect(of(checks, 'redis-replicas')).toMatchObject([{ state: 'ok', found: 'none' }]);
    expect(of(checks, 'redis-latency')[0]?.found).toMatch(/^p50 [\d.]+ ms, p99 [\d.]+ ms of 100 PINGs$/);
    const server = await privateRedis();
    const { client } = await linkTo(redisAt(server.url));
    await client.call('REPLICAOF', '127.0.0.1', '1');
    expect(of(await serverChecks(client, systemClock), 'redis-role')).toMatchObject([
      { state: 'error', found: 'a replica' },
    ]);
    await client.call('REPLICAOF', 'NO', 'ONE');
  });
});

describePrivateRedis('what a fail-over loses', () => {
  test('is said with what holds: durability server, or strict, which is an error without a replica', async () => {
    const { primary } = await replicated();
    const { client } = await linkTo(redisAt(primary.url));
    const found = async (durability: 'server' | 'strict') =>
      of(await serverChecks(client, systemClock, durability), 'redis-replicas');
    expect(await found('server')).toMatchObject([
      { state: 'warning', remedy: expect.stringContaining('BNERD_DURABILITY=strict') },
    ]);
    expect(await found('strict')).toMatchObject([
      { state: 'ok', found: expect.stringMatching(/^1, durability strict/) },
    ]);
    const alone = await linkTo(redisAt((await privateRedis()).url));
    expect(of(await serverChecks(alone.client, systemClock, 'strict'), 'redis-replicas')).toMatchObject([
      { state: 'error', remedy: expect.stringContaining('bring a replica back') },
    ]);
  });
});

test.each([
  ['redis_version:6.0.16', 'error', 'Redis 6.0.16'],
  ['redis_version:6.2.0', 'ok', 'Redis 6.2.0'],
  ['redis_version:8.0.1', 'ok', 'Redis 8.0.1'],
  ['redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0', 'ok', 'Valkey 8.1.0'],
  ['# Server', 'error', 'Redis unknown'],
])('%j: the version is %s', (info, state, found) => {
  expect(versionCheck(readInfo(`# Server\r\n${info}\r\n`))).toMatchObject({ state, found });
});

describeRedis('what is under the prefix', () => {
  const redis = redisForTests();

  test('a team that is due and that nobody serves is named; one that somebody serves is not', async () => {
    const link = await linkTo(redis());
    const agenda = new Agenda(link);
    await agenda.add('left', -link.place.timing.leaseMs - 1_000);
    await agenda.add('served', -link.place.timing.leaseMs - 1_000);
    await agenda.add('soon', 0);
    await agenda.add('ended', 0);
    await agenda.lookNever('ended');
    const live = await keepLive(link, 'served', 'not yet');
    expect(of(await prefixChecks(link, '0.1.0'), 'teams')).toMatchObject([
      { state: 'error', found: 'due and served by nobody: left' },
    ]);
    await agenda.remove('left');
    expect(of(await prefixChecks(link, '0.1.0'), 'teams')).toMatchObject([{ state: 'ok' }]);
    live.drop();
  });

  test('workers are told with what they serve: a silent one is an error, one of another version a warning', async () => {
    const link = await linkTo(redis());
    expect(of(await prefixChecks(link, '0.1.0'), 'workers')).toMatchObject([{ state: 'warning' }]);
    const says = {
      pools: ['turns'],
      providers: ['anthropic'],
      version: '0.1.0',
      maxSafety: 'full',
      workspaceRoots: [],
      operators: [],
      signed: 'with a key' as const,
      slots: 4,
      running: 1,
      host: 'h1',
      pid: 12,
      silentMs: 0,
    };
    await registerWorker(link, 'w-1', () => says);
    await registerWorker(link, 'w-2', () => ({ ...says, version: '0.2.0' }));
    await registerWorker(link, 'w-3', () => ({ ...says, silentMs: 61_000 }));
    const checks = of(await prefixChecks(link, '0.1.0'), 'workers');
    expect(checks.map(({ state }) => state)).toEqual(['ok', 'warning', 'error']);
    expect(checks[0]?.found).toBe('w-1 (pid 12 on h1): turns; anthropic; version 0.1.0; 1 of 4 turns');
  });

  test('runners are told: silent, off the clock, with a key that nobody has accepted, of another version, or well', async () => {
    const link = await linkTo(redis());
    const known = newKeyPair();
    const says = {
      ...{
        pools: ['vm'],
        labels: [],
        slots: 2,
        running: 1,
        version: '0.1.0',
        engineers: {},
        maxSafety: 'full',
      },
      ...{
        repos: [],
        host: 'h1',
        pid: 12,
        process: 'p',
        skewMs: 0,
        silentMs: 0,
        progress: null,
        draining: false,
      },
      ...{ key: known.key, keyId: known.id },
    };
    const stranger = newKeyPair();
    const rows: readonly (readonly [
      change: Partial<RunnerSays>,
      state: string,
      found: RegExp,
      remedy: RegExp,
    ])[] = [
      [{}, 'ok', /^r0 \(pid 12 on h1\): vm; version 0\.1\.0; 1 of 2 briefs$/, /^null$/],
      [{ version: '0.0.9' }, 'warning', /version 0\.0\.9.*another version/, /this is 0\.1\.0: bring both/],
      [{ silentMs: 61_000 }, 'error', /not answered it for 61 s/, /end it and start it again/],
      [{ skewMs: -31_000 }, 'error', /31 s behind the server/, /set the clock of h1/],
      [
        { key: stranger.key, keyId: stranger.id },
        'warning',
        new RegExp(`key ${stranger.id} is not accepted here`),
        new RegExp(`bnerd keys accept ${stranger.key} --name r4`),
      ],
    ];
    for (const [place, [change]] of rows.entries())
      await registerRunner(
        link,
        `r${place}`,
        () => ({ ...says, ...change }),
        async () => false,
        FOREVER,
      );
    const checks = await runnerChecks(link, '0.1.0', { known: [accepted(known, 'runner')] });
    expect(checks.map(({ state }) => state)).toEqual(rows.map(([, state]) => state));
    for (const [place, [, , found, remedy]] of rows.entries()) {
      expect(checks[place]?.found).toMatch(found);
      expect(String(checks[place]?.remedy)).toMatch(remedy);
    }
    const retired = { known: [accepted(known, 'runner', { retired: true })] };
    expect((await runnerChecks(link, '0.1.0', retired))[0]).toMatchObject({ state: 'warning' });
  });

  test('a pool in which a brief waits and that has no runner is an error; of one that has ended or is at work nothing is said', async () => {
    const at = redis();
    const link = await linkTo(at);
    const none = { known: [] };
    expect(await runnerChecks(link, '0.1.0', none)).toMatchObject([
      { state: 'ok', found: 'none is there, and no brief waits for one' },
    ]);
    const queue = queueAt(at);
    const post = new BriefPost(link, 'one');
    for (const [brief, pool] of [
      ['one.b1', 'gpu'],
      ['one.b2', 'default'],
      ['one.ended', 'vm'],
      ['one.taken', 'vm'],
    ] as const) {
      await queue.enqueue(briefJob({ team: 'one', brief, pool: poolOfBriefs(pool) }));
      if (brief !== 'one.ended') await post.put(brief, '{}');
    }
    await post.close('one.taken', 60_000);
    expect(await runnerChecks(link, '0.1.0', none)).toMatchObject([
      {
        state: 'error',
        found: 'pool default has no runner, and for one wait one.b2',
        remedy: expect.stringMatching(/: bnerd runner$/),
      },
      {
        state: 'error',
        found: 'pool gpu has no runner, and for one wait one.b1',
        remedy: expect.stringMatching(/--pool gpu$/),
      },
    ]);
  });

  test('that a server is one circle of trust is said', async () => {
    const at = redis();
    const checks = await prefixChecks(await linkTo(at), '0.1.0');
    expect(of(checks, 'redis-tenant')[0]?.found).toContain(`prefix "${at.prefix}"`);
    expect(of(checks, 'redis-tenant')[0]?.found).toContain('one circle of trust');
  });
});

describe('the whole examination', () => {
  const none = { engineers: new Map(), wrap: [] };

  test('a server that is not there is an error with the way on, and nothing is asked of it', async () => {
    const { house } = await writeMission({ roles: { boss: {} }, script: {} });
    const place = placeOf({ url: 'unix:///nowhere/at/all.sock', names: redisNames('nobody') });
    const { ok, checks } = await examine({ ...house, redis: place }, 'v20.19.0', none, FOREVER);
    expect(ok).toBe(false);
    expect(checks.filter(({ check }) => check.startsWith('redis'))).toMatchObject([
      { check: 'redis', state: 'error', remedy: expect.stringContaining('start the server') },
    ]);
  });
});
