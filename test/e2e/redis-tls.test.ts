// A Redis at a rediss:// address: the certificate has to be signed by the CA that was named, and nothing falls back to plain.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import { bnerd } from '../helpers/bnerd.js';
import { certificateFor } from '../helpers/certificate.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import { redisProxy } from '../helpers/redis-proxy.js';
import { askingRedis, clientFiles, tlsRedis } from '../helpers/redis-tls.js';
import { tempDir } from '../helpers/temp-dir.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis } from './on-redis.js';

describePrivateRedis('a Redis with TLS', () => {
  test('a team is run over it by coordinator and worker, which know its CA', async () => {
    const { server, port, ca } = await tlsRedis('127.0.0.1');
    const at = new OnRedis(
      await job(oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } })),
      redisAt(server.url),
    );
    const tls = { BNERD_REDIS_URL: `rediss://127.0.0.1:${port}`, BNERD_REDIS_CA: ca };
    const words = ['--auto-approve', 'all', '--id', 'one', '--no-worker'];
    const coordinator = await at.at.start(words, { env: { ...at.env, ...tls } });
    await at.worker([], tls);
    expect((await coordinator.ended).exit).toBe(0);
    expect(await at.file('hello')).toBe('hello\n');
  });

  test('to a server that asks who is there its certificate is shown, as the settings file says, also by who looks on', async () => {
    const { server, port, ca, client } = await askingRedis('127.0.0.1');
    const at = new OnRedis(
      await job(oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } })),
      redisAt(server.url),
    );
    const settings = `redis: { ca: ${ca}, cert: ${client.cert}, key: ${client.key} }\n`;
    await writeFile(join(at.at.place.home, '.bnerd.yaml'), settings);
    const tls = { BNERD_REDIS_URL: `rediss://127.0.0.1:${port}` };
    const words = ['--auto-approve', 'all', '--id', 'one', '--no-worker'];
    const coordinator = await at.at.start(words, { env: { ...at.env, ...tls } });
    await at.worker([], tls);
    expect((await coordinator.ended).exit).toBe(0);
    const status = await at.at.bnerd(['team', 'status', 'one'], { env: { ...at.env, ...tls } });
    expect(status).toMatchObject({ exit: 0, stdout: expect.stringContaining('done') });
  });

  test.each(['none', 'another'])(
    'with %s certificate of its own it is refused at once, with what to do',
    async (which) => {
      const { port, ca } = await askingRedis('127.0.0.1');
      const { cert, key } = await clientFiles();
      const shown = which === 'none' ? {} : { BNERD_REDIS_CERT: cert, BNERD_REDIS_KEY: key };
      const env = { BNERD_REDIS_URL: `rediss://127.0.0.1:${port}`, BNERD_REDIS_CA: ca, ...shown };
      const worker = await bnerd(['worker'], { env });
      expect(worker.exit).toBe(1);
      expect(worker.stderr).toContain('redis-client-certificate');
      expect(worker.stderr).toContain('BNERD_REDIS_CERT and BNERD_REDIS_KEY');
      const doctor = await bnerd(['doctor'], { env });
      expect(doctor.exit).toBe(1);
      expect(doctor.stdout).toMatch(/to do: name the files with a certificate that this server takes/);
    },
  );

  test.each([
    ['another CA', '127.0.0.1', 'other', /self-signed certificate|unable to verify|signature/i],
    ['no CA', '127.0.0.1', 'none', /self-signed certificate|unable to verify/i],
    ['the CA of a server of another name', 'redis.example', 'own', /does not match|altname|alt names/i],
  ])('with %s it is refused at once, with what to do', async (_, name, which, words) => {
    const { port, ca } = await tlsRedis(name);
    const other = join(await tempDir('ca'), 'other.pem');
    await writeFile(other, certificateFor('127.0.0.1').cert);
    const named = which === 'none' ? {} : { BNERD_REDIS_CA: which === 'own' ? ca : other };
    const env = { BNERD_REDIS_URL: `rediss://127.0.0.1:${port}`, ...named };
    const worker = await bnerd(['worker'], { env });
    expect(worker.exit).toBe(1);
    expect(worker.stderr).toContain('redis-certificate');
    expect(worker.stderr).toMatch(words);
    expect(worker.stderr).toContain('BNERD_REDIS_CA');
    const doctor = await bnerd(['doctor'], { env });
    expect(doctor.exit).toBe(1);
    expect(doctor.stdout).toMatch(/to do: name the file with its CA in BNERD_REDIS_CA/);
  });

  test('a server that does not speak TLS is not spoken to without, and its password is not sent', async () => {
    const line = await redisProxy(await privateRedis());
    const env = { BNERD_REDIS_URL: line.url.replace('redis://', 'rediss://someone:secret-word@') };
    const { exit, stdout, stderr } = await bnerd(['doctor'], { env });
    expect(exit).toBe(1);
    expect(stdout).toMatch(/error {4}redis: rediss:\/\/127\.0\.0\.1:\d+ (cannot be trusted|does not answer)/);
    expect(stdout + stderr).not.toContain('secret-word');
  });

  test('a CA for an address without TLS, or a file that holds none, is refused', async () => {
    const empty = join(await tempDir('ca'), 'empty.pem');
    await writeFile(empty, 'no certificate\n');
    for (const [url, file, words] of [
      ['redis://127.0.0.1:1', empty, 'write rediss://'],
      ['rediss://127.0.0.1:1', empty, 'holds no certificate'],
      ['rediss://127.0.0.1:1', '/nowhere/at/all.pem', 'cannot be read: ENOENT'],
    ] as const) {
      const { exit, stderr } = await bnerd(['workers'], {
        env: { BNERD_REDIS_URL: url, BNERD_REDIS_CA: file },
      });
      expect(exit).toBe(2);
      expect(stderr).toContain(words);
    }
  });
});
