import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { gentleLadder, interruptLadder, KILL_LADDER } from '../../src/shared/process-ending.js';
import { systemProcessSource } from '../../src/shared/process-identity.js';
import { systemProcessTable } from '../../src/shared/process-table.js';
import type { ProcessGroup } from '../../src/shared/processes.js';
import { ProcessGroups } from '../../src/shared/processes.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

const table = systemProcessTable();
const PATH = process.env['PATH'] ?? '/usr/bin:/bin';

async function groupsIn(folder: string | null): Promise<ProcessGroups> {
  const groups = new ProcessGroups({ folder });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
  });
  return groups;
}

async function sh(groups: ProcessGroups, script: string, cwd: string): Promise<ProcessGroup> {
  const env = { PATH, BNERD_TEAM: 'run-test' };
  const start = await groups.start({ program: '/bin/sh', args: ['-c', script], cwd, env });
  if (start.kind === 'failed') throw new Error(start.reason);
  return start.group;
}

async function text(group: ProcessGroup): Promise<string> {
  let all = '';
  for await (const chunk of group.output) all += String(chunk);
  return all;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const inGroup = async (id: number): Promise<number[]> =>
  (await table.rows()).filter((row) => row.group === id).map((row) => row.pid);

const isAlive = async (pid: number): Promise<boolean> => (await table.rows()).some((row) => row.pid === pid);

async function pidIn(file: string): Promise<number> {
  return until(async () => Number(await readFile(file, 'utf8').catch(() => '')) || null, {
    what: `${file} holds a process number`,
  });
}

test('a group that cannot be written down is not run, and the error of the system is told', async () => {
  const cwd = await tempDir();
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  const guard = { guards: () => Promise.reject(full), ended: () => {} };
  const groups = new ProcessGroups({ folder: null, guard });
  const spec = { program: '/bin/sh', args: ['-c', 'touch ran'], cwd, env: { PATH } };
  expect(await groups.start(spec)).toMatchObject({ kind: 'failed', error: full });
  expect(await exists(join(cwd, 'ran'))).toBe(false);
});

test('a program is given its input whole, and its end; without one it finds the end at once', async () => {
  const cwd = await tempDir();
  const groups = await groupsIn(null);
  const spec = { program: 'wc', args: ['-c'], cwd, env: { PATH } };
  for (const [input, bytes] of [
    [undefined, '0'],
    ['', '0'],
    ['ü'.repeat(200_000), '400000'],
  ] as const) {
    const start = await groups.start(input === undefined ? spec : { ...spec, input });
    if (start.kind === 'failed') throw new Error(start.reason);
    expect((await text(start.group)).trim()).toBe(bytes);
    await start.group.end(KILL_LADDER);
  }
});

test('a program gets its arguments as they are, its environment and nothing else, and one output stream', async () => {
  const cwd = await tempDir();
  const groups = await groupsIn(null);
  const start = await groups.start({
    program: '/bin/sh',
    args: [
      '-c',
      'printf "%s|" "$@"; echo err >&2; env | cut -d= -f1 | sort | tr "\\n" ","',
      'sh',
      'a b',
      '$(x)',
      "'",
    ],
    cwd,
    env: { PATH, ONLY: '1' },
  });
  if (start.kind === 'failed') throw new Error(start.reason);
  expect(await text(start.group)).toBe("a b|$(x)|'|err\nBNERD_GROUP,ONLY,PATH,PWD,");
  expect(await start.group.exited).toEqual({ kind: 'exited', code: 0 });
  expect(await start.group.end(KILL_LADDER)).toEqual({ found: 0, signal: null, left: [] });
  expect(groups.live).toEqual([]);
});

test('a missing program and a missing directory are outcomes, not exceptions', async () => {
  const cwd = await tempDir();
  const groups = await groupsIn(null);
  const start = await groups.start({ program: 'no-such-program', args: [], cwd, env: { PATH } });
  if (start.kind === 'failed') throw new Error(start.reason);
  expect(await text(start.group)).toMatch(/not found/);
  expect(await start.group.exited).toEqual({ kind: 'exited', code: 127 });
  const nowhere = await groups.start({ program: 'true', args: [], cwd: join(cwd, 'gone'), env: { PATH } });
  expect(nowhere).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('does the directory exist?'),
  });
});

