/**
 * Ends what a dead owner left running (spec/team.md §7 "Leftover processes are ended before any turn starts").
 *
 * A process number may be somebody else's by now. So a group is ended by its number only while its first
 * process is the recorded one, by number *and* start; else the environment marker alone decides, which is
 * unique to the group. A record whose owner lives, or may live, is left alone and reported.
 */

import { rm } from 'node:fs/promises';
import { assertNever } from './assert-never.js';
import type { Ending, EndStep, EndTarget } from './process-ending.js';
import { endProcesses, gentleLadder } from './process-ending.js';
import type { ProcessIdentity, ProcessSource } from './process-identity.js';
import { liveness, lookAtProcess, processIdentity, systemProcessSource } from './process-identity.js';
import type { GroupRecord } from './process-record.js';
import { readGroupRecords } from './process-record.js';
import type { ProcessTable } from './process-table.js';
import { systemProcessTable } from './process-table.js';

export interface EndedLeftover extends Ending {
  /** Null: found by marker alone, because its first process is gone or it had no record. */
  readonly group: number | null;
  readonly marker: string;
}

export interface KeptLeftover {
  readonly file: string;
  /** Why it was left alone, for people. */
  readonly reason: string;
}

export interface Leftovers {
  /** Groups of which at least one process was found and ended. */
  readonly ended: readonly EndedLeftover[];
  readonly kept: readonly KeptLeftover[];
}

export interface LeftoverOptions {
  /** `BNERD_TEAM=<team id>`: ends also what carries it and has no record. Only for who holds the team's lock. */
  readonly teamMarker?: string;
  /** Default: TERM, one second, KILL, so that nothing is left two seconds after a start (case Q36). */
  readonly ladder?: readonly EndStep[];
  readonly table?: ProcessTable;
  readonly source?: ProcessSource;
}

/** Default grace between TERM and KILL for leftovers, in milliseconds. */
const LEFTOVER_GRACE_MS = 1_000;

/** Reads the records of a folder and ends what they name; all groups at once, so one grace is all it costs. */
export async function endLeftovers(folder: string, options: LeftoverOptions = {}): Promise<Leftovers> {
  const source = options.source ?? systemProcessSource();
  const table = options.table ?? systemProcessTable();
  const ladder = options.ladder ?? gentleLadder(LEFTOVER_GRACE_MS);
  const self = await processIdentity(source);
  const kept: KeptLeftover[] = [];
  const ending: Promise<EndedLeftover>[] = [];
  for (const { file, record } of await readGroupRecords(folder)) {
    const verdict = record === null ? UNREADABLE : await judge(record, self, source);
    switch (verdict.kind) {
      case 'keep':
        kept.push({ file, reason: verdict.reason });
        break;
      case 'forget':
        await rm(file, { force: true });
        break;
      case 'end':
        ending.push(endRecorded(file, verdict.target, ladder, table));
        break;
      default:
        assertNever(verdict, 'leftover verdict');
    }
  }
  const ended = await Promise.all(ending);
  if (options.teamMarker !== undefined) {
    ended.push(await end({ group: null, marker: options.teamMarker }, ladder, table));
  }
  return { ended: ended.filter((each) => each.found > 0), kept };
}

type Verdict =
  | { readonly kind: 'keep'; readonly reason: string }
  | { readonly kind: 'forget' }
  | { readonly kind: 'end'; readonly target: EndTarget };

const UNREADABLE: Verdict = { kind: 'keep', reason: 'not a process record; remove the file by hand' };

async function judge(record: GroupRecord, self: ProcessIdentity, source: ProcessSource): Promise<Verdict> {
  const owner = await liveness(record.owner, self, source);
  if (owner === 'alive') return { kind: 'keep', reason: `its owner, process ${record.owner.pid}, is alive` };
  if (owner === 'unknown') {
    return {
      kind: 'keep',
      reason: `its owner, process ${record.owner.pid} on ${record.owner.host}, cannot be seen from here`,
    };
  }
  if (record.leader.bootId !== self.bootId) return { kind: 'forget' }; // no process outlives its boot
  const leader = await lookAtProcess(record.leader.pid, source);
  const same = leader.kind === 'running' && leader.startedAt === record.leader.startedAt;
  const group = same ? { id: record.leader.pid, startedAt: record.leader.startedAt } : null;
  return { kind: 'end', target: { group, marker: record.marker } };
}

async function endRecorded(
  file: string,
  target: EndTarget,
  ladder: readonly EndStep[],
  table: ProcessTable,
): Promise<EndedLeftover> {
  const ended = await end(target, ladder, table);
  if (ended.left.length === 0) await rm(file, { force: true });
  return ended;
}

async function end(
  target: EndTarget,
  ladder: readonly EndStep[],
  table: ProcessTable,
): Promise<EndedLeftover> {
  const ending = await endProcesses(target, ladder, table);
  return { ...ending, group: target.group?.id ?? null, marker: target.marker };
}
