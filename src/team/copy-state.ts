/**
 * A second state that goes its own way: for whoever has to try facts that are not in the record yet, or keeps a state
 * while others go on (spec/engine.md §1 "decide again").
 *
 * One level deep, and for `appliedInTurns` two, and that is enough: `evolve` changes the fields of the state itself, its
 * ledger, and its maps and sets (`writable.ts`);
 * a member, task, message, request or brief that changes is replaced by a new one and never written to, so both states
 * may share those.
 */

import type { TeamState } from './state.js';

/** The fields of the state that hold something which is changed in place; the compiler holds the list below complete. */
type Containers = {
  [Key in keyof TeamState as TeamState[Key] extends ReadonlyMap<string, unknown> | ReadonlySet<string>
    ? Key
    : never]: TeamState[Key];
};

/**
 * A copy on which `evolveEntry` may be run: the state it was taken of does not change with it, nor the other way round.
 * It costs one new map per kind of thing, whatever the things hold.
 */
export function copyState(state: TeamState): TeamState {
  const own: Containers = {
    disabled: new Map(state.disabled),
    members: new Map(state.members),
    tasks: new Map(state.tasks),
    pending: new Set(state.pending),
    messages: new Map(state.messages),
    requests: new Map(state.requests),
    briefs: new Map(state.briefs),
    limitsMet: new Map(state.limitsMet),
    applied: new Map(state.applied),
    appliedInTurns: new Map([...state.appliedInTurns].map(([scope, given]) => [scope, new Map(given)])),
  };
  return { ...state, ...own, budget: { ...state.budget } };
}
