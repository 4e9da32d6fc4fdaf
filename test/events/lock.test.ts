import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  acquireLock,
  describeHolder,
  inspectLock,
  type LockAttempt,
  type LockOptions,
  type TeamLock,
} from '../../src/events/lock.js';
import { lockFileOf } from '../../src/events/lock-file.js';
import { systemClock } from '../../src/shared/clock.js';
import { jsonLine } from '../../src/shared/jsonl.js';
import { lookAtProcess, type ProcessIdentity, processIdentity } from '../../src/shared/process-identity.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

const SINCE = '2026-01-02T03:04:05.678Z';
const self = await processIdentity();

async function take(root: string, options: Partial<LockOptions> = {}): Promise<LockAttempt> {
  const attempt = await acquireLock(root, { identity: self, clock: systemClock, mode: 'create', ...options });
  if (attempt.kind === 'acquired') onTestFinished(() => attempt.lock.release());
  return attempt;
}

async function taken(root: string, options: Partial<LockOptions> = {}): Promise<TeamLock> {
  const attempt = await take(root, options);
  if (attempt.kind === 'held') throw new Error(`held by ${describeHolder(attempt.holder)}`);
  return attempt.lock;
}

/** A team locked by somebody else: this process's identity with differences. */
async function lockedBy(difference: Partial<ProcessIdentity>): Promise<string> {
  const root = join(await tempDir('lock'), 'run-a');
  await mkdir(join(root, 'lock'), { recursive: true });
  const file = lockFileOf({ ...self, host: 'build-7', ...difference }, SINCE);
  await writeFile(join(root, 'lock', '1.json'), jsonLine(file));
  await utimes(join(root, 'lock', '1.json'), 1_767_323_100, 1_767_323_100);
  return root;
}

/** A live process that is not this one. */
async function sleeper(): Promise<{ pid: number; startedAt: string }> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const look = await lookAtProcess(pid);
  return { pid, startedAt: look.kind === 'running' ? look.startedAt : '' };
}

test('one holder at a time; the next gets it after the release', async () => {
  const root = join(await tempDir('lock'), 'run-a');
  const lock = await taken(root);
  const second = await take(root);
  expect(second).toMatchObject({ kind: 'held', verdict: 'alive', holder: { pid: process.pid } });
  await lock.release();
  await lock.release();
  expect(await inspectLock(root, { identity: self })).toEqual({ kind: 'free' });
  const third = await take(root);
  expect(third.kind).toBe('acquired');
  expect(third).not.toHaveProperty('follows');
});

test('of many takers in one process exactly one gets it, round after round', async () => {
  const root = join(await tempDir('lock'), 'run-a');
  for (let round = 0; round < 5; round++) {
    const attempts = await Promise.all(Array.from({ length: 12 }, () => take(root)));
    const holders = attempts.filter((attempt) => attempt.kind === 'acquired');
    expect(holders).toHaveLength(1);
    for (const { lock } of holders) await lock.release();
  }
});

test('Q46 a forged lock with a recycled pid is taken over', async () => {
  const { pid } = await sleeper();
  const root = await lockedBy({ pid, startedAt: '1' });
  expect(await inspectLock(root, { identity: self })).toMatchObject({ kind: 'held', verdict: 'dead' });
  const attempt = await take(root);
  expect(attempt).toMatchObject({ kind: 'acquired', follows: { how: 'dead', holder: { pid } } });
});

test('Q46 a live holder is named with its last heartbeat, and no operator takes from it', async () => {
  const root = await lockedBy(await sleeper());
  for (const takeOver of [false, true]) {
    const attempt = await take(root, { takeOver });
    expect(attempt).toMatchObject({ kind: 'held', verdict: 'alive' });
    if (attempt.kind === 'held') {
      expect(describeHolder(attempt.holder)).toMatch(
        /^pid \d+ on build-7, since 2026-01-02T03:04:05\.678Z, last heartbeat 2026-01-02T03:05:00\.000Z$/,
      );
    }
  }
});

test('F131 a lock of a dead owner blocks no name: it is told who that was', async () => {
  const child = spawn('true', { stdio: 'ignore' });
  await once(child, 'exit');
  const root = await lockedBy({ pid: child.pid ?? 0 });
  // Right: detects dead owner (boot id+pid)
  expect(await inspectLock(root, { identity: self })).toMatchObject({ kind: 'held', verdict: 'dead' });
  // Right: offers resume/replace
  expect(await take(root)).toMatchObject({ kind: 'acquired', follows: { how: 'dead' } });
});

test('F131 a lock of another boot of this machine is taken over', async () => {
  const root = await lockedBy({ ...(await sleeper()), bootId: 'another-boot' });
  expect(await take(root)).toMatchObject({ kind: 'acquired', follows: { how: 'dead' } });
});

