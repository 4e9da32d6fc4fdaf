// The users of a Redis that `bnerd doctor --acl` prints, on a server that has loaded them (spec/engine.md §3 "Trust on a
// shared Redis"): with them a team runs to its end, and what each may do besides is tried key by key.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BullMqWorkers } from '../../src/dispatch/bullmq-workers.js';
import { type BriefJob, briefJob, isBriefJob, poolOfBriefs } from '../../src/dispatch/job.js';
import type { AclForm, RedisRole } from '../../src/runtime/doctor/redis-users.js';
import { systemClock } from '../../src/shared/clock.js';
import { errorText } from '../../src/shared/errors.js';
import { type KeyKind, type RedisNames, redisNames } from '../../src/shared/redis-names.js';
import { does, shell } from '../cases/play.js';
import { bnerd } from '../helpers/bnerd.js';
import { queueAt } from '../helpers/queue.js';
import { describePrivateRedis, privateRedis, type TestRedis } from '../helpers/redis.js';
import { serverWithUsers } from '../helpers/redis-users.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { oneBrief } from './delegation.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis } from './on-redis.js';
import { OnRunners } from './on-runners.js';

/** Keys of each kind, and who may read and write them: `o`perator, `w`orker, `r`unner. */
const keysOf = (
  names: RedisNames,
): Readonly<Record<KeyKind, readonly [read: string, write: string, ...keys: string[]]>> => ({
  log: ['ow', 'ow', names.log('one')],
  t: ['ow', 'ow', names.transcript('one', 'Ann Lee')],
  seed: ['ow', 'ow', names.seed(names.log('one'))],
  blobs: ['ow', 'ow', names.blobs('one')],
  snapshot: ['ow', 'ow', names.snapshot('one')],
  sizes: ['ow', 'ow', names.sizes('one')],
  turn: ['ow', 'ow', names.turnLease('one', 7)],
  run: ['ow', 'ow', names.runLease('one')],
  'run-fence': ['ow', 'ow', names.runFence('one')],
  live: ['ow', 'ow', names.live('one')],
  attended: ['ow', 'ow', names.attended('one')],
  sweep: ['ow', 'ow', names.sweep('one')],
  inbox: ['owr', 'owr', names.inbox('one')],
  desk: ['ow', 'ow', names.desk('one')],
  brief: ['owr', 'ow', names.brief('one', 'b.1')],
  taken: ['owr', 'owr', names.taken('one', 'b.1')],
  up: ['owr', 'owr', names.up('one', 'b.1')],
  teams: ['ow', 'ow', names.teams],
  worker: ['ow', 'ow', names.worker('w1')],
  runner: ['owr', 'or', names.runner('r1')],
  drain: ['or', 'or', names.drain('r1')],
  'queues of turns': [
    'ow',
    'ow',
    ...[names.turns, names.turnsOf('h1')].map((queue) => `${names.queueKeys}:${queue}:wait`),
  ],
  'queues of briefs': ['owr', 'owr', `${names.queueKeys}:${names.briefs('default')}:wait`],
});

const ROLES: readonly RedisRole[] = ['operator', 'worker', 'runner'];

/** What becomes of a command: `ok`, or that the server refuses it to this user. */
async function tried(redis: TestRedis, ...words: readonly string[]): Promise<string> {
  const connection = redis.connect();
  await connection.ready(new AbortController().signal);
  const [command = '', ...rest] = words;
  try {
    await connection.client.call(command, ...rest);
    return 'ok';
  } catch (error) {
    return errorText(error).replace(/ .*/, '');
  } finally {
    await connection.close(1_000);
  }
}

