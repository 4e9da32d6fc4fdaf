// A worker that is asked how it is: well with progress, not with a ping; what it counts; nothing is left of it (spec/engine.md
// §3, spec/runner.md §5).
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import type { RunningBnerd } from '../helpers/bnerd.js';
import {
  describePrivateRedis,
  describeRedis,
  privateRedis,
  redisAt,
  redisForTests,
} from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis, WAITING } from './on-redis.js';

const mission = () => oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } });

const HEALTH = ['--health', '127.0.0.1:0'];

async function addressOf(worker: RunningBnerd): Promise<string> {
  const pattern = /says how it is at (http:\/\/127\.0\.0\.1:\d+)\/healthz/;
  await worker.says(pattern);
  return pattern.exec(worker.stderr())?.[1] ?? '';
}

async function statusOf(address: string): Promise<number> {
  const answer = await fetch(`${address}/healthz`);
  await answer.text();
  return answer.status;
}

async function meter(address: string, line: RegExp): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text();
  return Number(line.exec(text)?.[1]);
}

describeRedis('a worker that may be asked', () => {
  const redis = redisForTests();

  test('counts its turns, its jobs and what it has recorded, and names no team', async () => {
    const at = new OnRedis(await job(mission()), redis());
    const worker = await at.worker(HEALTH);
    const address = await addressOf(worker);
    expect((await (await at.run(['--no-worker'])).ended).exit).toBe(0);
    const started = (await at.of('turn.started')).length;
    await until(async () => (await meter(address, /^bnerd_jobs_total\{end="done"\} (\d+)$/m)) >= started, {
      what: 'its jobs are over',
    });
    expect(await statusOf(address)).toBe(200);
    const text = await (await fetch(`${address}/metrics`)).text();
    expect(text).toContain(`\nbnerd_turns_started_total ${started}\n`);
    expect(text).toMatch(/^bnerd_turns_running 0$/m);
    expect(text).toMatch(/^bnerd_appends_total [1-9]/m);
    expect(text).toMatch(/^bnerd_append_seconds_count [1-9]/m);
    expect(text).not.toMatch(/"(one|lead|worker)"/);
    // Who keeps a connection open does not keep it from ending.
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await new Promise((resolve) => socket.once('connect', resolve));
    worker.signal('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
    await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  });

  test('is not started where its address is taken', async () => {
    const at = new OnRedis(await job(mission()), redis());
    const { port } = new URL(await addressOf(await at.worker(HEALTH)));
    const second = await at.at.startBnerd(['worker', '--health', `127.0.0.1:${port}`], { env: at.env });
    const { exit, stderr } = await second.ended;
    expect(exit).toBe(1);
    expect(stderr).toContain('health-address');
  });
});

describeRedis('a run that may be asked', () => {
  const redis = redisForTests();

  test('that only coordinates: well while nobody takes its turns, which are counted as due', async () => {
    const at = new OnRedis(await job(mission()), redis());
    const coordinator = await at.run(['--no-worker', ...HEALTH]);
    const address = await addressOf(coordinator);
    await until(async () => (await meter(address, /^bnerd_run_turns_due (\d+)$/m)) > 0, {
      ms: 60_000,
      what: 'a turn is due',
    });
    expect(await (await fetch(`${address}/healthz`)).json()).toMatchObject({
      ok: true,
      silent_seconds: { coordination: expect.any(Number) },
    });
    expect(await meter(address, /^bnerd_turns_started_total (\d+)$/m)).toBe(0);
    await at.worker();
    expect((await coordinator.ended).exit).toBe(0);
    await expect(fetch(`${address}/healthz`)).rejects.toThrow();
  });

  test('that takes its turns too: what it does as a worker is looked at as well', async () => {
    const at = new OnRedis(await job(WAITING), redis());
    const run = await at.run(HEALTH);
    const address = await addressOf(run);
    await at.fact('tool.started');
    const said = (await (await fetch(`${address}/healthz`)).json()) as { silent_seconds: object };
    expect(Object.keys(said.silent_seconds).sort()).toEqual(['coordination', 'look', 'queue']);
    expect(await meter(address, /^bnerd_turns_running (\d+)$/m)).toBe(1);
    await at.write('go');
    expect((await run.ended).exit).toBe(0);
  });

  test('a team in files is well as long as it answers; it is not started where its address is taken', async () => {
    const at = new OnRedis(await job(mission()), redis());
    const { port } = new URL(await addressOf(await at.worker(HEALTH)));
    const taken = await at.at.start(['--health', `127.0.0.1:${port}`]);
    const { exit, stderr } = await taken.ended;
    expect(exit).toBe(2);
    expect(stderr).toContain('health-address');
    const run = await at.at.start(['--auto-approve', 'all', ...HEALTH]);
    expect(await statusOf(await addressOf(run))).toBe(200);
    expect((await run.ended).exit).toBe(0);
  });
});

describePrivateRedis('a run whose server does not answer', () => {
  test('that only coordinates is not well from a lease on, and well again with its server', async () => {
    const server = await privateRedis();
    const at = new OnRedis(await job(mission()), redisAt(server.url));
    const coordinator = await at.run(['--no-worker', ...HEALTH]);
    const address = await addressOf(coordinator);
    await at.fact('run.started');
    expect(await statusOf(address)).toBe(200);
    server.freeze();
    try {
      await until(async () => (await statusOf(address)) === 503, { ms: 60_000, what: 'it is not well' });
      const said = await (await fetch(`${address}/healthz`)).json();
      expect(said).toMatchObject({
        ok: false,
        reasons: [expect.stringMatching(/^coordination: nothing for /)],
      });
    } finally {
      server.thaw();
    }
    await until(async () => (await statusOf(address)) === 200, { ms: 60_000, what: 'it is well again' });
    expect(await meter(address, /^bnerd_redis_outages_total (\d+)$/m)).toBeGreaterThan(0);
    await at.worker();
    expect((await coordinator.ended).exit).toBe(0);
  });
});

describePrivateRedis('a worker whose server does not answer', () => {
  test('is not well from a lease on, says what has stopped, and is well again with its server', async () => {
    const server = await privateRedis();
    const at = new OnRedis(await job(mission()), redisAt(server.url));
    const worker = await at.worker(HEALTH);
    const address = await addressOf(worker);
    expect(await statusOf(address)).toBe(200);
    await server.kill();
    await until(async () => (await statusOf(address)) === 503, { ms: 60_000, what: 'it is not well' });
    const said = await (await fetch(`${address}/healthz`)).json();
    expect(said).toMatchObject({
      ok: false,
      reasons: expect.arrayContaining([expect.stringMatching(/^look: /)]),
    });
    await server.start();
    await until(async () => (await statusOf(address)) === 200, { ms: 60_000, what: 'it is well again' });
    expect(await meter(address, /^bnerd_redis_outages_total (\d+)$/m)).toBe(1);
  });

  test('a server that stands still is noticed too, and the worker ends when it is told to', async () => {
    const server = await privateRedis();
    const at = new OnRedis(await job(mission()), redisAt(server.url));
    const worker = await at.worker([...HEALTH, '--grace', '1s']);
    const address = await addressOf(worker);
    server.freeze();
    try {
      await until(async () => (await statusOf(address)) === 503, { ms: 60_000, what: 'it is not well' });
      worker.signal('SIGTERM');
      expect((await worker.ended).exit).toBe(0);
      await expect(fetch(`${address}/healthz`)).rejects.toThrow();
    } finally {
      server.thaw();
    }
  });
});
