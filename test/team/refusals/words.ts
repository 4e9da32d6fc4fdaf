/** Refusals of mail, of requests and their answers, and of words about members and the end. */

import type { Command } from '../../../src/team/command.js';
import { aCall, loadedEntry, OPERATOR } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';
import { after, asking, busy, decide, type Row, resume, send, turn } from './given.js';

export const WORD_REFUSALS: readonly Row[] = [
  [
    'mail_too_large',
    /has 6 bytes; the limit is 5 .*put it into a file/,
    () => busy({}, { limits: { mail_bytes: 5 } }),
    (team) => send(team, 'lead', 'ä'.repeat(3)),
  ],
  ['mail_empty', /is empty/, () => busy(), (team) => send(team, 'lead', ' \n')],
  [
    'limit',
    /has sent \d+ messages; the limit is 3/,
    () => busy({}, { limits: { messages: 3 } }),
    (team) => send(team, 'lead'),
  ],
  [
    'nobody',
    /nobody else is in the team/,
    () => {
      const team = Team.start({ seats: ['lead'] });
      team.awake('lead');
      return team;
    },
    (team) => ({ kind: 'mail.send', by: team.by('lead'), to: 'all', body: 'hello', task: null }),
  ],
  ['to_self', /would wake nobody/, () => busy(), (team) => send(team, 'worker')],
  [
    'unknown_member',
    /undelivered: no member is named revewer; did you mean "reviewer"/,
    () => busy(),
    (team) => send(team, 'revewer'),
  ],
  [
    'member_stopped',
    /undelivered: reviewer was stopped/,
    () => after(busy(), { kind: 'member.stop', by: OPERATOR, member: 'reviewer', reason: '' }),
    (team) => send(team, 'reviewer'),
  ],
  [
    'mailbox_full',
    /lead has 0 bytes unread, and would have more than 8 \(limits\.unread_bytes\)/,
    () => busy({}, { limits: { unread_bytes: 8 } }),
    (team) => send(team, 'lead', 'x'.repeat(9)),
  ],
  [
    'mailbox_full',
    /would have more than 8 \(limits\.unread_bytes\)/,
    () => busy({}, { limits: { unread_bytes: 8 } }),
    (team) => send(team, 'all', 'x'.repeat(9)),
  ],
  // Requests.
  [
    'limit',
    /has 1 open requests; the limit is 1/,
    () => {
      const team = busy({}, { limits: { open_requests: 1 } });
      team.request('worker');
      return team;
    },
    (team) => team.opening('worker', { place: '9-9.0' }),
  ],
  [
    'not_in_plan_mode',
    /worker works without a plan/,
    () => busy(),
    (team) => team.opening('worker', { kind: 'plan', plan: 'first' }),
  ],
  [
    'not_a_principal',
    /no rule and no flag decides a plan/,
    () => busy({ plan_mode: true }),
    (team) =>
      team.opening('worker', {
        kind: 'plan',
        plan: 'first',
        decided: { decision: 'approve', by: { kind: 'policy', name: '--auto-approve all' } },
      }),
  ],
  [
    'not_a_principal',
    /r1 may be decided by operator only/,
    () => asking(),
    (team) => ({ ...decide('r1'), by: team.by('lead') }) as Command,
  ],
  [
    'not_a_principal',
    /reviewer may not decide r1 of worker/,
    () => {
      const team = busy({ plan_mode: true });
      team.park('worker', { kind: 'plan', plan: 'first' });
      return team;
    },
    (team) => ({ ...decide('r1'), by: team.by('reviewer') }) as Command,
  ],
  [
    'wrong_answer',
    /a confirmation is answered by approve or deny, not by answer/,
    () => asking(),
    () => decide('r1', 'answer'),
  ],
  [
    'wrong_answer',
    /approve is no answer to a question/,
    () => busy(),
    (team) =>
      team.opening('worker', {
        kind: 'question',
        decided: { decision: 'approve', by: { kind: 'policy', name: 'rule' } },
      }),
  ],
  ['unknown_request', /no request r9; open: r1/, () => asking(), () => decide('r9')],
  ['unknown_request', /no request r9; none is open/, () => busy(), () => decide('r9')],
  [
    'unknown_request',
    /worker cannot wait for null/,
    () => busy(),
    (team) => team.ending('worker', { outcome: 'parked' }),
  ],
  [
    'unknown_request',
    /reviewer cannot wait for r1/,
    () => asking(),
    (team) => team.ending('reviewer', { outcome: 'parked', request: 'r1' }),
  ],
  [
    'already_decided',
    /r1 was decided before: approve by operator \(operator\)/,
    () => after(asking(), decide('r1')),
    () => decide('r1', 'deny'),
  ],
  [
    'digest_mismatch',
    /names digest other; r1 is about digest of/,
    () => asking(),
    () => ({ ...decide('r1'), digest: 'other' }) as Command,
  ],
  [
    'digest_missing',
    /names the digest of what it is about: digest of/,
    () => {
      const team = busy({ plan_mode: true });
      team.park('worker', { kind: 'plan', plan: 'first' });
      return team;
    },
    (team) => ({ ...decide('r1'), by: team.by('lead') }) as Command,
  ],
  [
    'no_always',
    /always cannot be said of r1: no pattern is offered that would allow just this/,
    () => asking(),
    () => ({ ...decide('r1'), decision: 'always' }) as Command,
  ],
  [
    'limit',
    /the plan has 11 bytes; the lead is shown 10 \(limits\.mail_bytes\)/,
    () => busy({ plan_mode: true }, { limits: { mail_bytes: 10 } }),
    (team) => team.opening('worker', { kind: 'plan', plan: 'x'.repeat(11) }),
  ],
  [
    'expired',
    /r1 expired at .* of the run, 10 ms after it was asked: the call was not run and will not be/,
    () => {
      const team = asking({ request_timeout_ms: 10 });
      team.now += 10;
      team.sweep();
      return team;
    },
    () => decide('r1'),
  ],
  [
    'withdrawn',
    /r1 was withdrawn; it was not run/,
    () => after(asking(), { kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' }),
    () => decide('r1'),
  ],
  // Members and the end.
  [
    'already_live',
    /worker is in the team already \(working\); send it a message/,
    () => busy(),
    (team) => ({ kind: 'member.spawn', by: team.by('lead'), role: 'worker' }),
  ],
  [
    'stopped',
    /worker was stopped and does not come back .* give its tasks to another role/,
    () => after(busy(), { kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' }),
    (team) => ({ kind: 'member.spawn', by: team.by('lead'), role: 'worker' }),
  ],
  [
    'entry_disabled',
    /helper cannot be brought in: skill news is disabled by ~\/\.bnerd\.yaml; give its tasks to another role/,
    () => {
      const helper = { member: 'helper', on_demand: true, entries: [loadedEntry('news')] };
      const disabled = [{ name: 'news', place: '~/.bnerd.yaml' }];
      return after(Team.start({ seats: ['lead', helper] }), { ...resume, disabled });
    },
    () => ({ kind: 'member.spawn', by: OPERATOR, role: 'helper' }),
  ],
  [
    'limit',
    /worker has failed for good: the role allows 1 turns/,
    () => {
      const team = Team.start({ seats: ['lead', { member: 'worker', max_turns: 1 }] });
      team.mail('operator', 'worker');
      team.idles('worker');
      team.mail('operator', 'worker');
      return after(team, turn('worker'));
    },
    () => ({ kind: 'member.spawn', by: OPERATOR, role: 'worker' }),
  ],
  [
    'limit',
    /has 2 members; the limit is 2/,
    () =>
      Team.start({
        seats: ['lead', 'worker', { member: 'helper', on_demand: true }],
        limits: { members: 2 },
      }),
    () => ({ kind: 'member.spawn', by: OPERATOR, role: 'helper' }),
  ],
  [
    'unknown_member',
    /no member is named workr; did you mean "worker"/,
    () => busy(),
    () => ({ kind: 'member.stop', by: OPERATOR, member: 'workr', reason: '' }),
  ],
  [
    'not_a_member',
    /#1 is a task; worker holds it: stop worker by name/,
    () => busy(),
    () => ({ kind: 'member.stop', by: OPERATOR, member: '#1', reason: '' }),
  ],
  [
    'not_a_member',
    /r1 is a request of worker: stop worker by name, or decide the request/,
    () => asking(),
    () => ({ kind: 'member.stop', by: OPERATOR, member: 'r1', reason: '' }),
  ],
  [
    'stopping',
    /worker is being stopped and begins nothing more; end your turn/,
    () => after(busy(), { kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' }),
    (team) => ({ kind: 'budget.reserve', ...aCall(1), ...team.in('worker') }),
  ],
  [
    'not_forced',
    /worker is cut off only after its tools were killed/,
    () => after(busy(), { kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' }),
    () => ({ kind: 'member.unheeded', member: 'worker', step: 'cut' }),
  ],
  [
    'lead',
    /the lead cannot be stopped alone; stop the team/,
    () => busy(),
    () => ({ kind: 'member.stop', by: OPERATOR, member: 'lead', reason: '' }),
  ],
  [
    'still_open',
    /open: #1 \(claimed\), #2 \(pending\), r1 \(confirmation of worker\)\. Wait for them/,
    () => asking(),
    (team) => ({ kind: 'run.finish', outcome: 'done', result: '', ...team.in('lead') }),
  ],
  [
    'not_done',
    /#1 failed; use partial or failed, or reopen them/,
    () => {
      const team = busy({}, { tasks: [{}] });
      return after(team, team.update('#1', { status: 'failed' }));
    },
    (team) => ({ kind: 'run.finish', outcome: 'done', result: '', ...team.in('lead') }),
  ],
];