test('the record is on disk before the work starts, names group, start, boot and owner, and goes after the end', async () => {
  const cwd = await tempDir();
  const folder = join(cwd, 'processes');
  const groups = await groupsIn(folder);
  // The work itself looks for its record: it must be there already.
  const group = await sh(groups, `cat processes/$$.json; exec sleep 60`, cwd);
  const first = await new Promise<string>((resolve) => {
    group.output.once('data', (chunk) => resolve(String(chunk)));
  });
  const row = (await table.rows()).find((each) => each.pid === group.id);
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  expect(JSON.parse(first)).toMatchObject({
    v: 1,
    leader: { pid: group.id, startedAt: row?.startedAt, bootId: boot },
    owner: { pid: process.pid },
    marker: expect.stringMatching(/^BNERD_GROUP=[0-9a-f]{24}$/),
  });
  expect(await readdir(folder)).toEqual([`${group.id}.json`]);
  await group.end(KILL_LADDER);
  expect(await readdir(folder)).toEqual([]);
});

test('when the record cannot be written the work does not start', async () => {
  const cwd = await tempDir();
  const groups = await groupsIn('/dev/null/processes');
  const start = await groups.start({ program: 'touch', args: ['ran'], cwd, env: { PATH } });
  expect(start).toMatchObject({ kind: 'failed', reason: expect.stringContaining('record') });
  expect(await exists(join(cwd, 'ran'))).toBe(false);
  expect(groups.live).toEqual([]);
});

test('Q38 the exit is known though a background grandchild holds the output, and the end finds the grandchild', async () => {
  const cwd = await tempDir();
  const groups = await groupsIn(null);
  const group = await sh(groups, 'sleep 60 & echo $! > pid; exit 3', cwd);
  group.output.resume();
  expect(await group.exited).toEqual({ kind: 'exited', code: 3 });
  const grandchild = await pidIn(join(cwd, 'pid'));
  expect(await isAlive(grandchild)).toBe(true);
  expect(await group.end(gentleLadder(5_000))).toEqual({ found: 1, signal: 'SIGTERM', left: [] });
  expect(await isAlive(grandchild)).toBe(false);
});

test('Q40 the ladder goes INT, TERM, KILL, each only when the one before did not do', async () => {
  const cwd = await tempDir();
  const groups = await groupsIn(null);
  const rows = [
    { script: 'exec sleep 60', signal: 'SIGINT' },
    { script: "trap '' INT; echo ready; while :; do sleep 0.05; done", signal: 'SIGTERM' },
    { script: "trap '' INT TERM; echo ready; while :; do sleep 0.05; done", signal: 'SIGKILL' },
  ];
  for (const { script, signal } of rows) {
    const group = await sh(groups, script, cwd);
    if (script.includes('ready')) await new Promise((resolve) => group.output.once('data', resolve));
    else await until(async () => (await inGroup(group.id)).length > 0, { what: 'the program runs' });
    const ending = await group.end(interruptLadder(300));
    expect(ending).toMatchObject({ signal, left: [] });
    expect(await inGroup(group.id)).toEqual([]);
  }
});

