/**
 * What becomes of the entries that do not reach a member: a fact for the record and a word to the operator, each loud
 * (spec/skills.md §6, §7.3). One list for a team, in the order in which its members are composed.
 */

import type { RosterMember } from '../../catalog/roster.js';
import type { FactOf } from '../../events/event.js';
import type { Finding } from '../../shared/findings.js';
import type { Passed } from '../../skills/choose/gates.js';
import type { Entry } from '../../skills/entry.js';
import { type GuardHit, hitText } from '../../skills/guards/guard-entry.js';

export type EntryFact = FactOf<'entry.rejected' | 'entry.omitted'>;

export class EntryOutcomes {
  readonly #facts: EntryFact[] = [];
  readonly #findings: Finding[] = [];

  get facts(): readonly EntryFact[] {
    return this.#facts;
  }

  get findings(): readonly Finding[] {
    return this.#findings;
  }

  /** @param task what the entries were named for, when it was not the member's role */
  stopped(member: RosterMember, passed: Pick<Passed, 'rejected' | 'omitted'>, task: string | null): void {
    for (const { entry, detail } of passed.rejected) {
      const remedy = 'take it off the list, or give the role the tools it needs';
      this.#rejected(member, entry, 'capability', detail, task, remedy);
    }
    for (const { entry, reason, detail } of passed.omitted) {
      this.#omitted(member, entry, reason, detail, task);
      // What was switched off was switched off by the operator, who need not be told in every run.
      if (reason !== 'disabled') this.#told(member, entry, detail, task, 'take it off the list');
    }
  }

  guarded(member: RosterMember, entry: Entry, hits: readonly GuardHit[], task: string | null): void {
    const remedy = `read ${entry.path} and mend it, or take it off the list`;
    this.#rejected(member, entry, 'guard', hits.map(hitText).join('; '), task, remedy);
  }

  /** An entry that the reference block has no room for. */
  unroomed(member: RosterMember, entry: Entry, maxBytes: number, task: string | null): void {
    const detail = `the reference text of ${member.name} would be more than ${maxBytes} bytes with it (skills.max-bytes)`;
    this.#omitted(member, entry, 'budget', detail, task);
    this.#told(member, entry, detail, task, 'approve it with bnerd trust, shorten it, or raise max-bytes');
  }

  #rejected(
    member: RosterMember,
    entry: Entry,
    reason: FactOf<'entry.rejected'>['reason'],
    detail: string,
    task: string | null,
    remedy: string,
  ): void {
    const fact = { member: member.name, entry: entry.name, reason, detail: detail + ofTask(task) };
    this.#facts.push({ type: 'entry.rejected', ...fact });
    this.#told(member, entry, detail, task, remedy);
  }

  #omitted(
    member: RosterMember,
    entry: Entry,
    reason: FactOf<'entry.omitted'>['reason'],
    detail: string,
    task: string | null,
  ): void {
    const fact = { member: member.name, entry: entry.name, reason, detail: detail + ofTask(task) };
    this.#facts.push({ type: 'entry.omitted', ...fact });
  }

  #told(member: RosterMember, entry: Entry, detail: string, task: string | null, remedy: string): void {
    const { role, name } = member;
    const message = `${name} ${task === null ? 'starts' : `does ${task}`} without ${entry.kind} ${entry.name}: ${detail}`;
    this.#findings.push({ code: 'entry-rejected', severity: 'warning', path: role.path, message, remedy });
  }
}

function ofTask(task: string | null): string {
  return task === null ? '' : ` (task ${task})`;
}
