/**
 * What `status` tells of each brief: whose it is, which runner has it and where that stands, how it ended (spec/team.md §7).
 * snake_case, JSON-serialisable, fields only added within v1.
 */

import type { FactOf } from '../../events/event.js';
import type { BriefStep } from '../../events/facts/briefs.js';
import type { Brief } from '../brief.js';

/** What an engineer was last seen to do, as the process that keeps its runner knows it. */
export interface EngineerSeen {
  /** Untrusted; one line, bounded. */
  readonly text: string;
  /** Rounds of its own loop so far. */
  readonly turns: number;
  /** Milliseconds since it was seen. */
  readonly ago_ms: number;
}

/** Asks what the engineer of a brief was last seen to do. */
export type SeenOf = (brief: string) => EngineerSeen | null;

export interface BriefView {
  readonly id: string;
  readonly task: string;
  readonly attempt: number;
  readonly offer: number;
  readonly member: string;
  readonly engineer: string;
  readonly model: string | null;
  readonly state: Brief['status']['kind'];
  /** Null before one has taken it. */
  readonly runner: string | null;
  /** What its runner does; null while it does nothing for the team. */
  readonly step: BriefStep | null;
  /** Why it is to end, or how it ended. */
  readonly detail: string | null;
  readonly status: FactOf<'brief.ended'>['status'] | null;
  readonly cause: FactOf<'brief.ended'>['cause'];
  /** Milliseconds of team time since it was sent, and since its last step; of one that has ended both end there. */
  readonly age_ms: number;
  readonly still_ms: number;
  /** The most that it may cost, US dollars. */
  readonly cost_usd: number | null;
  /** What its engineer does; null where none is at work, or whoever looks is not told. */
  readonly activity: EngineerSeen | null;
}

/**
 * One brief as `status` shows it.
 * @param now team time in milliseconds
 * @param seen what its engineer was last seen to do
 */
export function briefView(
  { sent, sentAt, status }: Brief,
  now: number,
  seen: EngineerSeen | null = null,
): BriefView {
  const since = status.kind === 'sent' ? sentAt : status.since;
  const until = status.kind === 'ended' ? status.since : now;
  const ended = status.kind === 'ended' ? status : null;
  const running = status.kind === 'running' ? status : null;
  return {
    id: sent.brief,
    task: sent.task,
    attempt: sent.attempt,
    offer: sent.offer,
    member: sent.member,
    engineer: sent.engineer.kind,
    model: sent.engineer.model,
    state: status.kind,
    runner: status.kind === 'sent' ? null : status.runner,
    step: running?.step ?? null,
    detail: status.kind === 'cancelling' ? `by ${status.by}: ${status.reason}` : (running?.detail ?? null),
    status: ended?.status ?? null,
    cause: ended?.cause ?? null,
    age_ms: Math.max(0, Math.round(until - sentAt)),
    still_ms: Math.max(0, Math.round(until - since)),
    cost_usd: sent.cost_usd,
    activity: ended === null ? seen : null,
  };
}
