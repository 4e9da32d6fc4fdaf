/**
 * Facts within a turn that change nothing about what should happen next, so that nobody has to look what that is: most of
 * what a turn records. A question asked after each of them costs all members each time.
 */

import type { Fact } from '../events/event.js';
import type { TeamState } from './state.js';

/**
 * Whether these facts make no turn due that was not due before, and bring nothing forward that waits for a time. Total; says
 * no rather than yes.
 * @param state with the facts in it
 */
export function areQuiet(state: TeamState, facts: readonly Fact[]): boolean {
  // Whoever waits for room in the budget is due, or no more, by what others reserve and give back.
  return (
    state.phase.kind === 'running' && facts.every((fact) => isQuiet(state, fact)) && !somebodyWaits(state)
  );
}

function isQuiet(state: TeamState, fact: Fact): boolean {
  switch (fact.type) {
    case 'turn.started':
      // What it is offered no more somebody else may be; who waits for the exclusive workspace is told so by a turn.
      return state.pending.size === 0 && state.members.get(fact.member)?.seat.exclusive_workspace === false;
    case 'budget.reserved':
    case 'budget.spent':
    case 'mail.delivered':
    case 'tool.started':
      return true;
    default:
      return false;
  }
}

function somebodyWaits({ members }: TeamState): boolean {
  for (const { life } of members.values()) if (life.kind === 'waiting') return true;
  return false;
}
