/**
 * What `status` tells of the processes that serve a team (spec/engine.md §2, §3): who has each turn, which turn has nobody,
 * what waits for a machine. snake_case, JSON-serialisable, fields only added within v1.
 */

import { type Life, type Member, RECLAIMS, type TeamState } from '../state.js';
import type { SeenOf } from './status-briefs.js';

/** What no record says and whoever asks has seen: of leases, and of who serves which queue. */
export interface ProcessesSeen {
  /** Numbers of the turns whose lease is held; undefined: nobody has looked. */
  readonly held?: ReadonlySet<number>;
  /** Work that no live process takes, oldest first. */
  readonly unserved?: readonly Unserved[];
  /** The server of the record takes no writes, since its memory is full. */
  readonly full?: boolean;
  /** Asked what engineers do, of whoever keeps their runners. */
  readonly engineerOf?: SeenOf;
}

export interface Unserved {
  /** Who waits: a member, or a brief. */
  readonly what: string;
  /** The pool that it waits in. */
  readonly pool: string;
  /** `no_worker` and `no_runner`: nobody serves that pool; `not_taken`: who serves it has let it lie. */
  readonly why: 'no_worker' | 'no_runner' | 'not_taken';
  /** What is missing there: a label, a provider, a version. */
  readonly detail: string | null;
}

export interface TurnView {
  readonly number: number;
  /** Null where one process serves the team. */
  readonly host: string | null;
  readonly worker: string | null;
  /** Milliseconds of team time since it began. */
  readonly age_ms: number;
  /** Whether a process has it; null: nobody has looked. */
  readonly held: boolean | null;
}

export interface WorkspaceView {
  readonly host: string | null;
  readonly commit: string | null;
}

type Working = Extract<Life, { kind: 'working' }>;

/** The live turn of a member; null where it has none. */
export function turnView(
  { life }: Pick<Member, 'life'>,
  now: number,
  { held }: ProcessesSeen,
): TurnView | null {
  if (life.kind !== 'working') return null;
  return {
    number: life.turn,
    host: life.host,
    worker: life.worker,
    age_ms: Math.max(0, Math.round(now - life.startedAt)),
    held: held === undefined ? null : held.has(life.turn),
  };
}

/** Where a member works, in words; null where that goes without saying. */
export function turnDetail(life: Working, { held }: ProcessesSeen): string | null {
  if (held !== undefined && !held.has(life.turn)) return `no process has turn ${life.turn}${onHost(life)}`;
  return life.host === null ? null : `on ${life.host}${life.worker === null ? '' : ` (${life.worker})`}`;
}

/** Where the workspace is; null where it is nowhere in particular. */
export function workspaceView({
  workspace: { host, commit },
}: Pick<TeamState, 'workspace'>): WorkspaceView | null {
  return host === null && commit === null ? null : { host, commit };
}

/** One line for each thing that a process would have to do and none does. */
export function processLines(
  { members }: TeamState,
  { held, unserved = [], full = false }: ProcessesSeen,
): string[] {
  const lines = [...members.values()].flatMap(({ name, life }) => {
    if (life.kind !== 'working') return [];
    if (life.deferrals >= RECLAIMS) return [aliveLine(name, life)];
    if (held === undefined || held.has(life.turn)) return [];
    return [
      `${name}: no process has turn ${life.turn}${onHost(life)}; it is taken over once its lease is over`,
    ];
  });
  return [...(full ? [FULL] : []), ...lines, ...unserved.map(unservedLine)];
}

const FULL =
  'the memory of Redis is full: nothing is recorded until there is room; give it more, or remove old teams';

function aliveLine(name: string, life: Working): string {
  return (
    `${name}: turn ${life.turn} cannot be taken over: its old process${onHost(life)} is alive and does not end ` +
    `(tried ${life.deferrals} times); end it there`
  );
}

/** What waits where, and why nobody takes it. */
export function unservedLine({ what, pool, why, detail }: Unserved): string {
  const missing = detail === null ? '' : `: ${detail}`;
  return why === 'not_taken'
    ? `${what} waits in ${pool} and nobody takes it${missing}`
    : `${what} waits in ${pool}, which nobody serves (${why})${missing}`;
}

function onHost({ host }: Working): string {
  return host === null ? '' : ` on ${host}`;
}
