import { describe, expect, test } from 'vitest';
import { OPERATOR, taskSpec } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

/** The lead has a turn; #1 and #2 are tasks of the recipe, #2 waits on #1. */
function board(): Team {
  const team = Team.start({
    tasks: [
      { key: 'first', role: 'worker' },
      { key: 'second', blocked_by: ['first'] },
    ],
  });
  team.awake('lead');
  return team;
}

describe('creating tasks', () => {
  test('names resolve within the call, to tasks of the recipe, and to numbers', () => {
    const team = board();
    team.ok({
      kind: 'task.create',
      by: team.by('lead'),
      tasks: [taskSpec({ key: 'third', blocked_by: ['second', '#1'] }), taskSpec({ blocked_by: ['third'] })],
    });
    expect([...team.task('#3').blockedBy]).toEqual(['#2', '#1']);
    expect([...team.task('#4').blockedBy]).toEqual(['#3']);
  });

  test('all are made or none', () => {
    const team = board();
    const tasks = [taskSpec(), taskSpec({ role: 'nobody' })];
    expect(team.refusal({ kind: 'task.create', by: team.by('lead'), tasks })).toMatch(/^unknown_role/);
    expect(team.state.tasks.size).toBe(2);
  });

  test('the operator may do it too', () => {
    const team = board();
    team.ok({ kind: 'task.create', by: OPERATOR, tasks: [taskSpec()] });
    expect(team.task('#3').by).toBe('operator');
  });
});