test.each<[string, Partial<ProcessIdentity>]>([
  ['another namespace', { pidNamespace: 'pid:[1]' }],
  ['another machine', { machineId: 'other', bootId: 'other' }],
])(
  'a lock of %s is unknown: only the operator takes it over, whatever its age',
  async (_what, difference) => {
    const root = await lockedBy(difference);
    expect(await take(root)).toMatchObject({ kind: 'held', verdict: 'unknown', holder: { host: 'build-7' } });
    const attempt = await take(root, { takeOver: true });
    expect(attempt).toMatchObject({
      kind: 'acquired',
      follows: { how: 'taken-over', holder: { host: 'build-7' } },
    });
  },
);

test('a lock that cannot be understood is somebody unknown', async () => {
  for (const text of ['', '{"v":1', '{"v":2,"pid":1}']) {
    const root = await lockedBy({});
    await writeFile(join(root, 'lock', '1.json'), text);
    const attempt = await take(root);
    expect(attempt).toMatchObject({ kind: 'held', verdict: 'unknown', holder: { pid: undefined } });
    if (attempt.kind === 'held') expect(describeHolder(attempt.holder)).toMatch(/^an unreadable lock, last /);
    expect((await take(root, { takeOver: true })).kind).toBe('acquired');
  }
});

test('the lock says where the control socket listens, until it is given free', async () => {
  const root = join(await tempDir('lock'), 'run-a');
  const lock = await taken(root);
  await lock.announce({ socket: '/tmp/bnerd-1/s' });
  expect(await inspectLock(root, { identity: self })).toMatchObject({ holder: { socket: '/tmp/bnerd-1/s' } });
  await Promise.all([lock.release(), lock.announce({ socket: '/tmp/too-late' })]);
  await lock.announce({ socket: '/tmp/too-late' });
  expect(await inspectLock(root, { identity: self })).toEqual({ kind: 'free' });
});

test('a holder shows at every beat that it lives', async () => {
  const root = join(await tempDir('lock'), 'run-a');
  let wall = Date.UTC(2030, 0, 1);
  const clock = { wallMs: () => wall };
  await taken(root, { clock, heartbeatMs: 5 });
  const beat = (): Promise<boolean> =>
    inspectLock(root, { identity: self }).then(
      (state) => state.kind === 'held' && state.holder.heartbeat === new Date(wall).toISOString(),
    );
  await until(beat, { what: 'the lock has a beat of 2030' });
  wall = Date.UTC(2031, 0, 1);
  await until(beat, { what: 'the lock has a beat of 2031' });
});

test('the timer of the beat ends with the lock', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const lock = await taken(join(await tempDir('lock'), 'run-a'));
  expect(vi.getTimerCount()).toBe(1);
  await lock.release();
  expect(vi.getTimerCount()).toBe(0);
});

test('who was taken over learns it at the next beat, and touches the lock no more', async () => {
  const root = join(await tempDir('lock'), 'run-a');
  // It runs in another container; here it is seen as unknown.
  const lock = await taken(root, { identity: { ...self, pidNamespace: 'pid:[1]' }, heartbeatMs: 5 });
  const rival = await take(root, { takeOver: true });
  expect(rival).toMatchObject({ kind: 'acquired', follows: { how: 'taken-over' } });
  await until(() => lock.lost.aborted, { what: 'the old holder knows' });
  expect(lock.lost.reason).toMatchObject({ code: 'lock-lost' });
  await lock.release();
  expect(await inspectLock(root, { identity: self })).toMatchObject({ kind: 'held', verdict: 'alive' });
});

test('an old holder that releases late does not free the team of the new one', async () => {
  const root = join(await tempDir('lock'), 'run-a');
  const lock = await taken(root, { identity: { ...self, pidNamespace: 'pid:[1]' } });
  await take(root, { takeOver: true });
  await lock.release();
  expect(await take(root)).toMatchObject({ kind: 'held', verdict: 'alive' });
});

test('files of old locks are pruned, the highest never, and nothing half written stays', async () => {
  const root = join(await tempDir('lock'), 'run-a');
  for (let round = 0; round < 30; round++) await (await taken(root)).release();
  const names = (await readdir(join(root, 'lock'))).map((name) => Number.parseInt(name, 10));
  expect(names.sort((one, other) => one - other)).toEqual(
    Array.from({ length: 17 }, (_, place) => place + 14),
  );
  expect(JSON.parse(await readFile(join(root, 'lock', '30.json'), 'utf8'))).toMatchObject({ released: true });
});

test('where there is no team, opening says so and makes nothing', async () => {
  const parent = await tempDir('lock');
  await expect(take(join(parent, 'run-x'), { mode: 'open' })).rejects.toMatchObject({ code: 'no-team' });
  expect(await inspectLock(join(parent, 'run-x'), { identity: self })).toEqual({ kind: 'free' });
  expect(await readdir(parent)).toEqual([]);
});
