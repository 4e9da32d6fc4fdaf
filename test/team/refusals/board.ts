/** Refusals of commands about the board. */

import type { Command } from '../../../src/team/command.js';
import { OPERATOR, taskSpec } from '../../helpers/build-start.js';
import type { Team } from '../../helpers/build-state.js';
import { after, busy, claim, completed, create, emptyBoard, inReview, type Row, review } from './given.js';

export const BOARD_REFUSALS: readonly Row[] = [
  [
    'lead_only',
    /only the lead \(lead\) may create tasks; ask it/,
    () => busy(),
    (team) => ({ kind: 'task.create', by: team.by('worker'), tasks: [taskSpec()] }),
  ],
  [
    'lead_only',
    /may change tasks/,
    () => busy(),
    (team) => team.update('#1', { by: team.by('worker'), subject: 'mine' }),
  ],
  [
    'lead_only',
    /may spawn members/,
    () => busy(),
    (team) => ({ kind: 'member.spawn', by: team.by('worker'), role: 'lead' }),
  ],
  [
    'lead_only',
    /may stop members/,
    () => busy(),
    (team) => ({ kind: 'member.stop', by: team.by('worker'), member: 'lead', reason: '' }),
  ],
  [
    'lead_only',
    /may close the team/,
    () => busy(),
    (team) => ({ kind: 'run.finish', outcome: 'done', result: '', ...team.in('worker') }),
  ],
  [
    'limit',
    /holds 2 tasks; the limit is 2/,
    () => busy({}, { limits: { tasks: 2 } }),
    (team) => create(team, {}),
  ],
  [
    'unknown_role',
    /names writer, which is no role of this team; known: lead/,
    () => busy(),
    (team) => create(team, { role: 'writer' }),
  ],
  ['unknown_role', /did you mean "reviewer"/, () => busy(), (team) => create(team, { gates: ['reviewr'] })],
  [
    'unknown_role',
    /no role workr in this team; did you mean "worker"/,
    () => busy(),
    (team) => team.update('#1', { role: 'workr' }),
  ],
  [
    'unknown_role',
    /no role cook in this team/,
    () => busy(),
    (team) => ({ kind: 'member.spawn', by: team.by('lead'), role: 'cook' }),
  ],
  [
    'unknown_task',
    /#3 waits on #9, which is no task/,
    () => busy(),
    (team) => create(team, { blocked_by: ['#9'] }),
  ],
  [
    'unknown_task',
    /no task #9; the board has #1, #2/,
    () => busy(),
    (team) => team.update('#9', { subject: 'x' }),
  ],
  ['unknown_task', /no task #9/, () => busy(), (team) => team.update('#1', { addBlockedBy: ['#9'] })],
  ['unknown_task', /no task #9/, () => busy(), (team) => claim(team, 'worker', '#9')],
  ['unknown_task', /the board is empty/, emptyBoard, (team) => claim(team, 'lead', '#1')],
  [
    'unknown_task',
    /no task #9/,
    () => busy(),
    (team) => team.completion('worker', '#1', { addBlocks: ['#9'] }),
  ],
  [
    'duplicate_name',
    /#1 is named first already; give #3 another name/,
    () => busy(),
    (team) => create(team, { key: 'first' }),
  ],
  ['cycle', /#3 → #3/, () => busy(), (team) => create(team, { key: 'own', blocked_by: ['own'] })],
  ['cycle', /#2 → #2/, () => busy(), (team) => team.update('#2', { addBlockedBy: ['#2'] })],
  [
    'cycle',
    /cannot wait on itself: #1 → #1/,
    () => busy(),
    (team) => team.completion('worker', '#1', { addBlocks: ['#1'] }),
  ],
  [
    'cycle',
    /#1 → #2 → #1/,
    () => busy(),
    (team) => ({
      kind: 'task.block',
      task: '#1',
      attempt: 1,
      reason: 'transient',
      on: ['#2'],
      detail: '',
      ...team.in('worker'),
    }),
  ],
  ['nothing_to_change', /nothing of #1 was named/, () => busy(), (team) => team.update('#1')],
  [
    'nothing_to_change',
    /#2 is pending already/,
    () => busy(),
    (team) => team.update('#2', { status: 'pending' }),
  ],
  [
    'recipe_edge',
    /by the recipe and a model cannot loosen that; reopen #1, or cancel #2/,
    () => busy(),
    (team) => team.update('#2', { by: team.by('lead'), removeBlockedBy: ['#1'] }),
  ],
  [
    'completed',
    /#1 is completed and stays so; create a new task/,
    completed,
    (team) => team.update('#1', { status: 'pending' }),
  ],
  [
    'completed',
    /#1 is completed and waits on nothing/,
    completed,
    (team) => team.update('#1', { addBlockedBy: ['#2'] }),
  ],
  [
    'claimed',
    /#1 is claimed by worker; cancel it or stop the member/,
    () => busy(),
    (team) => team.update('#1', { status: 'pending' }),
  ],
  [
    'claimed',
    /#1 is claimed by worker and cannot wait on #3 now; ask worker/,
    () => {
      const team = busy();
      return after(team, create(team, {}));
    },
    (team) => team.update('#1', { addBlockedBy: ['#3'] }),
  ],
  [
    'upstream_failed',
    /#2 waits on #1 \(cancelled\): reopen that/,
    () => {
      const team = busy();
      return after(team, team.update('#1', { status: 'cancelled' }));
    },
    (team) => team.update('#2', { status: 'pending' }),
  ],
  ['ended', /#1 is completed already/, completed, (team) => team.update('#1', { status: 'failed' })],
  [
    'ended',
    /#3 is cancelled: waiting on it changes nothing/,
    () => {
      const team = busy();
      return after(team, create(team, {}), team.update('#3', { status: 'cancelled' }));
    },
    (team) => ({
      kind: 'task.block',
      task: '#1',
      attempt: 1,
      reason: 'transient',
      on: ['#3'],
      detail: '',
      ...team.in('worker'),
    }),
  ],
  [
    'already_claimed',
    /#1 is claimed by worker \(you\), attempt 1/,
    () => busy(),
    (team) => claim(team, 'worker', '#1'),
  ],
  ['not_claimable', /#1 is completed, not pending/, completed, (team) => claim(team, 'worker', '#1')],
  [
    'wrong_role',
    /#2 is for role worker; you are reviewer/,
    () => busy(),
    (team) => claim(team, 'reviewer', '#2'),
  ],
  [
    'waiting',
    /#2 waits on #1; it is offered when they are done/,
    () => busy(),
    (team) => claim(team, 'worker', '#2'),
  ],
  [
    'evidence_missing',
    /no evidence for: it runs\nartifact not found in the workspace: out\.md/,
    () => busy({}, { tasks: [{ acceptance: ['it works', 'it runs'] }] }),
    (team) =>
      team.completion('worker', '#1', {
        evidence: [
          { item: 'it works', text: 'seen' },
          { item: 'it runs', text: ' ' },
        ],
        missingArtifacts: ['out.md'],
      }),
  ],
  [
    'not_claimed',
    /you do not hold #2: it is pending; claim it/,
    () => busy(),
    (team) => team.completion('worker', '#2'),
  ],
  [
    'not_claimed',
    /it is claimed by worker, attempt 1/,
    () => busy(),
    (team) => ({ ...team.completion('worker', '#1'), ...team.in('reviewer') }),
  ],
  [
    'stale_attempt',
    /attempt 1 of #1 is over: it is completed; nothing was changed/,
    completed,
    (team) => team.completion('worker', '#1'),
  ],
  [
    'in_review',
    /#1 is handed in and in review by reviewer; wait/,
    () => inReview(),
    (team) => team.completion('worker', '#1'),
  ],
  ['not_in_review', /#1 is claimed, not in review/, () => busy(), (team) => review(team, 'reviewer')],
  [
    'stale_attempt',
    /attempt 7 of #1 is over; 1 is in review/,
    () => inReview(),
    (team) => review(team, 'reviewer', 7),
  ],
  [
    'not_a_gate',
    /#1 is reviewed by reviewer; you are lead/,
    () => inReview(),
    (team) => review(team, 'lead'),
  ],
  [
    'evidence_changed',
    /your verdict names the evidence old; in review is [0-9a-f]{64}: look at it with team_task_get/,
    () => inReview(),
    (team) => team.verdict('reviewer', '#1', { evidenceDigest: 'old' }),
  ],
  [
    'artifact_missing',
    /#1 cannot be completed: not found in the workspace: report\.md; ask for changes/,
    () => inReview(),
    (team) => team.verdict('reviewer', '#1', { missingArtifacts: ['report.md'] }),
  ],
  [
    'with_operator',
    /the review rounds of #1 are used up and the operator is asked how it goes on \(r1\)/,
    atTheGate,
    (team) => team.verdict('reviewer', '#1'),
  ],
  ['no_text', /say what #1 is to be now: rescope <text>/, atTheGate, () => gateAnswer('revise')],
  [
    'artifact_missing',
    /#1 cannot be accepted: not found in the workspace: report\.md; re-scope it, or abandon it/,
    atTheGate,
    () => ({ ...gateAnswer('approve'), missingArtifacts: ['report.md'] }),
  ],
  [
    'ambiguous_name',
    /the task named 1 will be #3, and #1 is another: give it a name that is no number/,
    () => busy(),
    (team) => create(team, { key: '1' }),
  ],
  [
    'no_findings',
    /changes on #1 are asked for by findings, and there are none/,
    () => inReview(),
    (team) => team.verdict('reviewer', '#1', { verdict: 'request_changes', findings: ' \n' }),
  ],
  [
    'own_work',
    /cannot review your own #1/,
    () => inReview(['worker'], { seats: ['lead', 'worker', 'reviewer', { member: 'twin', role: 'worker' }] }),
    (team) => review(team, 'worker'),
  ],
  [
    'gate_by_owner',
    /#3 is to be done and judged by worker: nobody's verdict on their own work counts/,
    () => busy(),
    (team) => create(team, { role: 'worker', gates: ['worker'] }),
  ],
  [
    'gate_by_owner',
    /#1 is to be done and judged by reviewer/,
    () => inReview(),
    (team) => team.update('#1', { role: 'reviewer' }),
  ],
  [
    'gate_by_owner',
    /#3 is judged by reviewer, and you are the only one/,
    () => {
      const team = busy();
      return after(team, create(team, { gates: ['reviewer'] }));
    },
    (team) => claim(team, 'reviewer', '#3'),
  ],
];

/** A team whose reviewer has used up the one round there is: r1 asks the operator about #1. */
function atTheGate(): Team {
  const team = inReview(['reviewer'], { limits: { review_rounds: 1 } });
  team.ok(team.verdict('reviewer', '#1', { verdict: 'request_changes', findings: 'not so' }));
  return team;
}

function gateAnswer(decision: 'approve' | 'revise'): Extract<Command, { kind: 'request.decide' }> {
  return { kind: 'request.decide', by: OPERATOR, request: 'r1', decision, text: null, digest: null };
}
