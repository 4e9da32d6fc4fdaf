/**
 * What each member of a running team does now: for lines that break a silence, and for nothing else. Never recorded,
 * never decided by.
 */

import type { Clock } from '../../shared/clock.js';
import type { TeamState } from '../../team/show/view.js';
import { leftOf, waitedFor, waitingMembers } from '../../team/waits.js';

export interface MemberActivity {
  readonly member: string;
  /** `thinking`, `answering, 1,240 characters`, `running fs_grep`, `waits for anthropic (rate limited)`. */
  readonly what: string;
  readonly sinceMs: number;
  /** How much longer it will be so, where that is known. */
  readonly leftMs?: number;
}

interface Busy {
  readonly what: string;
  readonly since: number;
  /** Of an answer that is shown while it comes; null while none is. */
  readonly characters: number | null;
}

export class Activity {
  readonly #clock: Clock;
  readonly #busy = new Map<string, Busy>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A member begins to do something; null: its turn is over. */
  begins(member: string, what: string | null): void {
    if (what === null) this.#busy.delete(member);
    else this.#busy.set(member, { what, since: this.#clock.monotonicMs(), characters: null });
  }

  /** A piece of a member's answer has come. */
  hears(member: string, fragment: string): void {
    const busy = this.#busy.get(member);
    if (busy === undefined) return;
    const { characters } = busy;
    const since = characters === null ? this.#clock.monotonicMs() : busy.since;
    this.#busy.set(member, { what: 'answering', since, characters: (characters ?? 0) + fragment.length });
  }

  /**
   * What is going on.
   * @param teamNow team time in milliseconds
   */
  now(state: TeamState, teamNow: number): readonly MemberActivity[] {
    const now = this.#clock.monotonicMs();
    const busy = [...this.#busy].map(([member, { what, since, characters }]) => ({
      member,
      what: characters === null ? what : `${what}, ${characters.toLocaleString('en-US')} characters`,
      sinceMs: now - since,
    }));
    return [...busy, ...waits(state, teamNow)];
  }
}

function waits(state: TeamState, now: number): MemberActivity[] {
  if (state.phase.kind !== 'running') return [];
  return waitingMembers(state).map(({ member, wait }) => ({
    member: member.name,
    what: `waits for ${waitedFor(wait)}`,
    sinceMs: now - wait.from,
    ...(wait.why === 'budget' ? {} : { leftMs: leftOf(wait, now) }),
  }));
}
