/** The frame of `npm run bench`, on a copy of it beside a program of one line. */

import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { expect, test, vi } from 'vitest';
import { tempDir } from './helpers/temp-dir.js';

// Each test starts many processes; the bound is for a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

interface Answer {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A package with the frame, without peers, and with `dist/cli.js` when its text is given, and further files. */
async function packageWith(
  cli?: string,
  files: Readonly<Record<string, string>> = {},
): Promise<(...args: string[]) => Promise<Answer>> {
  const top = await tempDir('bench');
  await cp(join(import.meta.dirname, 'bench'), join(top, 'test/bench'), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'), // Peers may be installed here.
  });
  await writeFile(join(top, 'package.json'), '{"type": "module"}');
  for (const [path, text] of Object.entries(cli === undefined ? files : { ...files, 'dist/cli.js': cli })) {
    await mkdir(dirname(join(top, path)), { recursive: true });
    await writeFile(join(top, path), text);
  }
  return async (...args) => {
    const { exitCode, stdout, stderr } = await execa(
      process.execPath,
      [join(top, 'test/bench/run.js'), ...args],
      {
        reject: false,
      },
    );
    return { exitCode, stdout, stderr };
  };
}

test('a row prints both figures, their ratio and how that stands to its goal', async () => {
  const bench = await packageWith("console.log('0.1.0');");
  const { exitCode, stdout, stderr } = await bench('cli-start', '--rounds', '2');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(
    /^Node v.*\n\ncli-start: node dist\/cli\.js --version, against node -e 0 \(2 rounds\)\n/,
  );
  expect(stdout).toMatch(
    /\n {2}ours +median [\d.]+ ms, half of them in [\d.]+–[\d.]+ ms, CPU .*\n {2}reference +median/,
  );
  expect(stdout).toMatch(
    /\n {2}ratio +[\d.]+ \(goal 1\.6, floor 2: (goal met|within the floor|floor missed)\)$/,
  );
});

test('as JSON a row is one line, and nothing else is printed', async () => {
  const bench = await packageWith("console.log('0.1.0');");
  const { stdout } = await bench('--json', 'cli-start', '--rounds', '1');
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({
    name: 'cli-start',
    rounds: 1,
    goal: 1.6,
    floor: 2,
    node: process.version,
  });
  expect(result.ratio).toBeCloseTo(result.ours.medianMs / result.theirs.medianMs);
  for (const side of [result.ours, result.theirs]) {
    expect(side.p25Ms).toBeLessThanOrEqual(side.medianMs);
    expect(side.medianMs).toBeLessThanOrEqual(side.p75Ms);
  }
});

test('without a built program it says what to do, and measures nothing', async () => {
  const bench = await packageWith();
  const { exitCode, stderr } = await bench('--rounds', '1');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^bench cli-start: .*dist\/cli\.js is not there: build it with "npm run build"$/m);
  expect(stderr).toMatch(/^bench file-log: .*dist\/events\/file-record\.js is not there/m);
  expect(stderr).toMatch(/^bench model-call: .*dist\/models\/providers\/open-provider\.js is not there/m);
});

test('without the peers a row says how they are installed', async () => {
  const bench = await packageWith(undefined, { 'dist/runtime/start-team.js': '' });
  const { exitCode, stdout, stderr } = await bench('call-one', '--json');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^bench call-one: \S+ [\d.]+ is not installed: run "npm run bench:peers"$/m);
});

/** A row whose sides work, sleep, work more and sleep: by the clock none is below another by much. */
const BY_CPU = `
import { setTimeout as delay } from 'node:timers/promises';
const side = (workMs) => ({
  async run() {
    const from = process.cpuUsage();
    const used = () => { const { user, system } = process.cpuUsage(from); return (user + system) / 1000; };
    while (used() < workMs);
    await delay(100 - workMs);
  },
});
export const row = {
  name: 'by-cpu', measures: 'work', reference: 'twice as much', judged: 'cpu', goal: 0.8, floor: null,
  rounds: 3, warmup: 0, cpu: 'self', per: { what: 'piece', perRun: 10 }, missing: () => undefined,
  ours: side(20), theirs: side(40), below: { less: side(10), more: side(60) }, beside: { same: side(20) },
};`;

test('a row that is judged by CPU time has its ratios of it, and what ours has to be below', async () => {
  const bench = await packageWith(undefined, { 'test/bench/rows/by-cpu.js': BY_CPU });
  const [line, text] = [await bench('by-cpu', '--json'), await bench('by-cpu')];
  const result = JSON.parse(line.stdout);
  const { ours, theirs, below } = result;
  expect(result).toMatchObject({ judged: 'cpu', verdict: 'goal met', per: { what: 'piece', perRun: 10 } });
  expect(result.ratio).toBe(ours.medianCpuMs / theirs.medianCpuMs);
  expect(below.map(({ name }: { name: string }) => name)).toEqual(['less', 'more']);
  for (const other of below) expect(other.ratio).toBe(ours.medianCpuMs / other.medianCpuMs);
  expect(text.stdout).toMatch(/\n {2}ratio +0\.\d+ of CPU time \(goal 0\.8: goal met\)\n/);
  expect(text.stdout).toMatch(
    /\n {2}below +less: .*, \d+ µs of it a piece, .* of CPU time \(goal below 1: missed\)/,
  );
  expect(text.stdout).toMatch(/\n {2}below +more: .* of CPU time \(goal below 1: met\)/);
  expect(text.stdout).toMatch(/\n {2}beside +same: .*, ratio [\d.]+ of CPU time$/);
});

test('a program that fails is not measured', async () => {
  const bench = await packageWith("console.error('broken'); process.exit(3);");
  const { exitCode, stdout, stderr } = await bench('cli-start', '--json', '--rounds', '1');
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^bench cli-start: .*--version ended with 3: broken/);
});

test.each([
  [['cli-stat'], 'no row "cli-stat"'],
  [['--rounds', '0'], '--rounds "0" is not a whole number from 1'],
  [['--fast'], "Unknown option '--fast'"],
])('refuses %j and names what is allowed', async (args, reason) => {
  const bench = await packageWith();
  const { exitCode, stderr } = await bench(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`bench: ${reason}`);
  expect(stderr).toContain(
    'rows: call-16, call-one, call-paced, cli-start, compose-entries, core-fold, file-log, file-resume, idle-member-embedded, idle-member, model-call, queue-start, queue-turns-1, queue-turns-16, queue-turns-64, recipe-list, redaction, redis-append, redis-decisions, redis-open, skill-listing, team-job, team-turns-1, team-turns-16, team-turns-64; flags: --json, --rounds <n>',
  );
});
