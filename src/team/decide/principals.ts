/**
 * Who may decide a request (spec/team.md §3, §6): an operator always, the lead where the seat of the asker says so.
 *
 *  D1 nobody decides for himself: what the lead asks for is the operator's;
 *  D2 of confirmations the lead may give those of class Write alone, and none of a write into an agent folder;
 *  D3 whoever decides has been shown all of it: what is too long for a message is not the lead's to decide.
 */

import type { FactOf } from '../../events/event.js';
import type { Command } from '../command.js';
import type { Member } from '../state.js';

export type Principal = FactOf<'request.opened'>['principals'][number];

/**
 * The principals of a request that is to be opened, the one who is told first at the head.
 * @param shownBytes the most of a text that a message shows whole
 */
export function principalsOf(
  { seat }: Pick<Member, 'seat'>,
  {
    opened,
    operatorConfirms,
  }: Pick<Extract<Command, { kind: 'request.open' }>, 'opened' | 'operatorConfirms'>,
  shownBytes: number,
): Principal[] {
  const byOperator: Principal[] = ['operator'];
  if (seat.lead) return byOperator;
  switch (opened.kind) {
    case 'plan':
      return seat.plan_approver === 'lead' ? ['lead', 'operator'] : byOperator;
    case 'confirmation': {
      const byLead =
        seat.confirm_approver === 'lead' &&
        opened.class === 'write' &&
        operatorConfirms !== true &&
        Buffer.byteLength(opened.arguments) <= shownBytes;
      return byLead ? ['lead', 'operator'] : byOperator;
    }
    case 'question':
    case 'gate':
      return byOperator;
  }
}
