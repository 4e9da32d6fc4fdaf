/**
 * What is durable of a log that others write as well, apart from what this process has decided and not yet seen in it: the
 * state to go back to when somebody else was first (`team-store.ts` S4).
 *
 * As long as nothing runs ahead the state itself is what is durable, and nothing is kept here. Before something runs ahead a
 * copy of it is taken; what becomes durable from then on is folded into the copy only when it is needed. So a decision costs
 * one fold, and a team at which nobody works is held once.
 */

import type { LogEntry } from '../events/log-entry.js';
import { BugError } from '../shared/errors.js';
import { copyState } from '../team/copy-state.js';
import { evolveEntry } from '../team/evolve.js';
import type { TeamState } from '../team/state.js';

/** A copy takes this many things of the state along in the time in which one entry is folded, about. */
const THINGS_BY_ENTRY = 8;

/** So many entries are kept at least before the copy is made anew or carried on. */
const LEAST_ENTRIES = 16;

export class DurableState {
  /** Undefined: nothing runs ahead of the state. */
  #copy: TeamState | undefined;
  /** Durable as well, and not in the copy. */
  #since: LogEntry[] = [];

  /** The state is about to run ahead. */
  before(state: TeamState): void {
    this.#copy ??= copyState(state);
  }

  /**
   * An entry is durable, and in the state.
   * @param ahead whether the state runs ahead of it
   */
  add(entry: LogEntry, state: TeamState, ahead: boolean): void {
    if (this.#copy === undefined) return;
    this.#since.push(entry);
    if (this.#since.length < Math.max(LEAST_ENTRIES, sizeOf(state) / THINGS_BY_ENTRY)) return;
    if (ahead) this.#carryOn(this.#copy);
    else this.rest();
  }

  /** Nothing runs ahead: what was kept is let go. */
  rest(): void {
    this.#copy = undefined;
    this.#since = [];
  }

  /** The durable state, for whoever has lost what ran ahead: it is the caller's from here on. */
  back(): TeamState {
    const durable = this.#copy;
    if (durable === undefined) throw new BugError('no-copy', 'a state ran ahead of which there is no copy');
    this.#carryOn(durable);
    this.rest();
    return durable;
  }

  #carryOn(copy: TeamState): void {
    for (const entry of this.#since) evolveEntry(copy, entry);
    this.#since = [];
  }
}

function sizeOf({ members, tasks, messages, requests, briefs, applied }: TeamState): number {
  return members.size + tasks.size + messages.size + requests.size + briefs.size + applied.size;
}
