// docker-compose.yml: a Compose file by its published schema, whose services work as their commands say (spec/engine.md §3).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { findCommand } from '../../src/cli/find-command.js';
import { parseWords } from '../../src/cli/parse.js';
import { does, shell } from '../cases/play.js';
import { atTop, ComposedProcesses, readCompose, type Service, variablesOf } from '../helpers/compose.js';
import { describePrivateRedis, ownPrefix } from '../helpers/redis.js';
import { freePort } from '../helpers/redis-replica.js';
import { until } from '../helpers/until.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

const SCHEMA = join(import.meta.dirname, '../fixtures/schemas/compose-spec.schema.json');

describe('docker-compose.yml', () => {
  test('is what the schema of the Compose Specification asks for', async () => {
    const { $schema: _, ...schema } = JSON.parse(await readFile(SCHEMA, 'utf8'));
    const validate = new Ajv({ strict: false, allErrors: true, logger: false }).compile(schema);
    validate(await readCompose());
    expect(validate.errors).toBeNull();
    validate({ services: { worker: { comand: 'x' } } });
    expect(validate.errors).not.toBeNull();
  });

  test('.env.example has every variable that is put in, with what holds without it, and no other', async () => {
    const lines = (await atTop('.env.example')).split('\n').filter((line) => /^[A-Z]/.test(line));
    const shown = new Map(lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]));
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(await variablesOf()));
  });

  test('each service has time to end, and is asked how it is where it can be; no secret stands in a command or variable', async () => {
    const { services, secrets, volumes } = await readCompose();
    expect(Object.keys(services)).toEqual(['acl', 'redis', 'worker', 'runner']);
    for (const service of Object.values(services)) {
      expect(service.stop_grace_period).toBe('30s');
      expect(JSON.stringify(service.command)).not.toMatch(/:\/\/[^"]*@/);
      for (const volume of service.volumes ?? [])
        expect(Object.keys(volumes)).toContain(volume.split(':')[0]);
      for (const secret of service.secrets ?? []) expect(Object.keys(secrets)).toContain(secret);
    }
    expect(services['redis']?.healthcheck).toBeDefined();
    for (const name of ['worker', 'runner']) expect(services[name]?.healthcheck).toBeDefined();
  });

  test('the program takes the commands of its services', async () => {
    const { services } = await readCompose();
    const lines = ['acl', 'worker', 'runner'].map((name) => {
      const text = services[name]?.command.join(' ').replaceAll('\n', ' ') ?? '';
      return /\bbnerd ([^>]*?)(?: >|$)/.exec(text)?.[1]?.replaceAll('"', '').trim() ?? '';
    });
    for (const line of lines) {
      const found = findCommand(line.split(/\s+/));
      if (found.kind !== 'command') throw new Error(line);
      expect(parseWords(found.row, [...found.rest])).toMatchObject({ kind: 'parsed' });
    }
  });
});

describePrivateRedis('the services, as processes on this machine', () => {
  test('the users are written, the server has them, a worker is well and takes the turns of an operator, all end when told to', async () => {
    const prefix = ownPrefix();
    const { services } = await readCompose({ BNERD_REDIS_PREFIX: prefix });
    const { acl, redis, worker, runner } = services;
    if (acl === undefined || redis === undefined || worker === undefined || runner === undefined)
      throw new Error('a service is missing');
    const ports = { '6379': String(await freePort()), '9464': String(await freePort()) };
    const team = await job(oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } }));
    const at = await ComposedProcesses.at(ports, team.mission);
    const word = (role: string): string => `a-word-of-the-${role}`;
    const url = (role: string): string =>
      `redis://${prefix}-${role}:${word(role)}@127.0.0.1:${ports['6379']}`;
    const roles = ['operator', 'worker', 'runner'];
    await at.secret('redis-passwords', roles.map((role) => `${role} ${word(role)}\n`).join(''));
    for (const role of ['worker', 'runner']) await at.secret(`${role}-url`, `${url(role)}\n`);

    const written = await at.start(acl);
    expect(written.exitCode, String(written.all)).toBe(0);
    const server = at.start(redis);
    await until(() => at.isHealthy(redis), { ms: 60_000, what: 'the server is well' });
    const serving = at.start(worker);
    await wellOrEnded(at, worker, serving);

    const env = { BNERD_REDIS_URL: url('operator'), BNERD_REDIS_PREFIX: prefix, BNERD_LEASE: '2s' };
    const run = await team.run(['--auto-approve', 'all', '--id', 'one', '--no-worker'], { env });
    expect(run.exit, run.stderr).toBe(0);
    expect(await team.bnerd(['doctor'], { env })).toMatchObject({
      stdout: expect.stringMatching(/^ok {7}redis-tenant: .*-operator/m),
    });

    serving.kill('SIGTERM');
    expect(await serving).toMatchObject({ exitCode: 0 });
    expect(await at.isHealthy(worker)).toBe(false);

    const running = at.start(runner);
    await wellOrEnded(at, runner, running);
    const runners = JSON.parse((await team.bnerd(['runners', '--json'], { env })).stdout);
    expect(runners.runners).toHaveLength(1);
    running.kill('SIGTERM');
    expect(await running).toMatchObject({ exitCode: 0 });

    server.kill('SIGTERM');
    expect(await server).toMatchObject({ exitCode: 0 });
    expect(await at.isHealthy(redis)).toBe(false);
  });
});

/** Waits until the check of a service is content; rejects with what its process has said when that ends before. */
async function wellOrEnded(
  at: ComposedProcesses,
  service: Service,
  running: ReturnType<ComposedProcesses['start']>,
): Promise<void> {
  const ended = running.then(({ all }) => {
    throw new Error(`it has ended: ${all}`);
  });
  ended.catch(() => undefined); // It ends one day, when nobody waits for this any more.
  await Promise.race([until(() => at.isHealthy(service), { ms: 60_000, what: 'it is well' }), ended]);
}
