/**
 * Two states that are to stay equal, compared after every step without looking at all of them again: `evolve` puts a new
 * member, task, request or brief in the place of one that changes, so a pair that was equal once stays so while both stand.
 */

import type { Member, TeamState } from '../../../src/team/state.js';
import { same } from '../../helpers/same.js';

export class Twins {
  readonly #members = new Pairs<Member>((member) => ({ ...member, seat: null }));
  readonly #tasks = new Pairs();
  readonly #requests = new Pairs();
  readonly #briefs = new Pairs();

  /** Whether they agree in what can still change: all but seats, mail that was read and commands that were given. */
  agree(one: TeamState, other: TeamState): boolean {
    return (
      same(top(one), top(other)) &&
      this.#members.agree(one.members, other.members) &&
      this.#tasks.agree(one.tasks, other.tasks) &&
      this.#requests.agree(one.requests, other.requests) &&
      this.#briefs.agree(one.briefs, other.briefs) &&
      same(unread(one), unread(other))
    );
  }
}

/** What stood under each key when it was equal. */
class Pairs<Part extends object> {
  readonly #equal = new Map<string, readonly [Part, Part]>();
  readonly #seen: (part: Part) => unknown;

  /** @param seen what of a part is compared */
  constructor(seen: (part: Part) => unknown = (part) => part) {
    this.#seen = seen;
  }

  agree(one: ReadonlyMap<string, Part>, other: ReadonlyMap<string, Part>): boolean {
    if (one.size !== other.size) return false;
    const others = other.entries();
    for (const [key, part] of one) {
      const twin = others.next().value;
      if (twin?.[0] !== key) return false;
      const known = this.#equal.get(key);
      if (known?.[0] === part && known[1] === twin[1]) continue;
      if (!same(this.#seen(part), this.#seen(twin[1]))) return false;
      this.#equal.set(key, [part, twin[1]]);
    }
    return true;
  }
}

function top({ phase, budget, told, counts, next, at, workspace }: TeamState): unknown {
  return [phase, budget, told, counts, next, at, workspace];
}

function unread({ members, messages }: TeamState): unknown {
  return [...members.values()].flatMap((member) => member.unread.map((id) => messages.get(id)));
}
