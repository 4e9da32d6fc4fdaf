// How a Redis with TLS is trusted, and what it is shown: by variables and by the section `redis` of the settings file.
import { generateKeyPairSync } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/config.js';
import { readEnvironment } from '../../src/config/env.js';
import { resolveRedisConfig } from '../../src/config/redis-config.js';
import { NO_SETTINGS, type SettingsRedis } from '../../src/config/settings.js';
import { parseSettings } from '../../src/config/settings-file.js';
import { certificateFor } from '../helpers/certificate.js';
import { clientFiles } from '../helpers/redis-tls.js';
import { tempDir } from '../helpers/temp-dir.js';

const URL = 'rediss://redis.example:6379';

function resolve(
  variables: Record<string, string>,
  { home = '/', file = '', at = '/' }: { home?: string; file?: string; at?: string } = {},
): ReturnType<typeof resolveRedisConfig> {
  const settings = parseSettings(file);
  if (settings.kind === 'refused') throw new Error(JSON.stringify(settings.findings));
  const environment = readEnvironment({ HOME: home, BNERD_REDIS_URL: URL, ...variables });
  return resolveRedisConfig({ flags: new Map(), environment }, settings.value, at);
}

/** A home with the files of a server's CA and of two certificates for this machine. */
async function pems() {
  const home = await tempDir('home');
  const [ca, one, two] = [certificateFor('ca'), certificateFor('one'), certificateFor('two')];
  const put = async (name: string, text: string): Promise<string> => {
    await writeFile(join(home, name), text, { mode: 0o600 });
    return join(home, name);
  };
  return {
    home,
    ca,
    one,
    two,
    files: {
      ca: await put('ca.pem', ca.cert),
      cert: await put('one.pem', one.cert),
      key: await put('one.key', one.key),
      other: await put('two.pem', two.cert),
      otherKey: await put('two.key', two.key),
    },
  };
}

describe('who says it', () => {
  test('the settings file, below whose home its paths lie; nobody: whom the system trusts, and nothing is shown', async () => {
    const { home, ca, one } = await pems();
    const file = 'redis: { ca: ca.pem, cert: ~/one.pem, key: one.key }';
    expect(await resolve({}, { home, file })).toMatchObject({
      value: { tls: { ca: ca.cert, client: { cert: one.cert, key: one.key } } },
    });
    expect(await resolve({}, { home })).toMatchObject({ value: { tls: { ca: null, client: null } } });
  });

  test('a variable beats it; of certificate and key both come from the same place', async () => {
    const { home, two, one, ca, files } = await pems();
    const file = 'redis: { ca: two.pem, cert: one.pem, key: one.key, durability: strict }';
    const pair = { BNERD_REDIS_CERT: 'two.pem', BNERD_REDIS_KEY: files.otherKey };
    expect(await resolve(pair, { home, file, at: home })).toMatchObject({
      value: { tls: { ca: two.cert, client: { cert: two.cert, key: two.key } } },
    });
    expect(await resolve({ BNERD_REDIS_CA: files.ca }, { home, file })).toMatchObject({
      value: { tls: { ca: ca.cert, client: { cert: one.cert } } },
    });
    for (const half of [{ BNERD_REDIS_CERT: files.other }, { BNERD_REDIS_KEY: files.otherKey }])
      expect(await resolve(half, { home, file })).toMatchObject({
        kind: 'refused',
        findings: [{ path: Object.keys(half)[0], remedy: expect.stringContaining('or neither') }],
      });
  });

  test('durability: the variable, the file, else that of the server alone', async () => {
    const file = 'redis: { durability: strict }';
    expect(await resolve({}, { file })).toMatchObject({ value: { durability: 'strict' } });
    expect(await resolve({ BNERD_DURABILITY: 'server' }, { file })).toMatchObject({
      value: { durability: 'server' },
    });
    expect(await resolve({})).toMatchObject({ value: { durability: 'server' } });
  });

  test('for an address without TLS the file says nothing, and a variable is refused', async () => {
    const plain = { BNERD_REDIS_URL: 'redis://redis.example:6379' };
    const file = 'redis: { ca: nowhere.pem }';
    expect(await resolve(plain, { file })).toMatchObject({ value: { tls: { ca: null, client: null } } });
    for (const name of ['BNERD_REDIS_CA', 'BNERD_REDIS_CERT', 'BNERD_REDIS_KEY'])
      expect(await resolve({ ...plain, [name]: '/nowhere.pem' }, { file })).toMatchObject({
        kind: 'refused',
        findings: [{ path: name, remedy: 'write rediss://, or leave it out' }],
      });
  });

  test('a command about records reads it for a server with TLS, and goes on without it where the file is broken', async () => {
    const { home, ca } = await pems();
    const asked = async (url: string, file: string) => {
      await writeFile(join(home, '.bnerd.yaml'), file);
      const environment = readEnvironment({ HOME: home, BNERD_REDIS_URL: url });
      const needs = { needs: 'records', workingDirectory: '/' } as const;
      return resolveConfig({ flags: new Map(), environment }, needs);
    };
    const file = 'redis: { ca: ca.pem }\nshell: { wrap: [x] }\n';
    expect(await asked(URL, file)).toMatchObject({
      value: { redis: { tls: { ca: ca.cert } }, settings: { shell: NO_SETTINGS.shell } },
    });
    for (const [url, text] of [
      [URL, 'redis: { ca: [] }'],
      ['redis://redis.example:6379', file],
    ] as const)
      expect(await asked(url, text)).toMatchObject({ value: { redis: { tls: { ca: null } } } });
  });
});

