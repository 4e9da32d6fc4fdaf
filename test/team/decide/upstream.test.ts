import { describe, expect, test } from 'vitest';
import { OPERATOR, taskSpec } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

type Policy = 'wait' | 'continue_with_missing' | 'fail';

/** `#1`, then one task a policy, each waiting on the one before. */
function chain(...policies: readonly Policy[]): Team {
  const team = Team.start({
    tasks: [
      { key: 't0' },
      ...policies.map((upstream, index) => ({ key: `t${index + 1}`, blocked_by: [`t${index}`], upstream })),
    ],
  });
  team.awake('lead');
  team.awake('worker');
  return team;
}

const states = (team: Team): string[] => [...team.state.tasks.values()].map((task) => task.state.kind);

describe('when a task fails, what waits on it', () => {
  test.each<readonly [Policy, string]>([
    ['wait', 'blocked'],
    ['continue_with_missing', 'pending'],
    ['fail', 'failed'],
  ])('and says %s is %s, in the same entry', (policy, state) => {
    const team = chain(policy);
    const entries = team.entries.length;
    team.ok(team.update('#1', { status: 'failed' }));
    expect(team.entries).toHaveLength(entries + 1);
    expect(states(team)).toEqual(['failed', state]);
  });

  test('hands the failure on as far as the policies say', () => {
    const team = chain('fail', 'fail', 'wait', 'fail');
    team.ok(team.update('#1', { status: 'failed' }));
    expect(states(team)).toEqual(['failed', 'failed', 'failed', 'blocked', 'pending']);
    expect(team.task('#4').state).toMatchObject({
      reason: 'upstream_failed',
      on: ['#3'],
      detail: '#3 has failed',
    });
    expect(team.task('#2').state).toMatchObject({ cause: 'upstream_failed', detail: '#1 has failed' });
  });

  test('is marked once, though it waits on two that fail together', () => {
    const team = Team.start({ tasks: [{ key: 'a' }, { key: 'b' }, { blocked_by: ['a', 'b'] }] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.claim('worker', '#2');
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('worker') });
    expect(states(team)).toEqual(['failed', 'failed', 'blocked']);
    expect(team.facts('task.blocked')).toHaveLength(1);
  });
});

test('a cancelled task is treated like a failed one, in words of its own', () => {
  const team = chain('wait');
  team.ok(team.update('#1', { status: 'cancelled' }));
  expect(team.task('#2').state).toMatchObject({ kind: 'blocked', detail: '#1 was cancelled' });
});

test('a task that is made, given back or given an edge after the failure is found by the next look', () => {
  const team = chain();
  team.ok(team.update('#1', { status: 'failed' }));
  team.ok({ kind: 'task.create', by: OPERATOR, tasks: [taskSpec({ blocked_by: ['#1'] }), taskSpec()] });
  expect(states(team)).toEqual(['failed', 'pending', 'pending']);
  expect(team.sweep().map((fact) => fact.type)).toEqual(['task.blocked']);
  team.ok(team.update('#3', { addBlockedBy: ['#1'] }));
  team.sweep();
  expect(states(team)).toEqual(['failed', 'blocked', 'blocked']);
});

test('reopening the failed task frees what was blocked because of it', () => {
  const team = chain('wait');
  team.ok(team.update('#1', { status: 'failed' }));
  team.ok(team.update('#1', { status: 'pending' }));
  expect(states(team)).toEqual(['pending', 'pending']);
});

test('a task whose failed dependency is taken away is no longer blocked by it, with no further word', () => {
  const team = Team.start({ tasks: [{ key: 'a' }, { key: 'b' }, { blocked_by: ['a', 'b'] }] });
  for (const task of ['#1', '#2']) team.ok(team.update(task, { status: 'failed' }));
  team.ok(team.update('#3', { removeBlockedBy: ['#1'] }));
  expect(team.task('#3').state.kind).toBe('blocked');
  team.ok(team.update('#3', { removeBlockedBy: ['#2'] }));
  expect(team.task('#3').state.kind).toBe('pending');
});

test('a freed task that waits on another failure too is blocked again', () => {
  const team = Team.start({ tasks: [{ key: 'a' }, { key: 'b' }, { blocked_by: ['a', 'b'] }] });
  for (const task of ['#1', '#2']) team.ok(team.update(task, { status: 'failed' }));
  team.ok(team.update('#1', { status: 'pending' }));
  team.sweep();
  expect(team.task('#3').state).toMatchObject({ kind: 'blocked', on: ['#2'] });
});
