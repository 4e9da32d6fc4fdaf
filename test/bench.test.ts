/** The frame of `npm run bench`, on a copy of it beside a program of one line. */

import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** A package with the frame and, when its text is given, `dist/cli.js`. */
async function packageWith(cli?: string): Promise<(...args: string[]) => Promise<Answer>> {
  const top = await tempDir('bench');
  await cp(join(import.meta.dirname, 'bench'), join(top, 'test/bench'), { recursive: true });
  await writeFile(join(top, 'package.json'), '{"type": "module"}');
  if (cli !== undefined) {
    await mkdir(join(top, 'dist'));
    await writeFile(join(top, 'dist/cli.js'), cli);
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
  expect(result).toMatchObject({ name: 'cli-start', rounds: 1, goal: 1.6, floor: 2 });
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
    'rows: cli-start, compose-entries, core-fold, file-log, file-resume, idle-member-embedded, idle-member, model-call, queue-start, queue-turns-1, queue-turns-16, queue-turns-64, recipe-list, redaction, redis-append, redis-decisions, redis-open, skill-listing, team-turns-1, team-turns-16, team-turns-64; flags: --json, --rounds <n>',
  );
});
