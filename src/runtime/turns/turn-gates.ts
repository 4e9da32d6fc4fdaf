/**
 * The gates before a team's models, as its members go through them: who asks is a member of a team, and how often in
 * a row a provider did not answer it stands in the record. A wait outlives its process: the next one is told of it.
 */

import type { Gate } from '../../agent/ask.js';
import type { Model } from '../../models/model.js';
import type { Pacer, Wait } from '../../models/pacing.js';
import type { Gates } from '../../models/pacing-gates.js';
import type { Clock } from '../../shared/clock.js';
import type { TeamStore } from '../../state/team-store.js';

export interface TurnGatesParts {
  /** Id of the team. */
  readonly team: string;
  readonly store: TeamStore;
  readonly clock: Clock;
  readonly gates: Gates;
}

export class TurnGates {
  readonly #parts: TurnGatesParts;

  constructor(parts: TurnGatesParts) {
    this.#parts = parts;
  }

  /** The way of one member to its model. */
  of(member: string, model: Model): Gate {
    const { clock, store } = this.#parts;
    const pacer = this.#parts.gates.of(model);
    const who = this.#who(member);
    return {
      enter: () => pacer.enter(who, clock.monotonicMs()),
      refused: (toldMs, said) => pacer.refused(who, clock.monotonicMs(), toldMs, said),
      unanswered: (toldMs) => {
        const before = store.state.members.get(member)?.refusals.unavailable ?? 0;
        return pacer.unanswered(who, before + 1, toldMs);
      },
      answered: () => pacer.answered(who),
      left: () => pacer.left(who),
    };
  }

  /** A team that is taken up: its members that were refused before keep their places. */
  remember(modelOf: (member: string) => Model): void {
    const { clock, store, gates } = this.#parts;
    const now = { team: store.now(), clock: clock.monotonicMs() };
    const waits = new Map<Pacer, Wait[]>();
    for (const { name, life } of store.state.members.values()) {
      if (life.kind !== 'waiting' || life.why !== 'rate_limited') continue;
      const pacer = gates.of(modelOf(name));
      // Team time counts whole milliseconds: a place is never later than the turn that comes to take it.
      const at = now.clock + life.until - now.team - 1;
      const wait = { who: this.#who(name), at, said: life.said };
      waits.set(pacer, [...(waits.get(pacer) ?? []), wait]);
    }
    for (const [pacer, of] of waits) pacer.remember(of);
  }

  #who(member: string): string {
    return `${this.#parts.team}/${member}`;
  }
}
