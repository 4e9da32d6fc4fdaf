import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import { resolveRedisConfig } from '../../src/config/redis-config.js';
import { NO_SETTINGS } from '../../src/config/settings.js';
import { tempDir } from '../helpers/temp-dir.js';

function resolve(
  flag: string | null,
  variables: Record<string, string> = {},
): ReturnType<typeof resolveRedisConfig> {
  const flags = new Map(flag === null ? [] : [['redis', [flag]] as const]);
  return resolveRedisConfig({ flags, environment: readEnvironment({ HOME: '/', ...variables }) });
}

describe('where the Redis is', () => {
  test('nobody has said so: none, and nothing is dialled', async () => {
    expect(await resolve(null)).toEqual({ kind: 'resolved', value: null });
  });

  test('a flag beats the variable; a file and another variable are named by the flag', async () => {
    const file = join(await tempDir('redis'), 'url');
    await writeFile(file, 'redis://u:secret-word@c:3\n');
    const said = { BNERD_REDIS_URL: 'redis://a:1', TEAM_REDIS: 'redis://u:secret-word@b:2' };
    const rows: readonly (readonly [string | null, string, string])[] = [
      [null, 'redis://a:1', 'BNERD_REDIS_URL'],
      ['redis://d:4', 'redis://d:4', '--redis'],
      ['env:TEAM_REDIS', 'redis://u:secret-word@b:2', 'TEAM_REDIS'],
      [`file:${file}`, 'redis://u:secret-word@c:3', file],
    ];
    for (const [flag, url, place] of rows)
      expect(await resolve(flag, said)).toMatchObject({
        kind: 'resolved',
        value: { url, place, prefix: 'bnerd', saidBy: flag === null ? 'variable' : 'flag' },
      });
  });

  test('a password in a command line is refused, and not shown', async () => {
    const refused = await resolve('redis://user:secret-word@redis.example:6379');
    expect(refused).toMatchObject({ kind: 'refused', findings: [{ path: '--redis', code: 'bad-value' }] });
    expect(JSON.stringify(refused)).not.toContain('secret-word');
    expect(JSON.stringify(refused)).toContain('BNERD_REDIS_URL');
  });

  test('what cannot be read is said with the way on', async () => {
    for (const flag of ['env:NOT_SET', 'file:/nowhere/at/all'])
      expect(await resolve(flag)).toMatchObject({ kind: 'refused', findings: [{ path: '--redis' }] });
  });
});

test('lease, beat and grace: what is not said follows from the lease; a beat must fit into it', async () => {
  const BNERD_REDIS_URL = 'redis://a:1';
  expect(await resolve(null, { BNERD_REDIS_URL })).toMatchObject({
    value: { leaseMs: 60_000, beatMs: 10_000, graceMs: 5_000 },
  });
  expect(await resolve(null, { BNERD_REDIS_URL, BNERD_LEASE: '3s' })).toMatchObject({
    value: { leaseMs: 3_000, beatMs: 500, graceMs: 500 },
  });
  const tight = { BNERD_REDIS_URL, BNERD_LEASE: '10s', BNERD_BEAT: '9s', BNERD_LEASE_GRACE: '2s' };
  expect(await resolve(null, tight)).toMatchObject({ kind: 'refused', findings: [{ path: 'BNERD_BEAT' }] });
  expect(await resolve(null, { BNERD_REDIS_URL, BNERD_REDIS_PREFIX: 'A:b' })).toMatchObject({
    kind: 'refused',
    findings: [{ path: 'BNERD_REDIS_PREFIX' }],
  });
});

test('that teams have to be signed says a variable, before the settings file', async () => {
  const url = { BNERD_REDIS_URL: 'redis://a:1' };
  const said = async (variables: Record<string, string>, required: boolean | null): Promise<unknown> => {
    const environment = readEnvironment({ HOME: '/', ...url, ...variables });
    const resolved = await resolveRedisConfig(
      { flags: new Map(), environment },
      { ...NO_SETTINGS, signatures: { required } },
    );
    return resolved.kind === 'resolved' ? resolved.value?.signed : resolved.findings[0]?.path;
  };
  expect(await said({}, null)).toBe(false);
  expect(await said({}, true)).toBe(true);
  expect(await said({ BNERD_REQUIRE_SIGNATURES: 'no' }, true)).toBe(false);
  expect(await said({ BNERD_REQUIRE_SIGNATURES: 'yes' }, null)).toBe(true);
  expect(await said({ BNERD_REQUIRE_SIGNATURES: 'perhaps' }, null)).toBe('BNERD_REQUIRE_SIGNATURES');
});