describe('what cannot be is refused, with where it was said and what to do', () => {
  test('a key that others may read, unless a group of root hands it out', async () => {
    const { cert, key } = await clientFiles();
    const variables = { BNERD_REDIS_CERT: cert, BNERD_REDIS_KEY: key };
    for (const mode of [0o644, 0o604, 0o620]) {
      await chmod(key, mode);
      expect(await resolve(variables)).toMatchObject({
        findings: [{ path: 'BNERD_REDIS_KEY', remedy: expect.stringContaining(`mode ${mode.toString(8)}`) }],
      });
    }
    await chmod(key, 0o640);
    expect((await resolve(variables)).kind).toBe(process.getuid?.() === 0 ? 'resolved' : 'refused');
    await chmod(key, 0o400);
    expect(await resolve(variables)).toMatchObject({ kind: 'resolved' });
  });

  test('the key of another certificate, one with a passphrase, and what holds none', async () => {
    const { home, files } = await pems();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const passphrase = 'hush-hush';
    const locked = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase });
    await writeFile(join(home, 'locked.key'), locked, { mode: 0o600 });
    await writeFile(
      join(home, 'broken.pem'),
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    );
    const said = (key: string, cert = files.cert) => ({ BNERD_REDIS_CERT: cert, BNERD_REDIS_KEY: key });
    for (const [variables, path, remedy] of [
      [said(files.otherKey), 'BNERD_REDIS_KEY', 'it cannot be used'],
      [said(join(home, 'locked.key')), 'BNERD_REDIS_KEY', 'passphrase'],
      [said(files.cert), 'BNERD_REDIS_KEY', 'holds no private key'],
      [said(files.key, files.key), 'BNERD_REDIS_CERT', 'holds no certificate'],
      [said(files.key, home), 'BNERD_REDIS_CERT', 'no file of that kind'],
      [{ BNERD_REDIS_CA: join(home, 'broken.pem') }, 'BNERD_REDIS_CA', 'it cannot be used'],
      [{ BNERD_REDIS_CA: join(home, 'gone.pem') }, 'BNERD_REDIS_CA', 'cannot be read: ENOENT'],
    ] as const)
      expect(await resolve(variables, { home })).toMatchObject({
        kind: 'refused',
        findings: [{ code: 'bad-value', path, remedy: expect.stringContaining(remedy) }],
      });
  });

  test('the key itself in the place of its file is not repeated', async () => {
    const { cert } = await clientFiles();
    const { key } = certificateFor('one');
    const refused = await resolve({ BNERD_REDIS_CERT: cert, BNERD_REDIS_KEY: key });
    expect(refused).toMatchObject({ kind: 'refused', findings: [{ path: 'BNERD_REDIS_KEY' }] });
    expect(JSON.stringify(refused)).not.toContain(key.split('\n')[1]);
  });

  test('in the settings file with its line, and with others at once', async () => {
    const file = 'model: sonnet\nredis:\n  ca: nowhere.pem\n';
    expect(await resolve({ BNERD_DURABILITY: 'often' }, { file })).toMatchObject({
      findings: [{ path: 'BNERD_DURABILITY' }, { path: '~/.bnerd.yaml', line: 3 }],
    });
  });
});

test('the key is a secret of every run', async () => {
  const { home, one, files } = await pems();
  const variables = { BNERD_REDIS_URL: URL, BNERD_REDIS_CERT: files.cert, BNERD_REDIS_KEY: files.key };
  const environment = readEnvironment({ HOME: home, ...variables });
  const config = await resolveConfig(
    { flags: new Map(), environment },
    { needs: 'words', workingDirectory: '/' },
  );
  expect(config).toMatchObject({ value: { secrets: [{ name: 'BNERD_REDIS_KEY', value: one.key }] } });
  // The path of its file is none.
  expect(environment.secrets({ names: [], except: [] })).toEqual([]);
});

describe('the section redis', () => {
  const redisOf = (text: string): SettingsRedis | readonly string[] => {
    const parsed = parseSettings(text);
    return parsed.kind === 'resolved'
      ? parsed.value.redis
      : parsed.findings.map(({ line, message, remedy }) => `${line} ${message} ${remedy}`);
  };

  test.each(['', 'redis: {}'])('nothing is said by %j', (text) => {
    expect(redisOf(text)).toEqual(NO_SETTINGS.redis);
  });

  test.each([
    ['redis: { durability: often }', ['redis.durability is "often"', 'server, strict']],
    ['redis: { ca: [a, b] }', ['redis.ca', 'text']],
    ['redis: { cert: a.pem }', ['redis is', 'cert and key together, or neither']],
    ['redis: { key: a.key }', ['cert and key together, or neither']],
    ['redis: { url: redis://a:1 }', ['"url" is no key of redis', 'ca, cert, key, durability']],
    ['redis: { CA: a.pem }', ['"CA" is no key', 'allowed: "ca"']],
    ['Redis: { ca: a.pem }', ['"Redis" is no key', 'allowed: "redis"']],
  ])('%s is refused with its line, what was found and what may stand there', (text, words) => {
    const [told = ''] = redisOf(text) as readonly string[];
    for (const word of ['1 ', ...words]) expect(told).toContain(word);
  });
});
