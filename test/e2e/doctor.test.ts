// `bnerd doctor` through the program: its exit code, its text, its JSON, and that no secret is in either.
import { expect, test } from 'vitest';
import { bnerd, bnerdPlace } from '../helpers/bnerd.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';

const KEY = 'sk-ant-nobody-has-this-key';

test('a machine without a Redis is examined, and nothing is written', async () => {
  const place = await bnerdPlace();
  const text = await bnerd(['doctor'], { place, env: { ANTHROPIC_API_KEY: KEY } });
  expect(text.exit).toBe(0);
  expect(text.stdout).toMatch(/^ok {7}node: v\d+/);
  expect(text.stdout).toContain('providers: anthropic');
  expect(text.stdout).toContain('redis: none is named: teams are kept in files');
  expect(text.stdout).toMatch(/nothing is in the way\n$/);
  const json = await bnerd(['doctor', '--json'], { place, env: { ANTHROPIC_API_KEY: KEY } });
  expect(JSON.parse(json.stdout)).toMatchObject({
    v: 1,
    ok: true,
    checks: expect.arrayContaining([expect.objectContaining({ check: 'node', state: 'ok' })]),
  });
  expect(text.stdout + json.stdout).not.toContain(KEY);
});

test('a server that does not answer: exit 1, with the address and without its password', async () => {
  const env = { BNERD_REDIS_URL: 'redis://someone:secret-word@127.0.0.1:1' };
  const { exit, stdout, stderr } = await bnerd(['doctor'], { env });
  expect(exit).toBe(1);
  expect(stdout).toMatch(/^error {4}redis: redis:\/\/127\.0\.0\.1:1 does not answer/m);
  expect(stdout).toContain('to do: start the server');
  expect(stdout + stderr).not.toContain('secret-word');
});

describeRedis('a server that answers', () => {
  const redis = redisForTests();

  test('has each of its checks, with what is wanted and what to do where something is in the way', async () => {
    const at = redis();
    const env = { BNERD_REDIS_URL: at.url, BNERD_REDIS_PREFIX: at.prefix };
    const { stdout, exit } = await bnerd(['doctor', '--json'], { env });
    const { ok, checks } = JSON.parse(stdout);
    expect(exit).toBe(ok ? 0 : 1);
    expect(checks.map(({ check }: { check: string }) => check)).toEqual([
      ...['node', 'git', 'home', 'providers', 'engineers', 'redis', 'redis-version', 'redis-role'],
      ...['redis-eviction', 'redis-persistence', 'redis-replicas', 'redis-latency', 'redis-clock'],
      ...['redis-tenant', 'workers', 'teams', 'runners'],
    ]);
    for (const { state, wanted, remedy } of checks) {
      expect(wanted).not.toBe('');
      if (state === 'error') expect(remedy).not.toBeNull();
    }
  });
});
