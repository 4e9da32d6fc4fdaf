/**
 * Ends a process group and everything that came out of it: signals in steps, each with a grace, until nothing
 * is left (cases Q36, Q40, Q41).
 *
 * What belongs to a group:
 *  B1 every process whose group id is the group's, unless the group's number has a new first process;
 *  B2 every descendant of one of those, also in a group or session of its own;
 *  B3 every process that was started with the group's environment marker, whoever its parent is now;
 *  B4 what was seen once under B1–B3 and is still the same process (number and start), though its parent died.
 * Never this process, and none of its ancestors.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './clock.js';
import { systemClock } from './clock.js';
import { systemCode } from './errors.js';
import type { ProcessRow, ProcessSnapshot, ProcessTable } from './process-table.js';
import { processSnapshot } from './process-table.js';

/** A group, known by its first process. */
export interface GroupIdentity {
  readonly id: number;
  /** Start of the first process, as `ProcessRow.startedAt`; empty when the system did not tell. */
  readonly startedAt: string;
}

/** What to end. `group` null: the marker alone decides (the group's number may be somebody else's by now). */
export interface EndTarget {
  readonly group: GroupIdentity | null;
  /** `NAME=value` as it stands in the environment of the group's processes. */
  readonly marker: string;
}

export interface EndStep {
  readonly signal: NodeJS.Signals;
  /** How long to wait for the end after this signal; the last step of a ladder should be SIGKILL. */
  readonly graceMs: number;
}

export interface Ending {
  /** How many processes were there to end. */
  readonly found: number;
  /** The last signal that was sent; null when there was nothing to end. */
  readonly signal: NodeJS.Signals | null;
  /** Processes that outlived the whole ladder (another user's, or stuck in the kernel). */
  readonly left: readonly number[];
}

/** How often the table is looked at while waiting for an end. */
const POLL_MS = 20;

/** After SIGKILL the kernel still needs a moment; longer than this it is stuck and is reported. */
const KILL_GRACE_MS = 2_000;

/** TERM, the grace, KILL. */
export function gentleLadder(graceMs: number): readonly EndStep[] {
  return [{ signal: 'SIGTERM', graceMs }, ...KILL_LADDER];
}

/** INT, TERM, KILL: for programs that clean up on Ctrl-C only (case Q40). */
export function interruptLadder(graceMs: number): readonly EndStep[] {
  return [{ signal: 'SIGINT', graceMs }, ...gentleLadder(graceMs)];
}

/** KILL at once. */
export const KILL_LADDER: readonly EndStep[] = [{ signal: 'SIGKILL', graceMs: KILL_GRACE_MS }];

/** Walks the ladder until nothing of the target is left. Settles within the sum of its graces. */
export async function endProcesses(
  target: EndTarget,
  ladder: readonly EndStep[],
  table: ProcessTable,
  clock: Clock = systemClock,
): Promise<Ending> {
  const belonging = new Belonging(target, table);
  let alive = await belonging.look();
  let last: NodeJS.Signals | null = null;
  for (const step of ladder) {
    if (alive.length === 0) break;
    last = step.signal;
    signalAll(alive, target.group, step.signal);
    const deadline = clock.monotonicMs() + step.graceMs;
    do {
      await delay(POLL_MS);
      alive = await belonging.look();
      // A program that forks faster than it is listed is met by every look, not by the first alone.
      if (step.signal === 'SIGKILL') signalAll(alive, target.group, 'SIGKILL');
    } while (alive.length > 0 && clock.monotonicMs() < deadline);
  }
  return { found: belonging.found, signal: last, left: alive.map((row) => row.pid) };
}

/**
 * Sends SIGKILL to everything that belongs to the targets (B1–B3) before it returns, and waits for nothing: whoever calls
 * it may be ended right after.
 */