describePrivateRedis('the users of a prefix', () => {
  test('a runner of its own user does a brief from its beginning to its end, and nothing of it was refused', async () => {
    const { tenants, refused } = await serverWithUsers();
    const [tenant] = tenants;
    if (tenant === undefined) throw new Error('there is no tenant');
    const on = await OnRunners.make(oneBrief(['commit greet.txt hello']), tenant.as('operator'));
    const { machine, process: runner } = await on.runner({ env: { BNERD_REDIS_URL: tenant.url('runner') } });
    const run = await (await on.at.run()).ended;
    expect(run.exit, run.stderr).toBe(0);
    expect((await on.at.bnerd('runner', 'drain', machine.id)).exit).toBe(0);
    const ended = await runner.ended;
    expect(ended.exit, ended.stderr).toBe(0);
    expect(await refused()).toEqual([]);
  });

  test('a team is run by operator and workers, is looked at and put away, and nothing of it was refused', async () => {
    const { tenants, refused } = await serverWithUsers();
    const [tenant] = tenants;
    if (tenant === undefined) throw new Error('there is no tenant');
    const mission = oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } });
    const at = new OnRedis(await job(mission), tenant.as('operator'));
    const coordinator = await at.run(['--no-worker']);
    await at.fact('run.started');
    const worker = await at.worker([], { BNERD_REDIS_URL: tenant.url('worker') });
    expect((await coordinator.ended).exit).toBe(0);
    expect(await at.file('hello')).toBe('hello\n');
    for (const words of [
      ['team', 'ps'],
      ['team', 'status', 'one'],
      ['team', 'verify', 'one'],
      ['team', 'transcript', 'one', 'worker'],
      ['workers'],
    ]) {
      expect(await at.bnerd(...words), words.join(' ')).toMatchObject({ exit: 0 });
    }
    expect(await refused()).toEqual([]);
    expect((await at.bnerd('doctor')).stdout).toMatch(
      /^ok {7}redis-tenant: .*-operator, who may read and write nothing outside of it$/m,
    );
    expect(await at.bnerd('team', 'cleanup', 'one', '--yes')).toMatchObject({ exit: 0 });
    worker.signal('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
    expect(await at.redis.keys()).toEqual([]);
    // The doctor asks what it may not know: how often the server writes to its disk, and what lies outside of the prefix.
    const asked = (await refused()).filter((line) => !/ (config\|get|\S+-outside:nothing)$/.test(line));
    expect(asked).toEqual([]);
  });

  test('a runner takes a brief from its queue as its own user', async () => {
    const { tenants, refused } = await serverWithUsers();
    const [tenant] = tenants;
    if (tenant === undefined) throw new Error('there is no tenant');
    const queue = queueAt(tenant.as('worker'));
    const runner = tenant.as('runner');
    const taken: string[] = [];
    const briefs = new BullMqWorkers<BriefJob>({
      connect: () => runner.connect('blocking').client,
      names: runner.names,
      clock: systemClock,
      pools: [poolOfBriefs('vm')],
      concurrency: 1,
      takes: isBriefJob,
      stillHeld: async () => true,
      onTrouble: (line) => taken.push(line),
      onError: (failed, error) => taken.push(`${failed.id}: ${errorText(error)}`),
      handler: async ({ brief }) => {
        taken.push(brief);
      },
    });
    onTestFinished(async () => {
      await briefs.close(1_000);
    });
    await queue.enqueue(briefJob({ team: 'one', brief: 'b.1', pool: poolOfBriefs('vm') }));
    await until(() => taken.length > 0, { what: 'the brief is taken' });
    expect(taken).toEqual(['b.1']);
    expect(await refused()).toEqual([]);
  });

  test.each<[AclForm]>([['7'], ['6.2']])(
    'Redis %s: each user is tried on a key of every kind',
    async (form) => {
      const { tenants } = await serverWithUsers({ form, tenants: 2 });
      const [tenant, other] = tenants;
      if (tenant === undefined || other === undefined) throw new Error('there are no two tenants');
      const found: string[] = [];
      for (const role of ROLES) {
        const redis = tenant.as(role);
        const [letter = ''] = role;
        const answer = (who: string): string => (who.includes(letter) ? 'ok' : 'NOPERM');
        for (const [read, write, ...keys] of Object.values(keysOf(redis.names)))
          for (const key of keys) {
            const mayWrite = form === '7' ? write : read;
            const got = [await tried(redis, 'EXISTS', key), await tried(redis, 'UNLINK', key)];
            if (got.join() !== [answer(read), answer(mayWrite)].join())
              found.push(`${role} ${key}: ${got.join()}`);
          }
        for (const [, , ...keys] of Object.values(keysOf(redisNames(other.prefix))))
          for (const key of keys)
            for (const command of ['EXISTS', 'UNLINK'])
              if ((await tried(redis, command, key)) !== 'NOPERM') found.push(`${role} ${command} ${key}`);
      }
      expect(found).toEqual([]);
    },
  );

  test('what is the business of who runs the server is refused to each', async () => {
    const { tenants, admin } = await serverWithUsers();
    const [tenant] = tenants;
    if (tenant === undefined) throw new Error('there is no tenant');
    const commands = [
      ...[['FLUSHALL'], ['FLUSHDB'], ['KEYS', '*'], ['CONFIG', 'GET', 'requirepass'], ['ACL', 'LIST']],
      ...[['CONFIG', 'SET', 'appendonly', 'no'], ['SCRIPT', 'FLUSH'], ['FUNCTION', 'FLUSH'], ['MONITOR']],
      ...[['SELECT', '1'], ['PUBLISH', 'anybody', 'x'], ['SUBSCRIBE', 'anybody'], ['SAVE'], ['SHUTDOWN']],
      ...[
        ['CLIENT', 'LIST'],
        ['CLIENT', 'KILL', 'TYPE', 'normal'],
        ['REPLICAOF', 'NO', 'ONE'],
        ['RANDOMKEY'],
      ],
      ...[['SWAPDB', '0', '1'], ['MOVE', `${tenant.prefix}:teams`, '1'], ['SLOWLOG', 'GET'], ['DBSIZE']],
    ];
    for (const role of ROLES) {
      const redis = tenant.as(role);
      for (const words of commands)
        expect([role, words, await tried(redis, ...words)]).toEqual([role, words, 'NOPERM']);
    }
    expect(await tried(tenant.as('runner'), 'SCAN', '0')).toBe('NOPERM');
    // A script has the rights of who sends it.
    const script = "return redis.call('GET', 'elsewhere')";
    for (const role of ROLES) expect(await tried(tenant.as(role), 'EVAL', script, '0')).not.toBe('ok');
    expect(await admin.ping()).toBe('PONG');
  });
});

