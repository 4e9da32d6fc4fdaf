/**
 * Opens a team's folder for this process: lock, record, process groups, control socket, fold (spec/engine.md §1).
 * Whatever was opened is released in reverse when something fails on the way, and when the team has ended.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFileRecord } from '../events/file-record.js';
import type { GrowingRecord } from '../events/growing-record.js';
import { acquireLock, describeHolder, type TeamLock } from '../events/lock.js';
import { observedRecord } from '../events/observed-record.js';
import type { TeamRecord } from '../events/record.js';
import { withoutSecrets } from '../events/redacted-record.js';
import { sha256 } from '../shared/digest.js';
import type { Finding } from '../shared/findings.js';
import { isChosenId } from '../shared/ids.js';
import { processIdentity } from '../shared/process-identity.js';
import { endLeftovers } from '../shared/process-leftovers.js';
import { ProcessGroups } from '../shared/processes.js';
import { Releases } from '../shared/releases.js';
import { TeamStore } from '../state/team-store.js';
import { removeDeadControl } from './control/dead-control.js';
import type { RedisLink } from './engine/redis-link.js';
import type { House } from './house.js';
import { operatorPairs } from './key-ring.js';
import { foreignLog } from './record-owner.js';
import type { LocalTurns, QueueHooks, TurnQueue } from './turn-queue.js';
import type { TurnParts } from './turns/team-turns.js';

export interface OpenTeam {
  readonly id: string;
  readonly folder: string;
  readonly lock: TeamLock;
  readonly record: TeamRecord;
  readonly store: TeamStore;
  readonly groups: ProcessGroups;
  readonly releases: Releases;
  /** What was mended on opening, and what was ended of an earlier process. */
  readonly findings: readonly Finding[];
  /** Where several processes serve the team: how its turns are asked for, and how this process takes some as well. */
  readonly shared?: {
    queue(hooks: QueueHooks, turns: LocalTurns): TurnQueue;
    /** What turns that run in this process have beside; nothing where it takes none. */
    readonly turns: Pick<TurnParts, 'lease' | 'runBy' | 'denies'>;
    /** The way to its server. */
    readonly link: RedisLink;
    /** Kills what tools of the team have started in this process, at once; must not throw. */
    kill(): void;
    /** What all of them record, as it is recorded. */
    readonly lines: GrowingRecord;
    /** This process has to end: nothing waits for the record for longer than that. */
    leaveWithin(ms: number): void;
    /** What its server had lost of it when it was opened; of nothing that was live then anything goes on. */
    readonly loss: readonly Finding[];
    /** Turns that go on when the team is taken up: other processes run them. */
    heldTurns(): Promise<HeldTurns>;
    /**
     * Of a record that takes nothing more, since the server has lost of it: makes it whole again as far as that can be.
     * @returns what was lost; undefined where it is not there, and is not this process's to put back
     */
    regain(): Promise<readonly Finding[] | undefined>;
    /** Takes turns here, of any team; those that run get the grace when it ends. */
    serve(concurrency: number, graceMs: number, trouble: (text: string) => void): Promise<void>;
  };
}

export interface HeldTurns {
  /** By the numbers of their starts. */
  readonly turns: readonly number[];
  /** Number of the next fact when they were looked at: of what began later nothing is known. */
  readonly asOf: number;
}

export type OpenedTeam =
  | { readonly kind: 'open'; readonly team: OpenTeam }
  | { readonly kind: 'held'; readonly finding: Finding };

/** The variable by which processes of a team are told from those of a team of the same name in another home. */
export const TEAM_MARK = 'BNERD_TEAM_MARK';

/** Its value. @param folder the run folder */
export function teamKey(folder: string): string {
  return sha256(`bnerd-teams team\n${folder}`).slice(0, 32);
}

/** The marker that every process of a team carries in its environment: an id that was given out is unique by itself. */
function teamMarker(id: string, folder: string): string {
  return isChosenId(id) ? `${TEAM_MARK}=${teamKey(folder)}` : `BNERD_TEAM=${id}`;
}

/**
 * Takes a team. Rejects with `UserError` (`no-team`, `team-exists`) or `FatalError` (`log-broken`, `foreign-record`, …).
 * @param folder the run folder; made when the mode is `create`
 */
export async function openTeam(
  house: House,
  id: string,
  folder: string,
  mode: 'create' | 'open',
  takeOver = false,
): Promise<OpenedTeam> {
  const identity = await processIdentity();
  const attempt = await acquireLock(folder, { identity, clock: house.clock, mode, takeOver });
  if (attempt.kind === 'held') {
    return { kind: 'held', finding: heldFinding(id, describeHolder(attempt.holder), attempt.verdict) };
  }
  const releases = new Releases();
  const { lock, follows } = attempt;
  releases.add('lock', () => lock.release());
  if (follows?.how === 'dead' && follows.holder.socket !== undefined) {
    await removeDeadControl(follows.holder.socket);
  }
  try {
    const opened = withoutSecrets(await openFileRecord(folder, { clock: house.clock, mode }), house.secrets);
    const record = observedRecord(opened, id, house.clock, house.operations);
    releases.add('record', () => record.close());
    const processes = join(folder, 'processes');
    await mkdir(processes, { recursive: true, mode: 0o700 });
    const findings = [...record.findings];
    const pairs = mode === 'create' ? undefined : () => operatorPairs(house); // None is signed that begins here.
    const store = await TeamStore.open(record.log, house.clock, house.secrets, 'stood still', pairs);
    const foreign = foreignLog(id, store.state);
    if (foreign !== undefined) throw foreign;
    if (mode === 'open') findings.push(...(await endOld(processes, teamMarker(id, folder))));
    const groups = new ProcessGroups({ folder: processes });
    return { kind: 'open', team: { id, folder, lock, record, store, groups, releases, findings } };
  } catch (error) {
    await releases.run();
    throw error;
  }
}

/**
 * Leftover processes are ended before any turn starts (spec/team.md §7).
 * @param teamMarker ends what carries it as well; for who has the team alone, since other processes' tools carry it too
 */
export async function endOld(processes: string, teamMarker?: string): Promise<Finding[]> {
  const leftovers = await endLeftovers(processes, teamMarker === undefined ? {} : { teamMarker });
  const ended = leftovers.ended.map(
    (left): Finding => ({
      code: 'leftover-ended',
      severity: 'info',
      path: processes,
      message: `a process of an earlier run was still there and was ended${left.group === null ? '' : ` (group ${left.group})`}`,
      remedy: 'nothing to do',
    }),
  );
  const kept = leftovers.kept.map(
    (left): Finding => ({
      code: 'leftover-kept',
      severity: 'warning',
      path: left.file,
      message: `a process of an earlier run was left alone: ${left.reason}`,
      remedy: 'look at it and end it by hand if it is not wanted',
    }),
  );
  return [...ended, ...kept];
}

/** A team that another process holds: who, since when, and the way out. */
export function heldFinding(id: string, holder: string, verdict: 'alive' | 'unknown'): Finding {
  return {
    code: 'team-held',
    severity: 'error',
    path: id,
    message:
      verdict === 'alive'
        ? `the team is run by ${holder}`
        : `the team is held by ${holder}, which cannot be looked at from here (it may live)`,
    remedy:
      verdict === 'alive'
        ? `use bnerd team status ${id}, or stop it with bnerd team stop ${id}`
        : 'when you know that it is gone, add --take-over',
  };
}