export function killNow(targets: readonly EndTarget[], snapshot: ProcessSnapshot = processSnapshot()): void {
  const { rows, environment } = snapshot;
  const spared = selfAndAncestors(rows);
  const mine = new Set<number>();
  for (const { group, marker } of targets) {
    const ours = group !== null && !hasNewLeader(rows, group);
    if (ours) send(-group.id, 'SIGKILL');
    for (const row of rows) {
      if (spared.has(row.pid) || mine.has(row.pid)) continue;
      if ((ours && row.group === group.id) || environment(row.pid).includes(marker)) mine.add(row.pid);
    }
  }
  addDescendants(rows, mine, spared);
  for (const pid of mine) send(pid, 'SIGKILL');
}

/** One signal to the group, which misses no member forked meanwhile, and one to each process outside of it. */
function signalAll(rows: readonly ProcessRow[], group: GroupIdentity | null, signal: NodeJS.Signals): void {
  if (group !== null && rows.some((row) => row.group === group.id)) send(-group.id, signal);
  for (const row of rows) if (row.group !== group?.id) send(row.pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: it ended meanwhile. EPERM: another user's; it is reported as left.
    if (systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM') throw error;
  }
}

/** Remembers over several looks what belonged once (B4). */
class Belonging {
  readonly #target: EndTarget;
  readonly #table: ProcessTable;
  /** Whether a process, by number and start, carries the marker: asked once each, the table is long. */
  readonly #marked = new Map<string, boolean>();
  readonly #seen = new Set<string>();

  constructor(target: EndTarget, table: ProcessTable) {
    this.#target = target;
    this.#table = table;
  }

  get found(): number {
    return this.#seen.size;
  }

  /** The living processes that belong to the target now. */
  async look(): Promise<readonly ProcessRow[]> {
    const rows = await this.#table.rows();
    const group = this.#target.group;
    const ours = group !== null && !hasNewLeader(rows, group);
    const spared = selfAndAncestors(rows);
    const mine = new Set<number>();
    for (const row of rows) {
      if (spared.has(row.pid)) continue;
      const known = (ours && row.group === group.id) || this.#seen.has(key(row));
      if (known || (await this.#isMarked(row))) mine.add(row.pid);
    }
    addDescendants(rows, mine, spared);
    const found = rows.filter((row) => mine.has(row.pid));
    for (const row of found) this.#seen.add(key(row));
    return found;
  }

  async #isMarked(row: ProcessRow): Promise<boolean> {
    if (this.#isOlder(row)) return false;
    const known = this.#marked.get(key(row));
    if (known !== undefined) return known;
    const marked = (await this.#table.environment(row.pid)).includes(this.#target.marker);
    this.#marked.set(key(row), marked);
    return marked;
  }

  /** On Linux starts are numbers, which spares a look into the environment of most of the table. */
  #isOlder(row: ProcessRow): boolean {
    return Number(row.startedAt) < Number(this.#target.group?.startedAt || Number.NaN);
  }
}

/** The number of a group is free once all of it has ended; its first process is then another one. */
function hasNewLeader(rows: readonly ProcessRow[], group: GroupIdentity): boolean {
  const leader = rows.find((row) => row.pid === group.id);
  return leader !== undefined && group.startedAt !== '' && leader.startedAt !== group.startedAt;
}

function key(row: ProcessRow): string {
  return `${row.pid} ${row.startedAt}`;
}

function selfAndAncestors(rows: readonly ProcessRow[]): Set<number> {
  const parents = new Map(rows.map((row) => [row.pid, row.parent]));
  const found = new Set<number>([0, 1]);
  for (let pid: number | undefined = process.pid; pid !== undefined && !found.has(pid); ) {
    found.add(pid);
    pid = parents.get(pid);
  }
  return found;
}

function addDescendants(rows: readonly ProcessRow[], mine: Set<number>, spared: ReadonlySet<number>): void {
  for (let before = -1; before !== mine.size; ) {
    before = mine.size;
    for (const row of rows) if (mine.has(row.parent) && !spared.has(row.pid)) mine.add(row.pid);
  }
}