describe('the file of users', () => {
  test('holds digests of passwords alone; a line of passwords that cannot be one is refused without its words', async () => {
    const folder = await tempDir('passwords');
    const file = join(folder, 'passwords');
    await writeFile(file, 'operator long-enough-for-a-word-1\nworker long-enough-for-a-word-2\n');
    const words = ['doctor', '--acl', '--acl-passwords', `file:${file}`];
    const { exit, stdout, stderr } = await bnerd(words, { env: { BNERD_REDIS_PREFIX: 'acme' } });
    expect(exit).toBe(0);
    expect(stdout + stderr).not.toContain('long-enough');
    expect(stdout.split('\n').map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual([
      'user default reset off',
      expect.stringMatching(/^user acme-operator reset on$/),
      expect.stringMatching(/^user acme-worker reset on$/),
      expect.stringMatching(/^user acme-runner reset on$/),
      '',
    ]);
    expect(stdout.match(/ #[0-9a-f]{64} /g)).toHaveLength(2);
    expect(stdout).toContain('#<sha256-of-the-password-of-the-runner>');
    expect(stderr).toContain('without a password, and refused by the server');
    const json = JSON.parse(
      (await bnerd([...words, '--json'], { env: { BNERD_REDIS_PREFIX: 'acme' } })).stdout,
    );
    expect(json).toMatchObject({ v: 1, prefix: 'acme', form: '7', users: { length: 3 } });
    for (const bad of ['operator short\n', 'somebody long-enough-for-a-word-1\n', 'operator\n']) {
      await writeFile(file, bad);
      const refused = await bnerd(words);
      expect(refused.exit).toBe(2);
      expect(refused.stderr).toContain('correct line 1');
      expect(refused.stdout + refused.stderr).not.toMatch(/short|long-enough/);
    }
  });

  test('in a command line no password is taken', async () => {
    const refused = await bnerd(['doctor', '--acl', '--acl-passwords', 'operator=long-enough-for-a-word-1']);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).not.toContain('long-enough');
    expect((await bnerd(['doctor', '--acl-passwords', 'file:x'])).stderr).toContain('add --acl');
    expect((await bnerd(['doctor', '--acl=5'])).stderr).toContain('6.2, 7');
  });
});

describePrivateRedis('a server', () => {
  test('does not start with a file in which a password is missing', async () => {
    const file = join(await tempDir('users'), 'users.acl');
    await writeFile(file, (await bnerd(['doctor', '--acl'])).stdout);
    await expect(privateRedis({ config: ['--aclfile', file] })).rejects.toThrow(
      /users\.acl:2: The password hash must be/,
    );
  });
});
