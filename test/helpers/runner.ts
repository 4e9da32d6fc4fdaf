/** A runner in this process, with a repository that a team works on, and an engineer that is a line of sh. */

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Brief, BriefBody } from '../../src/delegate/brief/brief.js';
import type { Result } from '../../src/delegate/brief/result.js';
import { openIdentity } from '../../src/delegate/runner/identity.js';
import { type RunnerLine, runnerLine } from '../../src/delegate/runner/lines.js';
import { Outbox, type Waiting } from '../../src/delegate/runner/outbox.js';
import { type BriefEnd, runBrief } from '../../src/delegate/runner/run-brief.js';
import type { RunnerHouse } from '../../src/delegate/runner/runner-house.js';
import { systemClock } from '../../src/shared/clock.js';
import { KILL_LADDER } from '../../src/shared/process-ending.js';
import { ProcessGroups } from '../../src/shared/processes.js';
import { NO_SECRETS } from '../../src/shared/secrets/redactor.js';
import { type KeyPair, newKeyPair } from '../../src/shared/signature.js';
import { aBrief, accepted } from './briefs.js';
import { git } from './repository.js';
import { tempDir } from './temp-dir.js';
import { sourceRepository } from './workspace.js';

type Order = Partial<Omit<BriefBody, 'key_id' | 'workspace'>> & {
  readonly workspace?: Partial<BriefBody['workspace']>;
};

/** Writes a file and commits it, as a line of sh. */
export const COMMIT = 'echo work > work.txt && git add -A && git commit -qm work';

export interface Scene {
  readonly workdir: string;
  /** The team's repository. */
  readonly source: string;
  readonly base: string;
  readonly worker: KeyPair;
  readonly house: RunnerHouse;
  readonly outbox: Outbox;
  readonly groups: ProcessGroups;
  /** A signed brief about the repository. */
  brief(order?: Order): Brief;
  /** Runs a brief to its end; the lines that it says are checked against their schema. */
  run(brief: Brief | string, options?: RunOptions): Promise<Ran>;
}

interface RunOptions {
  readonly house?: Partial<RunnerHouse>;
  readonly cancel?: AbortSignal;
  readonly heard?: (line: RunnerLine) => void;
}

export interface Ran {
  readonly end: BriefEnd;
  readonly lines: readonly RunnerLine[];
  /** What lies in the outbox; throws where there is nothing. */
  readonly result: Result;
  readonly waiting: Waiting;
}

/** @param script what the engineer does, in its workspace */
export async function runnerScene(script: string): Promise<Scene> {
  const workdir = await tempDir('runner');
  const source = await sourceRepository();
  const base = git(source, 'rev-parse', 'HEAD');
  const worker = newKeyPair();
  const opened = await openIdentity(workdir, 'vm-07');
  if (opened.kind === 'refused') throw new Error(opened.message);
  const groups = new ProcessGroups({ folder: join(workdir, 'groups') });
  onTestFinished(async () => {
    await groups.endAll(KILL_LADDER);
  });
  const path = process.env['PATH'] ?? '/usr/bin:/bin';
  const settings = {
    path: '/bin/sh',
    args: ['-c', script],
    env: {},
    projectSettings: false,
    mayBeFull: false,
  };
  const house: RunnerHouse = {
    workdir,
    identity: opened.identity,
    keys: [accepted(worker, 'worker')],
    limits: {
      pool: null,
      labels: [],
      maxSafety: 'non-destructive',
      repos: [source],
      engineers: new Map([['command', settings]]),
    },
    additions: [],
    git: { path, env: {}, protocols: ['file'], marks: {} },
    engineer: { groups, environment: { PATH: path }, wrap: [], clock: systemClock, secrets: NO_SECRETS },
    bounds: { graceMs: 100, announceMs: 60_000, stalledMs: 60_000, lingerMs: 60_000, outputBytes: 1 << 30 },
    minFreeBytes: 0,
    secrets: NO_SECRETS,
    clock: systemClock,
  };
  const outbox = new Outbox(workdir);
  return {
    ...{ workdir, source, base, worker, house, outbox, groups },
    brief: ({ workspace, ...order } = {}) =>
      aBrief(worker, { ...order, workspace: { repo: source, base, ...workspace } }),
    run: async (brief, { house: change, cancel = new AbortController().signal, heard } = {}) => {
      const lines: RunnerLine[] = [];
      const text = typeof brief === 'string' ? brief : JSON.stringify(brief);
      const say = (line: RunnerLine): void => {
        lines.push(runnerLine.parse(line));
        heard?.(line);
      };
      const end = await runBrief(
        text,
        { ...house, ...change },
        { say, begins: async () => ({ kind: 'begins' }) },
        cancel,
      );
      const read = end.kind === 'result' ? await outbox.read(end.result.brief) : null;
      const waiting = (): Waiting => {
        if (read?.kind !== 'result') throw new Error(`no result: ${JSON.stringify({ end, read })}`);
        return read.waiting;
      };
      return {
        end,
        lines,
        get result() {
          return waiting().result;
        },
        get waiting() {
          return waiting();
        },
      };
    },
  };
}
