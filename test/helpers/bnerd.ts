/**
 * The built program as a user runs it: `dist/cli.js` in a process of its own, with a home and a working directory of
 * the test's, an environment that holds nothing of ours, and /dev/null on stdin unless something is given.
 *
 * Whatever it writes, on either stream, is checked for control codes: a test that sees one fails (spec/team.md §3, §8).
 * Whatever it leaves running is ended with the test.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemProcessTable } from '../../src/shared/process-table.js';
import { engine } from './engines.js';
import { tempDir } from './temp-dir.js';
import { until } from './until.js';

/** The program under test; the tests of the project `whole` run after a build. */
export const CLI = join(process.env['BNERD_TEST_DIST'] ?? join(import.meta.dirname, '../../dist'), 'cli.js');

/** Where the teams of an operator are. */
export interface Home {
  /** `BNERD_HOME`, which does not exist yet: what is refused creates nothing. */
  readonly state: string;
  /** What says where teams are kept, when not there. */
  readonly env: Readonly<Record<string, string>>;
}

/** Directories of one operator; share one between commands that look at the same teams. */
export interface BnerdPlace extends Home {
  /** Holds the three others. */
  readonly root: string;
  /** `HOME`. */
  readonly home: string;
  /** The working directory, empty. */
  readonly work: string;
}

export interface BnerdOptions {
  /** A fresh one unless given. */
  readonly place?: BnerdPlace;
  /** Beside PATH, HOME, BNERD_HOME, TMPDIR and LANG; undefined takes one of these away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** What stands on stdin; /dev/null unless given. */
  readonly stdin?: string;
  /** Stdin is a pipe that stays open, behind what stands on it. */
  readonly keepStdin?: true;
  /** A line of sh that runs the program as `"$@"`: for redirections, pipes and limits. */
  readonly sh?: string;
  /** Options of Node, before the program. */
  readonly node?: readonly string[];
}

export interface BnerdRun {
  /** Exit code, or 128 and the signal's number when a signal ended it. */
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of stdout as JSON; throws when one is not. */
  readonly lines: readonly Record<string, unknown>[];
  readonly place: BnerdPlace;
}

/** A program that runs; it is killed when the test has ended, should it still be there. */
export interface RunningBnerd {
  readonly pid: number;
  readonly place: BnerdPlace;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Closes our end of its stdout, as a reader does that has seen enough. */
  readonly closeStdout: () => void;
  /** Waits until its stderr, or stdout, matches. */
  readonly says: (pattern: RegExp) => Promise<void>;
  readonly ended: Promise<BnerdRun>;
}

/** Fresh directories for one test. */
export async function bnerdPlace(): Promise<BnerdPlace> {
  const root = await tempDir('cli');
  const at = (name: string): string => join(root, name);
  const env = engine().environment();
  const place = { root, home: at('home'), state: at('state'), work: at('work'), env };
  await mkdir(place.home);
  await mkdir(place.work);
  return place;
}

/** The whole environment of a program at a place. */
export function environmentAt(place: BnerdPlace, env: BnerdOptions['env'] = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: place.home,
    BNERD_HOME: place.state,
    // What a killed program leaves in the temporary folder goes with the test.
    TMPDIR: place.root,
    LANG: 'C.UTF-8',
    ...place.env,
    ...env,
  };
}

/** Runs the program to its end. */
export async function bnerd(args: readonly string[], options: BnerdOptions = {}): Promise<BnerdRun> {
  return (await startBnerd(args, options)).ended;
}

/** Starts the program and keeps it, for signals and readers that go away. */
export async function startBnerd(
  args: readonly string[],
  { place: given, env, cwd, stdin, keepStdin, node = [], sh }: BnerdOptions = {},
): Promise<RunningBnerd> {
  if (!existsSync(CLI)) throw new Error(`${CLI} is not there: run "npm run build" first`);
  const place = given ?? (await bnerdPlace());
  const words = [process.execPath, ...node, CLI, ...args];
  const [program = '', ...rest] = sh === undefined ? words : ['/bin/sh', '-c', sh, 'sh', ...words];
  const child = spawn(program, rest, {
    cwd: cwd ?? place.work,
    env: environmentAt(place, env),
    stdio: [stdin === undefined && keepStdin !== true ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await endAllOf(place);
  });
  if (stdin !== undefined) child.stdin?.write(stdin);
  if (keepStdin !== true) child.stdin?.end();
  return watched(child, place);
}

/** Ends whatever still runs with the home of a place: programs behind a pipe, and tools of a program that was killed. */
async function endAllOf(place: BnerdPlace): Promise<void> {
  const table = systemProcessTable();
  for (const { pid } of await table.rows()) {
    if (!(await table.environment(pid)).includes(`HOME=${place.home}`)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/** Everything that moves a cursor, rings or hides; a text may have lines and tabs. */
const CONTROL_CODES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Throws when a stream of the program holds a control code. */
export function expectNoControlCodes(stream: string, text: string): void {
  const found = CONTROL_CODES.exec(text);
  if (found === null) return;
  const around = text.slice(Math.max(0, found.index - 80), found.index + 80);
  throw new Error(`${stream} holds a control code: ${JSON.stringify(around)}`);
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

function watched(child: ChildProcess, place: BnerdPlace): RunningBnerd {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  // The program may refuse before it has read what it was given.
  child.stdin?.on('error', () => {});
  const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');
  const ended = new Promise<BnerdRun>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const exit = code ?? 128 + (SIGNAL_NUMBERS[signal ?? ''] ?? 0);
      try {
        resolve(finished(exit, text(stdout), text(stderr), place));
      } catch (error) {
        reject(error);
      }
    });
  });
  return {
    pid: child.pid ?? -1,
    place,
    stdout: () => text(stdout),
    stderr: () => text(stderr),
    signal: (name) => {
      child.kill(name);
    },
    closeStdout: () => child.stdout?.destroy(),
    says: async (pattern) => {
      await until(() => pattern.test(text(stderr)) || pattern.test(text(stdout)), {
        ms: 30_000,
        what: () => `the program says ${pattern}; it said:\n${text(stderr)}${text(stdout)}`,
      });
    },
    ended,
  };
}

/** What a run left; throws when one of its streams holds a control code. */
export function finished(exit: number, stdout: string, stderr: string, place: BnerdPlace): BnerdRun {
  expectNoControlCodes('stdout', stdout);
  expectNoControlCodes('stderr', stderr);
  return {
    exit,
    stdout,
    stderr,
    place,
    get lines() {
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, unknown> => JSON.parse(line));
    },
  };
}
