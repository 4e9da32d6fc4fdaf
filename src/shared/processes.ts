/**
 * Starts programs as process groups and owns them until they are ended: the one way to run another program
 * that may start programs of its own.
 *
 *  P1 a group's record is on disk before its work starts: the first process waits at a gate until it is;
 *  P2 when the owner dies at the gate, the program never starts;
 *  P3 whoever starts a group ends it (`end`), also after a normal exit: that removes its record, and whatever
 *     the program left behind;
 *  P4 the exit comes from the process, never from its pipes, which a grandchild may hold open (case Q38);
 *  P5 a start settles within its deadline: what has not begun by then never does (case B31);
 *  P6 a guard, where there is one, has been told before the work starts: it ends the group when the owner cannot.
 *
 * The parts: `process-table.ts` what runs, `process-ending.ts` signals in steps, `process-record.ts` the note
 * on disk, `process-leftovers.ts` the next start.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { errorText, systemCode } from './errors.js';
import type { Ending, EndStep, EndTarget, GroupIdentity } from './process-ending.js';
import { endProcesses, KILL_LADDER, killNow } from './process-ending.js';
import type { ProcessIdentity, ProcessSource } from './process-identity.js';
import { lookAtProcess, processIdentity, systemProcessSource } from './process-identity.js';
import { removeGroupRecord, writeGroupRecord } from './process-record.js';
import type { ProcessTable } from './process-table.js';
import { systemProcessTable } from './process-table.js';

export interface GroupSpec {
  /** For whom it runs, so that the groups of one can be ended alone; absent: for nobody in particular. */
  readonly owner?: string;
  /** Program and arguments; never read by a shell. Looked up in `env.PATH`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** What its standard input holds; absent: nothing. A program need not read it. */
  readonly input?: string;
  /** Its standard input is a pipe that stays open behind that: `ProcessGroup.input`. */
  readonly keepsInput?: true;
  /** `apart`: standard error is a stream of its own, so that no line of it can stand inside of a line of output. */
  readonly errors?: 'apart';
}

export type GroupExit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals };

export interface ProcessGroup {
  readonly id: number;
  /** Standard output, with standard error in the order written unless that is apart. Must be read or destroyed. */
  readonly output: Readable;
  /** Standard error where it is apart; must be read or destroyed as well. */
  readonly errors: Readable | null;
  /** Standard input where it stays open. */
  readonly input: Writable | null;
  /** Settles when the first process has ended; never rejects (P4). */
  readonly exited: Promise<GroupExit>;
  /** Ends what is left of it, first process included; may be called again with a harder ladder. */
  end(ladder: readonly EndStep[]): Promise<Ending>;
}

export type GroupStart =
  | { readonly kind: 'started'; readonly group: ProcessGroup }
  /** `error`: what was thrown where its record was to be written. */
  | { readonly kind: 'failed'; readonly reason: string; readonly error?: unknown };

export interface ProcessGroupsOptions {
  /** Folder of the records; null: none are kept, and a killed owner leaves its groups behind. */
  readonly folder: string | null;
  readonly table?: ProcessTable;
  /** Who a process is; the system's own by default. */
  readonly source?: ProcessSource;
  /** How long a start may take, in milliseconds; 10 s unless given. */
  readonly startMs?: number;
  /** Told of each group before its work starts, and when it has been ended: what rejects here, starts nothing. */
  readonly guard?: GroupGuard;
}

/** Somebody else who ends the groups when this process cannot any more. */
export interface GroupGuard {
  guards(target: EndTarget): Promise<void>;
  ended(target: EndTarget): void;
}

/** Far more than a fork, a look into the process table and one small file take on a machine that is busy. */
const START_MS = 10_000;

/** Name of the variable whose value is unique to a group. */
const GROUP_MARKER = 'BNERD_GROUP';

/**
 * Waits on descriptor 3 for a line; its end instead means that the owner is gone (P2). `exec` keeps the process,
 * so that group id and start time of the gate are those of the program.
 */
const GATE = 'read -r go <&3 || exit 125; exec 3<&-; exec "$@" 2>&1';
const GATE_APART = 'read -r go <&3 || exit 125; exec 3<&-; exec "$@"';

/** The groups of one owner. */
export class ProcessGroups {
  readonly #folder: string | null;
  readonly #table: ProcessTable;
  readonly #source: ProcessSource;
  readonly #startMs: number;
  readonly #guard: GroupGuard | undefined;
  readonly #live = new Map<number, OwnGroup>();
  readonly #recorded = new Set<number>();
  #owner: Promise<ProcessIdentity> | undefined;

  constructor(options: ProcessGroupsOptions) {
    this.#folder = options.folder;
    this.#table = options.table ?? systemProcessTable();
    this.#source = options.source ?? systemProcessSource();
    this.#startMs = options.startMs ?? START_MS;
    this.#guard = options.guard;
  }

