/**
 * What is refused by a limit that ends nothing (spec/team.md §1, §7): the refusal names number and limit, the record
 * keeps the first one of each limit, and the lead is told of it, once.
 */

import type { Fact } from '../../events/event.js';
import type { Limits } from '../../events/facts/frozen.js';
import { type Decision, refused } from '../decision.js';
import { type Numbering, reportToLead } from '../mail.js';
import type { TeamState } from '../state.js';

export interface Met {
  readonly limit: keyof Limits;
  /** The name it is kept under, where meeting the limit itself would end the run; absent: its own. */
  readonly as?: string;
  /** What was found: at least the limit. */
  readonly value: number;
  /** Whose wish it was; null: an operator's, who reads the refusal and needs no report. */
  readonly member: string | null;
  /** Why it is refused, with number and limit. */
  readonly text: string;
}

/** The refusal of a wish. */
export function refusedByLimit(state: TeamState, ids: Numbering, met: Met, code = 'limit'): Decision {
  return refused(code, met.text, metFacts(state, ids, met));
}

/** What is recorded and told the first time; nothing later. */
export function metFacts(state: TeamState, ids: Numbering, { limit, as, value, member, text }: Met): Fact[] {
  const kept = as ?? limit;
  if (member === null || state.limitsMet.has(kept)) return [];
  return [
    { type: 'limit.reached', limit: kept, value, member },
    ...reportToLead(
      state,
      ids,
      member,
      `${member} was refused something by limits.${limit}: ${text}. Later refusals by this limit are told to whoever meets them only.`,
    ),
  ];
}