test('Q41, G163 nothing is left by group, by tree or by marker, also of grandchildren in sessions of their own', async () => {
  const cwd = await tempDir();
  const groups = await groupsIn(null);
  // One stays in the group, one leaves the group, one leaves it and loses its parent, one ignores TERM.
  const group = await sh(
    groups,
    [
      'sleep 60 & echo $! > stays',
      "setsid sh -c 'echo $$ > leaves; exec sleep 60' &",
      "setsid sh -c 'sleep 60 & echo $! > orphan'",
      `setsid sh -c "trap '' TERM; echo \\$\\$ > stubborn; while :; do sleep 0.1; done" &`,
      'wait',
    ].join('\n'),
    cwd,
  );
  group.output.resume();
  const names = ['stays', 'leaves', 'orphan', 'stubborn'];
  const pids = await Promise.all(names.map((name) => pidIn(join(cwd, name))));
  const ending = await group.end(gentleLadder(200));
  expect(ending.signal).toBe('SIGKILL');
  expect(ending.left).toEqual([]);
  const rows = await table.rows();
  expect(rows.filter((row) => row.group === group.id)).toEqual([]);
  expect(rows.filter((row) => pids.includes(row.pid))).toEqual([]);
});

test('G155 one stop is graceful within the grace, a second kills at once, and no group is left', async () => {
  const cwd = await tempDir();
  const groups = await groupsIn(null);
  // The child says that it is ready: a shell that has just forked may lose a TERM before it is the sleep.
  const polite = await sh(
    groups,
    "trap 'echo bye > bye; exit 0' TERM; (echo ready; exec sleep 60) & wait",
    cwd,
  );
  await new Promise((resolve) => polite.output.once('data', resolve));
  const [graceful] = await groups.endAll(gentleLadder(5_000));
  expect(graceful).toMatchObject({ signal: 'SIGTERM', left: [] });
  expect(await exists(join(cwd, 'bye'))).toBe(true);

  const deaf = await sh(groups, "trap 'echo term' TERM; echo ready; while :; do sleep 0.05; done", cwd);
  await new Promise((resolve) => deaf.output.once('data', resolve));
  const first = groups.endAll(gentleLadder(60_000)); // would wait a minute for what outlives TERM
  await new Promise((resolve) => deaf.output.once('data', resolve));
  groups.killAll();
  expect(await first).toMatchObject([{ signal: 'SIGTERM', left: [] }]);
  expect(await deaf.exited).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  expect(await inGroup(polite.id)).toEqual([]);
  expect(await inGroup(deaf.id)).toEqual([]);
  expect(groups.live).toEqual([]);
});

test('B31 a start that hangs fails in time with a reason, and what comes late is killed, not adopted', async () => {
  const folder = await tempDir();
  const system = systemProcessSource();
  let goOn = (): void => {};
  const hang = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const asked: number[] = [];
  const source = {
    ...system,
    // The look into the process table hangs, as it does when the file system behind it does.
    text: async (path: string) => {
      const pid = /^\/proc\/(\d+)\/stat$/.exec(path)?.[1];
      if (pid !== undefined && Number(pid) !== process.pid) {
        asked.push(Number(pid));
        await hang;
      }
      return system.text(path);
    },
  };
  const groups = new ProcessGroups({ folder: join(folder, 'processes'), source, startMs: 200 });
  const spec = { program: '/bin/sh', args: ['-c', 'echo ran > ran'], cwd: folder, env: { PATH } };
  const start = await groups.start(spec);
  expect(start).toEqual({ kind: 'failed', reason: 'it did not start within 200 ms; it was not run' });
  const [pid = 0] = asked;
  await until(async () => !(await isAlive(pid)), { what: 'the process at the gate is gone' });
  goOn();
  await until(() => groups.live.length === 0, { what: 'nothing is owned' });
  expect(await exists(join(folder, 'ran'))).toBe(false);
  expect(await readdir(join(folder, 'processes')).catch(() => [])).toEqual([]);
  // The next start is not held up by the last.
  const again = await groups.start(spec);
  if (again.kind === 'failed') throw new Error(again.reason);
  again.group.output.resume();
  expect(await again.group.exited).toEqual({ kind: 'exited', code: 0 });
  await again.group.end(KILL_LADDER);
  expect(await exists(join(folder, 'ran'))).toBe(true);
});
