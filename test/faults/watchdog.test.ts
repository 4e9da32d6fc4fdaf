// The watchdog is a program of its own, so what is tried here is the built one.

import { execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { Watchdog } from '../../src/delegate/watch/guard.js';
import { KILL_LADDER } from '../../src/shared/process-ending.js';
import { systemProcessTable } from '../../src/shared/process-table.js';
import { ProcessGroups } from '../../src/shared/processes.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

const DIST = join(import.meta.dirname, '../../dist');
const WATCHDOG = join(DIST, 'delegate/watch/watchdog.js');
const PROGRAM = join(import.meta.dirname, '../fixtures/runners/engineer.mjs');
const table = systemProcessTable();

const alive = async (pids: readonly number[]): Promise<number[]> => {
  const rows = await table.rows();
  return pids.filter((pid) => rows.some((row) => row.pid === pid));
};

const pidsIn = (file: string, count: number): Promise<number[]> =>
  until(
    async () => {
      const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
      return lines.length >= count ? lines.map(Number) : null;
    },
    { what: `${count} pids in ${file}` },
  );

/** A runner of an engineer that forks, as a process of its own: it names engineer and watchdog, then waits. */
const RUNNER = `
import { appendFileSync } from 'node:fs';
import { ProcessGroups } from ${JSON.stringify(join(DIST, 'shared/processes.js'))};
import { Watchdog } from ${JSON.stringify(join(DIST, 'delegate/watch/guard.js'))};
const [root] = process.argv.slice(1);
const guard = new Watchdog();
const groups = new ProcessGroups({ folder: root + '/groups', guard });
const spec = { program: process.execPath, args: [${JSON.stringify(PROGRAM)}, 'fork=' + root + '/family', 'hang'], cwd: root, env: { PATH: '/usr/bin:/bin' } };
const { group } = await groups.start(spec);
group.output.resume();
appendFileSync(root + '/pids', group.id + '\\n' + guard.pid + '\\n');
let told = guard.pid;
setInterval(() => {
  if (guard.pid === told || guard.pid === undefined) return;
  told = guard.pid;
  appendFileSync(root + '/pids', told + '\\n');
}, 20);
`;

async function runner(): Promise<{
  root: string;
  runner: number;
  engineer: number;
  watchdog: number;
  family: number[];
}> {
  const root = await tempDir();
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUNNER, root], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [engineer = 0, watchdog = 0] = await pidsIn(join(root, 'pids'), 2);
  return { root, runner: child.pid ?? 0, engineer, watchdog, family: await pidsIn(join(root, 'family'), 2) };
}

const gone = (pids: readonly number[]): Promise<boolean> =>
  until(async () => (await alive(pids)).length === 0, { what: `nothing of ${pids.join(', ')} is left` });

test('kill -9 of the runner: its engineer, children and grandchildren in groups of their own are ended, then the watchdog goes', async () => {
  const { runner: pid, engineer, watchdog, family } = await runner();
  expect(await alive([engineer, watchdog, ...family])).toHaveLength(4);
  process.kill(pid, 'SIGKILL');
  await gone([engineer, watchdog, ...family]);
});

test('kill -9 of the watchdog: another takes its place and knows what runs', async () => {
  const { root, runner: pid, engineer, watchdog, family } = await runner();
  process.kill(watchdog, 'SIGKILL');
  const [, , next = 0] = await pidsIn(join(root, 'pids'), 3);
  expect(await alive([engineer, next, ...family])).toHaveLength(4);
  process.kill(pid, 'SIGKILL');
  await gone([engineer, next, ...family]);
});

test('an engineer that has ended is guarded no more', async () => {
  const root = await tempDir();
  const guard = new Watchdog(WATCHDOG);
  const groups = new ProcessGroups({ folder: null, guard });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
    guard.close();
  });
  const spec = { program: 'true', args: [], cwd: root, env: { PATH: '/usr/bin:/bin' } };
  const start = await groups.start(spec);
  if (start.kind === 'failed') throw new Error(start.reason);
  start.group.output.resume();
  await start.group.exited;
  await start.group.end(KILL_LADDER);
  const { pid } = guard;
  guard.close();
  await gone([pid ?? 0]);
});

test('where no watchdog can be had nothing is started', async () => {
  const root = await tempDir();
  const guard = new Watchdog(join(root, 'none.js'));
  const groups = new ProcessGroups({ folder: null, guard });
  const start = async () =>
    groups.start({ program: 'touch', args: ['ran'], cwd: root, env: { PATH: '/usr/bin:/bin' } });
  const starts = await until(
    async () => {
      const made = await start();
      if (made.kind === 'started') await made.group.end(KILL_LADDER);
      return made.kind === 'failed' ? made.reason : null;
    },
    { what: 'a start is refused' },
  );
  expect(starts).toMatch(/watchdog/);
});

test('200 MB of output grow the memory of its runner by no more than 20 MB', async () => {
  const measure = async (deed: string): Promise<number> => {
    const root = await tempDir();
    const script = `
import { runEngineer } from ${JSON.stringify(join(DIST, 'delegate/engineers/run-engineer.js'))};
import { command } from ${JSON.stringify(join(DIST, 'delegate/engineers/command.js'))};
import { ProcessGroups } from ${JSON.stringify(join(DIST, 'shared/processes.js'))};
import { systemClock as clock } from ${JSON.stringify(join(DIST, 'shared/clock.js'))};
import { NO_SECRETS as secrets } from ${JSON.stringify(join(DIST, 'shared/secrets/redactor.js'))};
const [root, deed] = process.argv.slice(1);
const settings = { path: process.execPath, args: [${JSON.stringify(PROGRAM)}, deed], env: {}, projectSettings: false, mayBeFull: false };
const order = { prompt: 'x', safety: 'full', deny: [], model: null, costUsd: null, turns: null, tree: root, directory: root, home: root + '/home', settings };
const house = { groups: new ProcessGroups({ folder: null }), environment: { PATH: process.env.PATH }, wrap: [], clock, secrets };
const bounds = { signal: new AbortController().signal, wallMs: 100000, graceMs: 100, announceMs: 100000, stalledMs: 100000, lingerMs: 100000, outputBytes: 1e9 };
const seen = await runEngineer(command, order, root + '/transcript', house, bounds, { event() {} });
console.log(JSON.stringify({ kind: seen.run.kind, kb: process.resourceUsage().maxRSS }));
`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-semi-space-size=1',
      '--input-type=module',
      '-e',
      script,
      root,
      deed,
    ]);
    const { kind, kb } = JSON.parse(stdout) as { kind: string; kb: number };
    expect(kind).toBe('ended');
    return kb;
  };
  const [small, large] = [await measure('flood=2'), await measure('flood=200')];
  expect((large - small) / 1024).toBeLessThanOrEqual(20);
});
