// Whoever watches over a process may ask how it is: it is well when it makes progress (spec/engine.md §3, spec/runner.md §5).
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { FAMILIES } from '../../../src/runtime/operations/families.js';
import { type HealthPlace, serveHealth } from '../../../src/runtime/operations/health.js';
import { Meters } from '../../../src/shared/meters.js';

async function healthOf(given: Partial<HealthPlace> = {}) {
  const meters = new Meters(FAMILIES);
  const place = { host: '127.0.0.1', port: 0, withinMs: 1_000, progress: () => [], meters, ...given };
  const health = await serveHealth(place);
  onTestFinished(() => health.close());
  const ask = (path: string, init?: RequestInit) => fetch(`${health.address}${path}`, init);
  return { health, meters, ask };
}

test.each([
  [[], 200, []],
  [[{ what: 'queue', silentMs: 1_000 }], 200, []],
  [
    [
      { what: 'queue', silentMs: 12 },
      { what: 'look', silentMs: 1_600 },
    ],
    503,
    ['look: nothing for 1.6 s, allowed are 1 s'],
  ],
])('%j: %i, %j', async (progress, status, reasons) => {
  const { ask } = await healthOf({ progress: () => progress });
  const answer = await ask('/healthz');
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ ok: status === 200, within_seconds: 1, reasons });
});

test('meters are told as Prometheus reads them', async () => {
  const { ask, meters } = await healthOf();
  meters.add('bnerd_turns_started_total');
  const answer = await ask('/metrics');
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await answer.text();
  expect(text).toContain('\nbnerd_turns_started_total 1\n');
  for (const line of text.trimEnd().split('\n'))
    expect(line).toMatch(
      /^(# (HELP|TYPE) bnerd_[a-z_]+ .+|bnerd_[a-z_]+(\{[a-z]+="[^"]*"(,le="[^"]*")?\})? [\d.e+-]+)$/,
    );
});

test('only looking is possible, and only at the two', async () => {
  const { ask } = await healthOf();
  expect((await ask('/healthz', { method: 'HEAD' })).status).toBe(200);
  expect((await ask('/healthz', { method: 'POST', body: 'x' })).status).toBe(405);
  expect((await ask('/')).status).toBe(404);
  expect((await ask('/healthz?x=1')).status).toBe(200);
});

test('an address that somebody has is refused with what to do', async () => {
  const { health } = await healthOf();
  const port = Number(new URL(health.address).port);
  await expect(healthOf({ port })).rejects.toMatchObject({
    code: 'health-address',
    message: expect.stringMatching(/EADDRINUSE.*name another with --health/),
  });
});

test('who is connected and says nothing keeps nobody from closing', async () => {
  const { health } = await healthOf();
  const socket = connect(Number(new URL(health.address).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await health.close();
  await closed;
});
