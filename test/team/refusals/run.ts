/** Refusals of commands about the run and its turns. */

import type { Command } from '../../../src/team/command.js';
import { aCall, OPERATOR } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';
import {
  after,
  asking,
  busy,
  cancelled,
  closed,
  create,
  decide,
  done,
  type Row,
  resume,
  send,
  start,
  toolStart,
  turn,
} from './given.js';

export const RUN_REFUSALS: readonly Row[] = [
  ['not_started', /never started; use bnerd team run/, () => new Team(), () => resume],
  ['already_started', /use resume/, () => Team.start(), () => start()],
  ['no_lead', /name one always-on role as lead/, () => new Team(), () => start({ seats: ['worker'] })],
  [
    'no_lead',
    /there from the start/,
    () => new Team(),
    () => start({ seats: [{ member: 'lead', on_demand: true }] }),
  ],
  ['limit', /starts 2 members; the limit is 1/, () => new Team(), () => start({ limits: { members: 1 } })],
  ['finished', /has ended: done; there is nothing to resume/, done, () => resume],
  [
    'finished',
    /has ended: done; nothing changes it/,
    done,
    () => ({ kind: 'mail.send', by: OPERATOR, to: 'lead', body: 'hello', task: null }),
  ],
  [
    'ended',
    /has ended: cancelled; take it up again/,
    () => {
      const team = busy();
      team.ok({ kind: 'run.fail', cause: 'error', detail: 'a bug' });
      team.ok(resume);
      team.awake('worker');
      team.ok({ kind: 'run.stop', by: 'operator', cause: 'stop' });
      team.end('worker', { outcome: 'cancelled' });
      team.sweep();
      return team;
    },
    () => ({
      kind: 'turn.end',
      member: 'worker',
      turn: 1,
      outcome: 'finished',
      request: null,
      upto: '',
      text: null,
      calls: 0,
      cut: false,
      detail: null,
    }),
  ],
  [
    'live',
    /the run is running; stop it first/,
    () => Team.start(),
    () => ({ kind: 'run.archive', by: 'operator' }),
  ],
  [
    'archived',
    /nothing can change it/,
    () => after(cancelled(), { kind: 'run.archive', by: 'operator' }),
    () => resume,
  ],
  ['closing', /end your turn/, closed, (team) => send(team, 'lead')],
  ['closing', /nothing new is taken on/, closed, (team) => create(team, {})],
  ['closing', /nothing new is taken on/, closed, (team) => team.opening('worker')],
  // Turns.
  ['unknown_member', /no member is named nobody/, () => Team.start(), () => turn('nobody')],
  [
    'not_running',
    /is stopping: no new turns/,
    () => after(Team.start(), { kind: 'run.stop', by: 'operator', cause: 'stop' }),
    () => turn('lead'),
  ],
  [
    'not_running',
    /is finishing already/,
    closed,
    (team) => ({ kind: 'run.finish', outcome: 'failed', result: 'no', ...team.in('lead') }),
  ],
  [
    'lead_failed',
    /the lead has failed/,
    () => {
      const team = Team.start();
      team.mail('operator', 'worker');
      team.turn('lead');
      team.ok({
        kind: 'turn.fail',
        upto: '',
        calls: 0,
        code: 'model',
        error: 'no answer',
        ...team.in('lead'),
      });
      return team;
    },
    () => turn('worker'),
  ],
  [
    'limit',
    /limit of turns/,
    () => {
      const team = Team.start({ limits: { turns: 1 } });
      team.idles('lead');
      team.mail('operator', 'lead');
      return team;
    },
    () => turn('lead'),
  ],
  [
    'limit',
    /limit of tokens/,
    () => busy({}, { limits: { tokens: 300 } }),
    (team) => ({ kind: 'budget.reserve', ...aCall(1), ...team.in('worker') }),
  ],
  [
    'limit',
    /used 300 of 400 \(limits\.tokens\), and the next call does not fit into the rest/,
    () => busy({}, { limits: { tokens: 400 } }),
    (team) => ({ kind: 'budget.reserve', ...aCall(101, { leastOutputTokens: 101 }), ...team.in('worker') }),
  ],
  [
    'limit',
    /used 7 of 7 \(limits\.record_bytes\)/,
    () => busy({}, { limits: { record_bytes: 7 } }),
    (team) => ({ kind: 'budget.reserve', ...aCall(1), recordBytes: 7, ...team.in('worker') }),
  ],
  [
    'no_room',
    /worker waits: what is left of the budget is reserved/,
    () => {
      const team = busy({}, { limits: { tokens: 400 } });
      return after(team, { kind: 'budget.reserve', ...aCall(60), ...team.in('reviewer') });
    },
    (team) => ({ kind: 'budget.reserve', ...aCall(60), ...team.in('worker') }),
  ],
  ['already_working', /works on turn \d+/, () => busy(), () => turn('worker')],
  ['not_due', /nothing is due for worker/, () => Team.start(), () => turn('worker')],
  [
    'workspace_busy',
    /one works in the exclusive workspace/,
    () => {
      const team = Team.start({
        seats: [
          'lead',
          { member: 'one', exclusive_workspace: true },
          { member: 'two', exclusive_workspace: true },
        ],
      });
      team.mail('operator', 'all');
      team.turn('one');
      return after(team, turn('two')); // That it waits is said once.
    },
    () => turn('two'),
  ],
  [
    'stopping',
    /being stopped/,
    () => after(busy(), { kind: 'run.stop', by: 'operator', cause: 'stop' }),
    (team) => ({ kind: 'budget.reserve', ...aCall(1), ...team.in('worker') }),
  ],
  [
    'stale_turn',
    /not its live turn: turn \d+ is running/,
    () => busy(),
    () => ({ kind: 'budget.reserve', ...aCall(1), member: 'worker', turn: 1 }),
  ],
  [
    'stale_turn',
    /not its live turn: it is parked/,
    () => asking(),
    () => ({ kind: 'task.claim', task: '#2', member: 'worker', turn: 1 }),
  ],
  [
    'unknown_member',
    /no member is named nobody/,
    () => Team.start(),
    () => ({ kind: 'task.claim', task: '#1', member: 'nobody', turn: 1 }),
  ],
  [
    'already_started',
    /has started before/,
    () => {
      const team = busy();
      return after(team, toolStart(team, null, 'digest'));
    },
    (team) => toolStart(team, null, 'digest'),
  ],
  [
    'not_approved',
    /r1 is not approved/,
    () => {
      const team = busy();
      team.request('worker');
      return team;
    },
    (team) => toolStart(team, 'r1', 'digest'),
  ],
  [
    'approval_used',
    /approval of r1 has been used/,
    () => {
      const team = busy();
      const digest = 'digest';
      team.request('worker', { digest });
      return after(team, decide('r1'), { ...toolStart(team, 'r1', digest), place: '8-1.0' } as Command);
    },
    (team) => toolStart(team, 'r1', 'digest'),
  ],
  [
    'digest_mismatch',
    /approved another call than this one/,
    () => {
      const team = busy();
      team.request('worker', { digest: 'digest' });
      return after(team, decide('r1'));
    },
    (team) => toolStart(team, 'r1', 'another'),
  ],
  [
    'not_admitted',
    /safety read-only does not admit write tools/,
    () => {
      const team = Team.start({ safety: 'read-only' });
      team.mail('operator', 'worker');
      team.turn('worker');
      return team;
    },
    (team) => toolStart(team, null, 'digest'),
  ],
  [
    'not_admitted',
    /plan mode: no write tool before the plan is approved/,
    () => {
      const team = Team.start({ seats: ['lead', { member: 'worker', plan_mode: true }] });
      team.mail('operator', 'worker');
      team.turn('worker');
      return team;
    },
    (team) => toolStart(team, null, 'digest'),
  ],
];
