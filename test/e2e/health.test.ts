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
import { OnRedis } from './on-redis.js';

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
