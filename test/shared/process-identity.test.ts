import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import {
  liveness,
  lookAtProcess,
  type ProcessIdentity,
  type ProcessSource,
  processIdentity,
  systemProcessSource,
} from '../../src/shared/process-identity.js';
import { until } from '../helpers/until.js';

const onLinux = test.runIf(process.platform === 'linux');

const self: ProcessIdentity = {
  pid: 100,
  startedAt: '5000',
  bootId: 'boot-1',
  machineId: 'machine-1',
  pidNamespace: 'pid:[1]',
  host: 'build-1',
};

/** A Linux process table with these lines of `/proc/<pid>/stat`. */
function table(stats: Readonly<Record<number, string>>, hidden: readonly number[] = []): ProcessSource {
  return {
    pid: 100,
    platform: 'linux',
    host: 'build-1',
    text: async (path) => stats[Number(/^\/proc\/(\d+)\/stat$/.exec(path)?.[1])],
    link: async () => 'pid:[1]',
    output: async () => undefined,
    exists: (pid) => pid in stats || hidden.includes(pid),
  };
}

function stat(pid: number, startedAt: string, state = 'S', name = 'node'): string {
  return `${pid} (${name}) ${state} 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 11 0 ${startedAt} 1 2 3\n`;
}

test('this process has an identity, the same each time it asks', async () => {
  const identity = await processIdentity();
  expect(identity).toEqual(await processIdentity());
  expect(identity.pid).toBe(process.pid);
  expect(identity.startedAt).not.toBe('');
  expect(identity.bootId).not.toBe('');
  expect(identity.machineId).toMatch(/^[0-9a-f]{32}$/);
  expect(await liveness(identity, identity)).toBe('alive');
});

test('a child is alive while it runs and dead when it has ended', async () => {
  const child = sleeper();
  const look = await lookAtProcess(child.pid ?? 0);
  expect(look.kind).toBe('running');
  const mine = await processIdentity();
  const its: ProcessIdentity = {
    ...mine,
    pid: child.pid ?? 0,
    startedAt: look.kind === 'running' ? look.startedAt : '',
  };
  expect(await liveness(its, mine)).toBe('alive');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await liveness(its, mine)).toBe('dead');
});

onLinux('a zombie is gone: it holds nothing any more', async () => {
  // The shell becomes a program that never asks after the child it had.
  const child = spawn('/bin/sh', ['-c', 'true & exec sleep 60'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const zombie = await until(() => zombieOf(child.pid ?? 0), { what: 'there is a zombie' });
  expect(await lookAtProcess(zombie)).toEqual({ kind: 'gone' });
  expect(systemProcessSource().exists(zombie)).toBe(true);
});

test('same namespace and boot: the process table decides', async () => {
  const other = { ...self, pid: 200, startedAt: '7000' };
  expect(await liveness(other, self, table({ 200: stat(200, '7000') }))).toBe('alive');
  expect(await liveness(other, self, table({}))).toBe('dead');
  expect(await liveness(other, self, table({ 200: stat(200, '7000', 'Z') }))).toBe('dead');
});

test('Q46 a recycled pid is not the process that had it', async () => {
  const other = { ...self, pid: 200, startedAt: '7000' };
  expect(await liveness(other, self, table({ 200: stat(200, '9999') }))).toBe('dead');
});

test('a process whose start is hidden may be anything', async () => {
  const other = { ...self, pid: 200, startedAt: '7000' };
  expect(await liveness(other, self, table({}, [200]))).toBe('unknown');
  expect(await liveness({ ...other, startedAt: '' }, self, table({ 200: stat(200, '7000') }))).toBe(
    'unknown',
  );
});

test('same machine, other boot: dead, whatever runs under that number now', async () => {
  const other = { ...self, pid: 200, startedAt: '7000', bootId: 'boot-0' };
  expect(await liveness(other, self, table({ 200: stat(200, '7000') }))).toBe('dead');
});

test.each<[string, Partial<ProcessIdentity>]>([
  ['another namespace', { pidNamespace: 'pid:[2]' }],
  ['another machine', { machineId: 'machine-2', bootId: 'boot-9' }],
  ['a boot that is not told', { bootId: '' }],
])('%s is unknown, which is not dead', async (_what, difference) => {
  expect(await liveness({ ...self, pid: 200, ...difference }, self, table({}))).toBe('unknown');
});

test('a name with blanks and parentheses does not shift the fields', async () => {
  const source = table({ 200: stat(200, '7000', 'S', 'my ) R 1 (prog') });
  expect(await lookAtProcess(200, source)).toEqual({ kind: 'running', startedAt: '7000' });
});

test('on macOS `ps` and `sysctl` are asked, in a fixed zone', async () => {
  const asked: string[] = [];
  const source: ProcessSource = {
    ...table({}),
    platform: 'darwin',
    text: async () => undefined,
    link: async () => undefined,
    output: async (program, args) => {
      asked.push([program, ...args].join(' '));
      if (program.endsWith('sysctl')) return args.includes('kern.bootsessionuuid') ? 'B-1\n' : 'M-1\n';
      return args.includes('100') ? 'S+   Mon Jan  5 10:00:00 2026\n' : undefined;
    },
  };
  expect(await processIdentity(source)).toMatchObject({
    pid: 100,
    startedAt: 'Mon Jan 5 10:00:00 2026',
    bootId: 'B-1',
    pidNamespace: '',
  });
  expect(asked).toContain('/bin/ps -o stat=,lstart= -p 100');
  expect(await lookAtProcess(5, source)).toEqual({ kind: 'gone' });
});

test('a machine without an id of its own goes by its host name', async () => {
  const withId = (id: string | undefined, host = 'build-1'): ProcessSource => ({
    ...table({}),
    host,
    text: async (path) => (path === '/etc/machine-id' ? id : undefined),
  });
  const idOf = async (source: ProcessSource): Promise<string> => (await processIdentity(source)).machineId;
  expect(await idOf(withId('abc\n'))).toBe(await idOf(withId('abc\n', 'renamed')));
  expect(await idOf(withId('abc\n'))).not.toBe(await idOf(withId('abd\n')));
  for (const none of [undefined, '', 'uninitialized\n']) {
    expect(await idOf(withId(none))).not.toBe(await idOf(withId(none, 'renamed')));
  }
  expect(await idOf(withId('abc\n'))).not.toContain('abc');
});

function sleeper(): ChildProcess {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function zombieOf(parent: number): Promise<number | undefined> {
  for (const name of await readdir('/proc')) {
    const text = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : '';
    const [state, of] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' && Number(of) === parent) return Number(name);
  }
  return undefined;
}
