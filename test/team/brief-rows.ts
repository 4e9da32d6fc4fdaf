/** The rows of the commands about briefs. */

import type { FactType } from '../../src/events/event.js';
import type { BriefCommand, Command } from '../../src/team/command.js';
import {
  acceptance,
  adopting,
  briefOffer,
  delegated,
  delegating,
  ending,
  lateResult,
  send,
} from '../helpers/build-brief.js';
import { OPERATOR, type Team } from '../helpers/build-state.js';

/** Given a team, when the command, then these facts, in order. */
export interface Row {
  readonly given: () => Team;
  readonly when: (team: Team) => Command;
  readonly facts: readonly FactType[];
}

export const BRIEF_ROWS: Readonly<Record<BriefCommand['kind'], Row>> = {
  'brief.send': {
    given: delegating,
    when: (team) => ({ kind: 'brief.send', sent: briefOffer(), ...team.in('worker') }),
    facts: ['brief.sent'],
  },
  'brief.accept': {
    given: () => {
      const team = delegating();
      send(team);
      return team;
    },
    when: () => acceptance(briefOffer().brief),
    facts: ['brief.accepted'],
  },
  'brief.progress': {
    given: () => delegated().team,
    when: () => ({ kind: 'brief.progress', brief: briefOffer().brief, step: 'workspace', detail: null }),
    facts: ['brief.progress'],
  },
  'brief.cancel': {
    given: () => delegated().team,
    when: () => ({ kind: 'brief.cancel', by: OPERATOR, brief: briefOffer().brief, reason: 'enough' }),
    facts: ['brief.cancel_requested'],
  },
  'brief.end': {
    given: () => delegated().team,
    when: (team) => ending(team.state, briefOffer().brief),
    facts: ['brief.delivered', 'brief.ended', 'mail.sent'],
  },
  'brief.lose': {
    given: () => delegated().team,
    when: () => ({
      kind: 'brief.lose',
      brief: briefOffer().brief,
      detail: 'gone',
      again: briefOffer({ offer: 2 }),
    }),
    facts: ['brief.ended', 'brief.sent'],
  },
  'brief.adopt': {
    given: () => lateResult().team,
    when: (team) => adopting(team),
    facts: ['brief.adopted', 'brief.delivered', 'mail.sent'],
  },
  'brief.unserved': {
    given: () => {
      const team = delegating();
      send(team);
      return team;
    },
    when: () => ({
      kind: 'brief.unserved',
      brief: briefOffer().brief,
      pool: 'vm',
      why: 'no_runner',
      detail: null,
    }),
    facts: ['brief.evidence', 'mail.sent'],
  },
  'brief.witness': {
    given: () => delegated().team,
    when: () => ({
      kind: 'brief.witness',
      brief: briefOffer().brief,
      code: 'bad_signature',
      detail: 'forged',
      result: null,
    }),
    facts: ['brief.evidence'],
  },
};
