// After the review rounds the operator decides (src/team/decide/gate.ts).
import { describe, expect, test } from 'vitest';
import type { TaskSpec } from '../../src/events/facts/frozen.js';
import type { Command } from '../../src/team/command.js';
import { statusView } from '../../src/team/show/status.js';
import { OPERATOR, sameState, Team } from '../helpers/build-state.js';

const ROUNDS = 2;

/** The worker hands in and the reviewer asks for changes until the rounds are used up: r1 asks the operator. */
function atTheGate(task: Partial<TaskSpec> = {}): Team {
  const team = Team.start({
    seats: ['lead', 'worker', 'reviewer', 'security'],
    tasks: [
      { key: 'job', subject: 'Change it', role: 'worker', gates: ['reviewer'], ...task },
      { key: 'next', role: 'worker', blocked_by: ['job'] },
      { key: 'last', role: 'worker', blocked_by: ['job'], upstream: 'fail' },
    ],
    limits: { review_rounds: ROUNDS },
  });
  team.idles('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  for (let round = 1; round <= ROUNDS; round++) goRound(team, round);
  return team;
}

function goRound(
  team: Team,
  round: number,
  verdict: 'approve' | 'request_changes' = 'request_changes',
): void {
  if (team.member('worker').life.kind !== 'working') team.awake('worker');
  team.ok(team.completion('worker', '#1', { summary: `version ${round}`, artifactBytes: 100 * round }));
  team.end('worker', { calls: 1 });
  team.awake('reviewer');
  team.ok(team.verdict('reviewer', '#1', { verdict, findings: `flaw ${round}` }));
  team.end('reviewer', { calls: 1 });
}

function answer(
  decision: 'approve' | 'revise' | 'deny',
  text: string | null = null,
): Extract<Command, { kind: 'request.decide' }> {
  return {
    kind: 'request.decide',
    by: OPERATOR,
    request: 'r1',
    decision,
    text,
    digest: null,
    missingArtifacts: [],
  };
}

describe('when the review rounds are used up', () => {
  test('the operator is asked, with every round, its findings and how the work has grown', () => {
    const team = atTheGate();
    const [request] = team.facts('request.opened');
    expect(request).toMatchObject({ kind: 'gate', task: '#1', principals: ['operator'], expires_ms: null });
    expect(request?.summary).toBe('#1 (Change it): reviewer asks for changes after 2 review rounds');
    const shown = JSON.parse(request?.arguments ?? '');
    expect(shown).toMatchObject({
      task: '#1',
      attempt: 1,
      summary: 'version 2',
      rounds: [
        { artifact_bytes: 100, grown_by: null, verdicts: [{ member: 'reviewer', findings: 'flaw 1' }] },
        { artifact_bytes: 200, grown_by: 100, verdicts: [{ member: 'reviewer', findings: 'flaw 2' }] },
      ],
    });
    expect(shown.rounds[1].evidence_digest).toBe(team.facts('task.submitted')[1]?.evidence_digest);
    expect(team.inbox('lead').join('\n')).toContain('the operator decides how it goes on (r1)');
    expect(sameState(team.refold(), team.state)).toBe(true);
  });

  test('nobody goes round meanwhile: owner and gates are refused, nobody has a turn for it', () => {
    const team = atTheGate();
    expect(team.task('#1').state.kind).toBe('in_review');
    team.idles('lead');
    expect(team.due()).toEqual([]);
    team.mail('operator', 'all');
    team.awake('worker');
    team.awake('reviewer');
    expect(team.refusal(team.completion('worker', '#1'))).toMatch(/^in_review/);
    expect(team.refusal(team.verdict('reviewer', '#1'))).toMatch(/^with_operator.*\(r1\)/);
  });

  test('it is the operator who answers, and with nobody there the run ends needs_human', () => {
    const team = atTheGate();
    team.awake('lead');
    expect(team.refusal({ ...answer('approve'), by: team.by('lead') })).toMatch(/^not_a_principal/);
    team.end('lead');
    expect(team.sweep(true)).toEqual([]);
    expect(team.sweep().at(-1)).toMatchObject({ reason: 'needs_human', exit: 4, open_requests: ['r1'] });
  });

  test('accept completes it with what was handed in; owner and lead are woken', () => {
    const team = atTheGate();
    team.idles('lead');
    team.ok(answer('approve'));
    expect(team.task('#1').state).toMatchObject({
      kind: 'completed',
      member: 'worker',
      summary: 'version 2',
    });
    expect(team.due()).toEqual(['lead', 'worker']);
    expect(team.inbox('worker').join('\n')).toContain('The operator has accepted #1');
  });

  test('accept is refused when nobody has looked for its artifacts', () => {
    const team = atTheGate({ artifacts: ['report.md'] });
    const { missingArtifacts: _, ...unseen } = answer('approve');
    expect(team.refusal(unseen)).toMatch(/^artifact_missing: .*report\.md/);
    team.ok(answer('approve'));
    expect(team.task('#1').state.kind).toBe('completed');
  });

  test('re-scope gives it back under the same attempt with the words, and rounds are counted anew', () => {
    const team = atTheGate();
    team.idles('lead');
    team.ok(answer('revise', 'Only the header.'));
    expect(team.task('#1')).toMatchObject({
      state: { kind: 'claimed', member: 'worker', attempt: 1 },
      rounds: 0,
    });
    for (const member of ['worker', 'lead'])
      expect(team.inbox(member).join('\n')).toContain('Only the header.');
    goRound(team, 3);
    expect(team.task('#1').state.kind).toBe('claimed');
    goRound(team, 4, 'approve');
    expect(team.task('#1').state.kind).toBe('completed');
    expect(team.facts('request.opened')).toHaveLength(1);
  });

  test('abandon fails it as abandoned, and what waits follows its policy', () => {
    const team = atTheGate();
    team.ok(answer('deny', 'not worth it'));
    expect(team.facts('task.failed')).toMatchObject([
      { task: '#1', cause: 'abandoned', detail: 'not worth it' },
      { task: '#3', cause: 'upstream_failed' },
    ]);
    expect(team.task('#2').state).toMatchObject({ kind: 'blocked', reason: 'upstream_failed' });
    expect(team.member('worker').claims.size).toBe(0);
  });

  test.each<[string, (team: Team) => Command, string]>([
    ['is cancelled', (team) => team.update('#1', { status: 'cancelled' }), 'cancelled'],
    ['is failed', (team) => team.update('#1', { status: 'failed' }), 'failed'],
  ])('a task that %s takes the question back', (_, command, kind) => {
    const team = atTheGate();
    team.ok(command(team));
    expect(team.task('#1')).toMatchObject({ state: { kind }, gate: null });
    expect(team.facts('request.withdrawn')).toMatchObject([{ request: 'r1' }]);
    expect(team.refusal(answer('approve'))).toMatch(/^withdrawn/);
  });

  test('its owner fails: the question stands, and the answer counts', () => {
    const team = atTheGate();
    team.mail('operator', 'worker');
    team.awake('worker');
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('worker') });
    expect(team.state.requests.get('r1')?.status.kind).toBe('open');
    team.ok(answer('approve'));
    expect(team.task('#1').state.kind).toBe('completed');
  });

  test('status shows rounds, bound, growth and who decides', () => {
    const team = atTheGate();
    expect(statusView(team.state, 'team').tasks[0]?.review).toMatchObject({
      rounds: 2,
      limit: 2,
      gate: 'r1',
      submissions: [{ grown_by: null }, { artifact_bytes: 200, grown_by: 100 }],
    });
  });
});