  /** Ids of the groups that were started and not yet ended. */
  get live(): readonly number[] {
    return [...this.#live.keys()];
  }

  /**
   * Starts a program in a group and session of its own; its standard input ends after what it is given. A start that takes
   * too long fails, and the program, which waits at its gate, never begins (P5).
   */
  async start(spec: GroupSpec): Promise<GroupStart> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#startMs);
    const failed = new Promise<GroupStart>((resolve) => {
      const reason = `it did not start within ${this.#startMs} ms; it was not run`;
      late.signal.addEventListener('abort', () => resolve({ kind: 'failed', reason }));
    });
    try {
      return await Promise.race([this.#start(spec, late.signal), failed]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #start(spec: GroupSpec, late: AbortSignal): Promise<GroupStart> {
    const nonce = randomBytes(12).toString('hex');
    const apart = spec.errors === 'apart';
    const child = spawn('/bin/sh', ['-c', apart ? GATE_APART : GATE, 'sh', spec.program, ...spec.args], {
      cwd: spec.cwd,
      env: { ...spec.env, [GROUP_MARKER]: nonce },
      detached: true,
      stdio: [
        spec.input === undefined && spec.keepsInput === undefined ? 'ignore' : 'pipe',
        'pipe',
        apart ? 'pipe' : 'ignore',
        'pipe',
      ],
    });
    // The gate falls at once, so that nothing begins; what is left of it is ended when the rest has come back.
    late.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
    child.stdin?.on('error', () => {}); // it has ended, or closed its input; what it has made of that, its exit says
    const exited = exitOf(child);
    try {
      await once(child, 'spawn');
    } catch (error) {
      // Node names the program where it is the directory that is missing.
      const place = systemCode(error) === 'ENOENT' ? ' (does the directory exist?)' : '';
      return { kind: 'failed', reason: `${errorText(error)}${place}` };
    }
    const marker = `${GROUP_MARKER}=${nonce}`;
    const look = await lookAtProcess(child.pid ?? 0, this.#source);
    const identity = { id: child.pid ?? 0, startedAt: look.kind === 'running' ? look.startedAt : '' };
    const group = this.#own(child, exited, { group: identity, marker }, spec.owner);
    try {
      await this.#record(identity, marker, spec.owner);
      await this.#guard?.guards(group.target);
    } catch (error) {
      await group.end(KILL_LADDER);
      return {
        kind: 'failed',
        reason: `the record of the process could not be written, or its watchdog not told: ${errorText(error)}`,
        error,
      };
    }
    if (late.aborted) {
      await group.end(KILL_LADDER);
      return { kind: 'failed', reason: 'it started too late' };
    }
    openGate(child);
    if (spec.keepsInput === undefined) child.stdin?.end(spec.input);
    else if (spec.input !== undefined) child.stdin?.write(spec.input);
    return { kind: 'started', group };
  }

  /** The same groups, started for one owner. */
  of(owner: string): Pick<ProcessGroups, 'start'> {
    return { start: (spec) => this.start({ ...spec, owner }) };
  }

  /** Ends every group, or those of one owner, all at once; used when a run or a member stops. */
  async endAll(ladder: readonly EndStep[], owner?: string): Promise<readonly Ending[]> {
    const groups = [...this.#live.values()].filter((group) => owner === undefined || group.owner === owner);
    return Promise.all(groups.map((group) => group.end(ladder)));
  }

  /**
   * Sends SIGKILL to every group, and to what came out of it, and waits for nothing: the second Ctrl-C, behind which a third
   * ends this process. `endAll` may follow.
   */
  killAll(): void {
    if (this.#live.size > 0) killNow([...this.#live.values()].map(({ target }) => target));
  }

  #own(
    child: ChildProcess,
    exited: Promise<GroupExit>,
    target: OwnTarget,
    owner: string | undefined,
  ): OwnGroup {
    const id = target.group.id;
    const output = child.stdout as Readable;
    output.on('error', () => {}); // a pipe cut by the end of the group says nothing that its exit does not
    const errors = child.stderr;
    errors?.on('error', () => {});
    const group: OwnGroup = {
      id,
      owner,
      target,
      output,
      errors,
      input: child.stdin,
      exited,
      end: async (ladder) => {
        const ending = await endProcesses(target, ladder, this.#table);
        if (ending.left.length === 0) {
          this.#guard?.ended(target);
          await this.#forget(id);
        }
        return ending;
      },
    };
    this.#live.set(id, group);
    return group;
  }

  async #record(group: GroupIdentity, marker: string, owned: string | undefined): Promise<void> {
    if (this.#folder === null) return;
    this.#owner ??= processIdentity();
    const owner = await this.#owner;
    const leader = { ...owner, pid: group.id, startedAt: group.startedAt };
    const whose = owned === undefined ? {} : { for: owned };
    await writeGroupRecord(this.#folder, { v: 1, leader, owner, marker, ...whose });
    this.#recorded.add(group.id);
  }

  async #forget(id: number): Promise<void> {
    this.#live.delete(id);
    if (this.#folder !== null && this.#recorded.delete(id)) await removeGroupRecord(this.#folder, id);
  }
}

interface OwnGroup extends ProcessGroup {
  readonly owner: string | undefined;
  readonly target: OwnTarget;
}

interface OwnTarget extends EndTarget {
  readonly group: GroupIdentity;
}

function exitOf(child: ChildProcess): Promise<GroupExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal === null ? { kind: 'exited', code: code ?? -1 } : { kind: 'signalled', signal });
    });
  });
}

function openGate(child: ChildProcess): void {
  const gate = child.stdio[3] as Writable;
  gate.on('error', () => {}); // it died at the gate; its exit says so
  gate.end('go\n');
}
