/**
 * What commands have given, by their ids (idempotency, spec/engine.md §1): those of a turn until it ends, of the others the
 * newest few. Those of each member's turn stand by themselves, so that its end costs nothing of anybody else's.
 */

import type { Applied, TeamState } from './state.js';

/** What the command of this id has given; undefined when it was not applied, or was forgotten since. */
export function appliedOf(state: TeamState, id: string): Applied | undefined {
  const scope = scopeOf(id);
  return scope === undefined ? state.applied.get(id) : state.appliedInTurns.get(scope)?.get(id);
}

/** The prefix of the ids of all commands that a member's turn gives; forgotten when the turn ends. */
export function turnScope(member: string): string {
  return `${TURN}${member}/`;
}

/** The scope that the id of a turn's command begins with; undefined for all others. No member has a slash in its name. */
export function scopeOf(id: string): string | undefined {
  if (!id.startsWith(TURN)) return undefined;
  const end = id.indexOf('/', TURN.length);
  return end === -1 ? undefined : id.slice(0, end + 1);
}

const TURN = 'turn/';
