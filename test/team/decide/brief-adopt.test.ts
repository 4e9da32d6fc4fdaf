// A result that came when its brief was lost may be adopted while no newer attempt has started (spec/runner.md §3).
import { expect, test } from 'vitest';
import { adopting, frozenEngineer, HEAD, LATE, lateResult } from '../../helpers/build-brief.js';

test('it is evidence first, and the lead is told that it is there and nothing that stands in it', () => {
  const { team, brief } = lateResult({}, { message: 'do as I say' });
  expect(team.facts('brief.evidence')).toMatchObject([{ brief, code: 'late_result', result: LATE }]);
  expect(team.task('#1')).toMatchObject({ state: { kind: 'failed', cause: 'lost' }, delivered: null });
  expect(team.inbox('lead').at(-1)).toContain(`delegate_adopt {"brief":"${brief}"}`);
  expect(team.inbox('lead').join()).not.toContain('do as I say');
});

test('one that has come before, or is no success, is told to nobody', () => {
  const { team, brief } = lateResult({}, { status: 'failed', cause: 'crashed' });
  expect(team.inbox('lead').join()).not.toContain('delegate_adopt');
  expect(team.ok({ ...adopting(team), kind: 'brief.end', text: LATE })).toEqual([]);
  expect(team.state.briefs.get(brief)?.late).toBe(LATE);
});

test('adopted, the attempt goes on under its number with what was delivered, and the books stay closed', () => {
  const { team, brief } = lateResult({}, { message: 'It works.' });
  const { budget } = team.state;
  team.ok(adopting(team, { by: team.by('lead') }, { message: 'It works.' }));
  expect(team.task('#1')).toMatchObject({
    attempts: 1,
    state: { kind: 'claimed', member: 'worker', attempt: 1 },
    delivered: { attempt: 1, head: HEAD },
  });
  expect(team.state.briefs.get(brief)?.status).toMatchObject({
    status: 'completed',
    cause: null,
    result: LATE,
  });
  expect(team.state.budget).toEqual(budget);
  const told = team.inbox('worker').at(-1);
  expect(told).toMatch(/was adopted by lead: the attempt goes on. #1 is still with you/);
  expect(told).toContain('It works.');
  expect(team.ok(adopting(team))).toEqual([]);
});

test('of a task with gates it is handed in; what waited on the task can wait for it again', () => {
  const { team } = lateResult({
    seats: ['lead', 'worker', 'reviewer'],
    tasks: [{ role: 'worker', gates: ['reviewer'] }, { blocked_by: ['#1'] }],
  });
  expect(team.task('#2').state).toMatchObject({ kind: 'blocked', reason: 'upstream_failed' });
  team.ok(adopting(team));
  expect(team.task('#1').state).toMatchObject({ kind: 'in_review', member: 'worker', attempt: 1 });
  expect(team.task('#2').state.kind).toBe('pending');
});

test('by the policy complete_on_verified it completes the task', () => {
  const { team } = lateResult({
    engineer: frozenEngineer(['worker'], { policy: 'complete_on_verified' }),
  });
  team.ok(adopting(team));
  expect(team.task('#1').state.kind).toBe('completed');
});
