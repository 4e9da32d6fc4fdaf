/** `bnerd runner --once` as a child, as a team starts it: its folder prepared, words on its input, lines on its output. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Brief, BriefBody } from '../../src/delegate/brief/brief.js';
import { acceptKeys, openIdentity, type RunnerIdentity } from '../../src/delegate/runner/identity.js';
import { type RunnerLine, runnerLine } from '../../src/delegate/runner/lines.js';
import { Outbox } from '../../src/delegate/runner/outbox.js';
import { LineSplitter } from '../../src/shared/jsonl.js';
import { systemProcessTable } from '../../src/shared/process-table.js';
import { type KeyPair, newKeyPair, signed } from '../../src/shared/signature.js';
import { type BnerdPlace, bnerdPlace, CLI, environmentAt } from './bnerd.js';
import { aBrief, accepted } from './briefs.js';
import { git } from './repository.js';
import { until } from './until.js';
import { sourceRepository } from './workspace.js';

type Order = Partial<Omit<BriefBody, 'key_id' | 'workspace'>> & {
  readonly workspace?: Partial<BriefBody['workspace']>;
};

export interface RunnerChild {
  readonly pid: number;
  readonly lines: readonly RunnerLine[];
  readonly stderr: () => string;
  /** Waits for a line of this kind, or a step of this name. */
  readonly says: (what: string) => Promise<RunnerLine>;
  readonly tell: (word: object | string) => void;
  /** As when the parent dies. */
  readonly endInput: () => void;
  readonly signal: (name: NodeJS.Signals) => void;
  /** The exit code, or 128 and more for a signal. */
  readonly exit: Promise<number>;
}

export interface RunnerPlace {
  readonly place: BnerdPlace;
  readonly workdir: string;
  readonly source: string;
  readonly worker: KeyPair;
  readonly identity: RunnerIdentity;
  readonly outbox: Outbox;
  readonly brief: (order?: Order) => Brief;
  /** Starts a runner whose engineer is a line of sh. */
  readonly start: (script: string, options?: StartOptions) => RunnerChild;
  readonly cancelWord: (brief: string, reason: string, pair?: KeyPair) => object;
}

interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Preloaded. */
  readonly preload?: string;
  readonly flags?: readonly string[];
}

export async function runnerPlace(): Promise<RunnerPlace> {
  const place = await bnerdPlace();
  const workdir = join(place.root, 'runner');
  await mkdir(workdir, { mode: 0o700 });
  const source = await sourceRepository();
  const base = git(source, 'rev-parse', 'HEAD');
  const worker = newKeyPair();
  const opened = await openIdentity(workdir, 'embedded');
  if (opened.kind === 'refused') throw new Error(opened.message);
  await acceptKeys(workdir, [accepted(worker, 'worker')]);
  return {
    ...{ place, workdir, source, worker, identity: opened.identity, outbox: new Outbox(workdir) },
    brief: ({ workspace, ...order } = {}) =>
      aBrief(worker, { ...order, workspace: { repo: source, base, ...workspace } }),
    start: (script, options) => startRunner(place, workdir, source, script, options),
    cancelWord: (brief, reason, pair = worker) =>
      signed('cancel', { v: 1, type: 'cancel', brief, reason }, pair),
  };
}

function startRunner(
  place: BnerdPlace,
  workdir: string,
  source: string,
  script: string,
  { env = {}, preload, flags = [] }: StartOptions = {},
): RunnerChild {
  const node = preload === undefined ? [] : ['--import', preload];
  const program = join(place.root, `engineer-${randomBytes(4).toString('hex')}`);
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const words = [
    'runner',
    '--once',
    '--workdir',
    workdir,
    '--repos',
    source,
    '--engineer',
    `command=${program}`,
  ];
  const child = spawn(process.execPath, [...node, CLI, ...words, ...flags], {
    cwd: place.work,
    env: environmentAt(place, { BNERD_RUNNER_MIN_FREE: '0', ...env }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await endAllBelow(workdir);
  });
  return watched(child);
}

/** What a test leaves running has its folder below the runner's. */
async function endAllBelow(workdir: string): Promise<void> {
  const table = systemProcessTable();
  for (const { pid } of await table.rows()) {
    const environment = await table.environment(pid);
    if (!environment.some((one) => one.startsWith(`HOME=${workdir}`))) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function watched(child: ChildProcess): RunnerChild {
  const lines: RunnerLine[] = [];
  const splitter = new LineSplitter(1 << 20);
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    for (const line of splitter.push(chunk)) lines.push(runnerLine.parse(JSON.parse(line)));
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  child.stdin?.on('error', () => {}); // its exit says so
  const exit = new Promise<number>((resolve) => {
    const numbers: Readonly<Record<string, number>> = {
      SIGKILL: 137,
      SIGTERM: 143,
      SIGINT: 130,
      SIGHUP: 129,
    };
    child.once('close', (code, signal) => resolve(code ?? numbers[signal ?? ''] ?? -1));
  });
  return {
    pid: child.pid ?? 0,
    lines,
    stderr: () => stderr,
    says: (what) =>
      until(() => lines.find((line) => (line.type === 'step' ? line.step : line.type) === what), {
        ms: 30_000,
        what: `the runner says ${what}; it said ${JSON.stringify(lines)} and ${stderr}`,
      }),
    tell: (word) => child.stdin?.write(`${typeof word === 'string' ? word : JSON.stringify(word)}\n`),
    endInput: () => child.stdin?.end(),
    signal: (name) => {
      child.kill(name);
    },
    exit,
  };
}
