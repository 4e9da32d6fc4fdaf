import { describe, expect, test } from 'vitest';
import { type EndReason, endReason, type FailureCause } from '../../src/events/facts/run.js';
import { endFacts, exitCode, isResumable, resumeHelps } from '../../src/team/end.js';
import { Team } from '../helpers/build-state.js';

test.each<readonly [EndReason, number, boolean]>([
  ['done', 0, false],
  ['failed', 1, true],
  ['partial', 3, false],
  ['needs_human', 4, true],
  ['budget', 5, true],
  ['deadline', 6, true],
  ['stalled', 7, true],
  ['unverified', 8, true],
  ['cancelled', 130, true],
])('%s is exit %i, and whether it may be resumed is %s', (reason, exit, resumable) => {
  expect(exitCode(reason)).toBe(exit);
  expect(isResumable(reason, reason === 'failed' ? 'error' : null)).toBe(resumable);
});

test('a resume helps wherever there is one, but for a team that would meet its limit again', () => {
  const resumable = endReason.options.filter((reason) => isResumable(reason, null));
  expect(resumable.filter((reason) => !resumeHelps(reason, null))).toEqual([
    'budget',
    'deadline',
    'unverified',
  ]);
  expect(resumeHelps('unverified', null, 1)).toBe(true);
  for (const reason of ['done', 'partial', 'unverified'] as const)
    expect(resumeHelps(reason, null)).toBe(false);
});

test('every reason has its row above', () => {
  expect(endReason.options).toHaveLength(9);
});

test.each([
  ['hangup', 129],
  ['interrupt', 130],
  ['stop', 130],
  ['terminate', 143],
] as const)('a run cancelled by %s is exit %i', (cause, exit) => {
  expect(exitCode('cancelled', cause)).toBe(exit);
  expect(exitCode('done', cause)).toBe(0);
});

test.each<readonly [FailureCause, boolean]>([
  ['lead', false],
  ['error', true],
  ['disk_full', true],
  ['approval_revoked', true],
  ['empty_plan', true],
])('whether a failure by %s may be resumed is %s', (cause, resumable) => {
  expect(isResumable('failed', cause)).toBe(resumable);
});

describe('the last fact', () => {
  const done = { reason: 'done', cause: null, detail: null, closedBy: 'lead', result: 'the result' } as const;

  test('says what was reached, what is open and what it cost', () => {
    const team = Team.start({ tasks: [{ role: 'worker', artifacts: ['a.md'] }, {}] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.completion('worker', '#1'));
    team.park('worker');
    const last = endFacts(team.state, { ...done, reason: 'needs_human' }, 1_234.6).at(-1);
    expect(last).toEqual({
      type: 'run.ended',
      reason: 'needs_human',
      exit: 4,
      cause: null,
      detail: null,
      closed_by: 'lead',
      result: 'the result',
      artifacts: ['a.md'],
      open_requests: ['r1'],
      open_tasks: ['#2'],
      totals: {
        turns: 1,
        model_calls: 1,
        input_tokens: 80,
        output_tokens: 20,
        cost_usd: 0,
        estimated_tokens: 0,
        estimated_cost_usd: 0,
        messages: 3,
        tasks_completed: 1,
        briefs: 0,
        elapsed_ms: 1_235,
      },
    });
  });

  test('makes a good end, or one that stalled, unverified when what must be there is not, and leaves a bad end as it is', () => {
    const team = Team.start({ tasks: [{ required: true }, { artifacts: ['a.md'] }, {}] });
    const last = (reason: EndReason) => endFacts(team.state, { ...done, reason }, 0).at(-1);
    expect(last('done')).toMatchObject({ reason: 'unverified', exit: 8, detail: 'no result of #1, #2' });
    expect(last('partial')).toMatchObject({ reason: 'unverified' });
    expect(last('stalled')).toMatchObject({ reason: 'unverified', exit: 8 });
    expect(last('needs_human')).toMatchObject({ reason: 'needs_human', detail: null });
  });

  test('stands after the mail that expires with a final end, and no mail expires before a resume', () => {
    const team = Team.start();
    const types = (reason: EndReason): string[] =>
      endFacts(team.state, { ...done, reason }, 0).map((fact) => fact.type);
    expect(types('done')).toEqual(['mail.expired', 'run.ended']);
    expect(types('budget')).toEqual(['run.ended']);
  });
});
