/**
 * What operators see of a process that serves teams: its log and its meters, fed from the one place where facts are added.
 * One for each process; a house without one says nothing and counts nothing.
 */

import type { QueueTracing } from '../../dispatch/tracing.js';
import type { Fact } from '../../events/event.js';
import type { LogEntry } from '../../events/log-entry.js';
import type { RecordObserver } from '../../events/observed-record.js';
import type { Log } from '../../shared/log.js';
import { Meters } from '../../shared/meters.js';
import { logFact } from './fact-lines.js';
import { FAMILIES } from './families.js';
import type { Progress } from './health.js';

export class Operations implements RecordObserver {
  readonly log: Log;
  readonly meters = new Meters(FAMILIES);

  /** Undefined: nobody has asked for spans. */
  readonly tracing: QueueTracing | undefined;
  readonly #watched = new Set<() => readonly Progress[]>();

  constructor(log: Log, tracing?: QueueTracing) {
    this.log = log;
    this.tracing = tracing;
  }

  appended(team: string, { first, facts }: LogEntry, ms: number): void {
    this.meters.add('bnerd_appends_total');
    this.meters.add('bnerd_append_facts_total', '', facts.length);
    this.meters.measure('bnerd_append_seconds', ms / 1_000);
    for (const [place, fact] of facts.entries()) {
      this.#count(fact);
      this.#trace(team, first + place, fact);
      logFact(this.log, team, first + place, fact);
    }
  }

  conflicted(team: string): void {
    this.meters.add('bnerd_append_conflicts_total');
    this.log.debug({ team }, 'append.conflict');
  }

  /** Something is wrong that goes on or is waited for, in words for people. */
  trouble(detail: string): void {
    this.log.warn({ detail }, 'trouble');
  }

  /** Somebody here does things again and again; the returned function takes them off. @param progress must not throw */
  watch(progress: () => readonly Progress[]): () => void {
    this.#watched.add(progress);
    return () => void this.#watched.delete(progress);
  }

  /** Everything that is done here again and again, and how long ago it was. */
  progress(): readonly Progress[] {
    return [...this.#watched].flatMap((progress) => progress());
  }

  /** A job was taken, and is over. */
  job(end: 'done' | 'given_back' | 'failed'): void {
    this.meters.add('bnerd_jobs_total', end);
  }

  /** What a span of a turn says when its job is known already: its number in the record, and how it ended. */
  #trace(team: string, number: number, fact: Fact): void {
    if (fact.type === 'turn.started') this.tracing?.turnStarted({ team, ...fact }, number);
    if (fact.type === 'turn.ended') this.tracing?.turnEnded(team, fact.turn, fact.outcome);
  }

  #count(fact: Fact): void {
    switch (fact.type) {
      case 'turn.started':
        this.meters.add('bnerd_turns_started_total');
        break;
      case 'turn.ended':
        this.meters.add('bnerd_turns_ended_total', fact.outcome);
        break;
      case 'turn.lost':
        this.meters.add('bnerd_turns_lost_total');
        break;
      case 'brief.sent':
      case 'brief.accepted':
      case 'brief.delivered':
        this.meters.add('bnerd_briefs_total', fact.type.slice('brief.'.length));
        break;
      case 'brief.ended':
        this.meters.add('bnerd_briefs_total', fact.status);
        break;
    }
  }
}
