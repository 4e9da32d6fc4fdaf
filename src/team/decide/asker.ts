/** Who asks for something that lead and operator may both do, and what each may ask for. */

import type { Asker } from '../command.js';
import { type Decision, refused } from '../decision.js';
import type { TeamState } from '../state.js';

/** The name that facts carry for who asked. */
export function askerName(by: Asker): string {
  return by.kind === 'member' ? by.member : by.name;
}

/** The member that asks; null: an operator, whose name may be that of a member. */
export function askingMember(by: Asker): string | null {
  return by.kind === 'member' ? by.member : null;
}

/** Refusal unless the asker is the lead or the operator. */
export function notLead(state: TeamState, by: Asker, what: string): Decision | undefined {
  if (by.kind === 'operator' || by.member === state.lead) return undefined;
  return refused('lead_only', `only the lead (${state.lead}) may ${what}; ask it with team_send_message`);
}
