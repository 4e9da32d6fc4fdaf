/** Refusals of commands about briefs. */

import type { BriefOffer, Command } from '../../../src/team/command.js';
import {
  acceptance,
  adopting,
  briefOffer,
  delegated,
  delegating,
  ending,
  frozenEngineer,
  LATE,
  lateResult,
  send,
} from '../../helpers/build-brief.js';
import { OPERATOR, type Team } from '../../helpers/build-state.js';
import type { Row } from './given.js';

const out = (): Team => delegated().team;
const BRIEF = briefOffer().brief;

const sending = (team: Team, more: Partial<BriefOffer> = {}, member = 'worker'): Command => ({
  kind: 'brief.send',
  sent: briefOffer(more),
  ...team.in(member),
});

const cancel = (brief: string, by: Extract<Command, { kind: 'brief.cancel' }>['by'] = OPERATOR): Command => ({
  kind: 'brief.cancel',
  by,
  brief,
  reason: '',
});

function over(): Team {
  const team = out();
  team.ok(ending(team.state, BRIEF));
  return team;
}

function cancelling(): Team {
  const team = delegating();
  team.ok(cancel(send(team)));
  return team;
}

const late = (): Team => lateResult().team;

const SECOND = briefOffer({ offer: 2 }).brief;

/** Lost, its result come late, and offered again before that. */
function again(): Team {
  const team = out();
  team.ok({
    kind: 'brief.lose',
    brief: BRIEF,
    detail: 'its runner is gone',
    again: briefOffer({ offer: 2 }),
  });
  team.refusal(ending(team.state, BRIEF, {}, { text: LATE }));
  return team;
}

