/**
 * What an entry says more than once, kept once: members of a team mostly have the same tools, texts and entries, and a seat
 * stands in the start of the run and again where its member is spawned. A log is read as text, so that each mention would
 * be a copy of its own for as long as the team is held.
 *
 * Always true: the entry is equal to the one that was given.
 */

import type { Fact } from '../events/event.js';
import type { LogEntry } from '../events/log-entry.js';
import type { TeamState } from '../team/state.js';

/**
 * The entry with one object for what is equal in its seats, and for seats that the run has already.
 * @param run as it is before the entry
 */
export function withOneCopy(entry: LogEntry, run: TeamState['run']): LogEntry {
  if (!entry.facts.some(hasSeats)) return entry;
  let started = run;
  const facts = entry.facts.map((fact): Fact => {
    if (fact.type === 'run.started') {
      const copies = new Copies();
      started = { ...fact, seats: fact.seats.map((seat) => copies.inside(seat)) };
      return started;
    }
    if (fact.type !== 'member.spawned') return fact;
    const known = started?.seats.find(({ member }) => member === fact.seat.member);
    if (known === undefined || JSON.stringify(known) !== JSON.stringify(fact.seat)) return fact;
    return { ...fact, seat: known };
  });
  return { ...entry, facts };
}

function hasSeats({ type }: Fact): boolean {
  return type === 'run.started' || type === 'member.spawned';
}

/** JSON values, the first of each that are equal. */
class Copies {
  readonly #first = new Map<string, unknown>();

  /** A value of its own whose parts are shared. */
  inside<Value extends object>(value: Value): Value {
    const own = (Array.isArray(value) ? [...value] : { ...value }) as Value;
    for (const [key, part] of Object.entries(value)) Reflect.set(own, key, this.#of(part));
    return own;
  }

  #of(value: unknown): unknown {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value;
    const text = JSON.stringify(value);
    const first = this.#first.get(text);
    if (first !== undefined) return first;
    const kept = typeof value === 'string' ? value : this.inside(value);
    this.#first.set(text, kept);
    return kept;
  }
}