export const BRIEF_REFUSALS: readonly Row[] = [
  ['unknown_task', /the board has #1/, delegating, (team) => sending(team, { task: '#9' })],
  ['not_delegating', /lead may not delegate/, delegating, (team) => sending(team, {}, 'lead')],
  ['not_delegating', /worker may not/, () => delegating({ engineer: null }), (team) => sending(team)],
  [
    'unknown_verify',
    /no command tset; did you mean "test"/,
    delegating,
    (team) => sending(team, { verify: ['tset'] }),
  ],
  ['not_admitted', /safety non-destructive/, delegating, (team) => sending(team, { safety: 'full' })],
  ['brief_live', /an engineer has #1: brief .*accepted/, out, (team) => sending(team, { offer: 2 })],
  ['brief_live', /wait for its end, you are told/, cancelling, (team) => team.completion('worker', '#1')],
  [
    'prepare_again',
    /attempt 2 of #1, wanted is 1 of #1/,
    delegating,
    (team) => sending(team, { attempt: 2 }),
  ],
  [
    'already_claimed',
    /claimed by worker/,
    () => delegating({ engineer: frozenEngineer(['lead']) }),
    (team) => sending(team, {}, 'lead'),
  ],
  [
    'in_review',
    /handed in and in review by reviewer; wait/,
    () => {
      const team = delegating({
        seats: ['lead', 'worker', 'reviewer'],
        tasks: [{ role: 'worker', gates: ['reviewer'] }],
      });
      team.ok(team.completion('worker', '#1'));
      return team;
    },
    (team) => sending(team),
  ],
  [
    'cost_missing',
    /may cost 2 USD/,
    () => delegating({ limits: { cost_usd: 2 } }),
    (team) => sending(team, { cost_usd: null }),
  ],
  [
    'limit',
    /2 are left of 2/,
    () => delegating({ limits: { cost_usd: 2 } }),
    (team) => sending(team, { cost_usd: 3 }),
  ],
  ['limit', /limit of turns: 2 of 2/, () => delegating({ limits: { turns: 2 } }), (team) => sending(team)],
  ['unknown_brief', /no brief is out/, delegating, () => cancel('none')],
  ['unknown_brief', /no brief none was sent; out are/, out, () => acceptance('none')],
  [
    'not_yours',
    /only that member and the lead/,
    () => {
      const team = delegated({ seats: ['lead', 'worker', 'reviewer'] }).team;
      team.mail('operator', 'reviewer');
      team.awake('reviewer');
      return team;
    },
    (team) => cancel(BRIEF, team.by('reviewer')),
  ],
  ['brief_over', /has ended: completed/, over, () => cancel(BRIEF)],
  ['brief_over', /its result is kept/, over, (team) => ending(team.state, BRIEF, {}, { text: 'another' })],
  [
    'being_ended',
    /becomes failed by the word of operator/,
    () => {
      const team = out();
      team.ok(team.update('#1', { status: 'failed' }));
      return team;
    },
    (team) => team.update('#1', { status: 'cancelled' }),
  ],
  ['cancelling', /do not begin/, cancelling, () => acceptance(BRIEF)],
  ['taken', /taken by runner-1/, out, () => acceptance(BRIEF, { runner: 'runner-2' })],
  [
    'block_mismatch',
    /has made block/,
    () => {
      const team = delegating();
      send(team);
      return team;
    },
    () => acceptance(BRIEF, { sent_block: 'x' }),
  ],
  [
    'not_accepted',
    /accepted by nobody/,
    () => {
      const team = delegating();
      send(team);
      return team;
    },
    () => ({ kind: 'brief.progress', brief: BRIEF, step: 'engineer', detail: null }),
  ],
  [
    'closing',
    /nothing new is taken on/,
    () => {
      const team = delegating();
      team.ok(team.completion('worker', '#1'));
      team.ok({ kind: 'run.finish', outcome: 'done', result: '', ...team.in('lead') });
      return team;
    },
    (team) => sending(team, { attempt: 2 }),
  ],
  [
    'lead_only',
    /only the lead \(lead\) may adopt/,
    late,
    (team) => adopting(team, { by: team.by('worker') }),
  ],
  ['unknown_brief', /no brief none was sent/, late, (team) => adopting(team, { brief: 'none' })],
  ['not_lost', /is not lost: accepted/, out, (team) => adopting(team)],
  ['not_lost', /is not lost: completed/, over, (team) => adopting(team)],
  [
    'not_lost',
    /adopted before/,
    () => {
      const team = late();
      team.ok(adopting(team));
      return team;
    },
    (team) => adopting(team, { text: 'another' }),
  ],
  [
    'newer_attempt',
    /attempt 2 of #1 has started since brief .* of attempt 1 was lost/,
    () => {
      const team = late();
      team.ok(team.update('#1', { status: 'pending' }));
      team.claim('worker', '#1');
      return team;
    },
    (team) => adopting(team),
  ],
  ['offered_again', /was offered again: brief .*o2 \(sent\) is out/, again, (team) => adopting(team)],
  [
    'delivered',
    /attempt 1 of #1 has delivered/,
    () => {
      const team = again();
      team.ok(ending(team.state, SECOND));
      return team;
    },
    (team) => adopting(team),
  ],
  [
    'task_moved_on',
    /#1 is cancelled/,
    () => {
      const team = late();
      team.ok(team.update('#1', { status: 'pending' }));
      team.ok(team.update('#1', { status: 'cancelled' }));
      return team;
    },
    (team) => adopting(team),
  ],
  [
    'member_gone',
    /start it again with team_spawn/,
    () => {
      const team = late();
      team.end('worker');
      team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' });
      return team;
    },
    (team) => adopting(team),
  ],
  [
    'waiting',
    /#1 waits on #2; adopt the result when/,
    () => {
      const { team } = lateResult({ tasks: [{ role: 'worker' }, {}] });
      team.ok(team.update('#1', { addBlockedBy: ['#2'] }));
      return team;
    },
    (team) => adopting(team),
  ],
  [
    'not_completed',
    /but failed \(verify_failed\): not run: test/,
    late,
    (team) => adopting(team, {}, { verify: [] }),
  ],
  [
    'stopping',
    /begins nothing more/,
    () => {
      const team = delegating();
      team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' });
      return team;
    },
    (team) => sending(team),
  ],
];
