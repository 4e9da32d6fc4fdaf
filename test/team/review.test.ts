import { describe, expect, test } from 'vitest';
import { dueMembers } from '../../src/team/due.js';
import { OPERATOR, type SeatOptions } from '../helpers/build-start.js';
import { Team } from '../helpers/build-state.js';

/** A team in which `worker` has handed in `#1`, which the named gates review. */
function handedIn(gates: readonly string[], seats: readonly (string | SeatOptions)[]): Team {
  const team = Team.start({
    seats: ['lead', 'worker', ...seats],
    tasks: [{ subject: 'Change it', role: 'worker', gates: [...gates] }],
  });
  team.idles('lead');
  team.awake('worker');
  team.ok({ kind: 'task.claim', task: '#1', ...team.in('worker') });
  team.ok({
    kind: 'task.complete',
    task: '#1',
    attempt: 1,
    summary: 'It is changed.',
    evidence: [{ item: 'it works', text: 'line 7 of its output' }],
    artifacts: [],
    missingArtifacts: [],
    artifactBytes: 0,
    addBlocks: [],
    ...team.in('worker'),
  });
  team.end('worker', { calls: 2 });
  return team;
}

describe('a task with gates', () => {
  test('is handed in, wakes who may review it, and is completed by the last approval', () => {
    const team = handedIn(['reviewer', 'security'], ['reviewer', 'security']);
    expect(team.state.tasks.get('#1')?.state.kind).toBe('in_review');
    expect(dueMembers(team.state, team.now).map((due) => due.member)).toEqual(
      expect.arrayContaining(['reviewer', 'security']),
    );
    for (const gate of ['reviewer', 'security']) {
      team.awake(gate);
      team.ok(team.verdict(gate, '#1'));
      team.end(gate, { calls: 1 });
    }
    expect(team.state.tasks.get('#1')?.state).toMatchObject({
      kind: 'completed',
      member: 'worker',
      evidence: [{ item: 'it works', text: 'line 7 of its output' }],
    });
  });

  test('shows a reviewer the evidence that was given', () => {
    const team = handedIn(['reviewer'], ['reviewer']);
    expect(team.inbox('reviewer').join('\n')).toContain('- it works: line 7 of its output');
  });

  test('returns to its owner with the findings when changes are asked for, and earlier verdicts are void', () => {
    const team = handedIn(['reviewer', 'security'], ['reviewer', 'security']);
    team.awake('reviewer');
    team.ok(team.verdict('reviewer', '#1'));
    team.end('reviewer', { calls: 1 });
    team.awake('security');
    const facts = team.ok(
      team.verdict('security', '#1', { verdict: 'request_changes', findings: 'The key is in the log.' }),
    );
    expect(team.state.tasks.get('#1')?.state).toMatchObject({
      kind: 'claimed',
      member: 'worker',
      attempt: 1,
    });
    const mail = facts.find((fact) => fact.type === 'mail.sent');
    expect(mail).toMatchObject({ to: ['worker'], body: expect.stringContaining('The key is in the log.') });
  });

  test('tells the lead when nobody of a gate role is in the team', () => {
    const team = handedIn(['security'], [{ member: 'security', on_demand: true }]);
    const told = [...team.state.messages.values()].filter((message) => message.body.includes('team_spawn'));
    expect(told.map((message) => message.to)).toEqual([['lead']]);
  });

  test('wakes a reviewer that comes later, unless its verdict is not called for', () => {
    const seats = ['security', 'helper'].map((member) => ({ member, on_demand: true }));
    const team = handedIn(['security'], seats);
    for (const role of ['security', 'helper']) team.ok({ kind: 'member.spawn', by: OPERATOR, role });
    expect(team.inbox('security').join('\n')).toMatch(
      /#1, attempt 1 by worker, waits for your review[\s\S]*It is changed\.[\s\S]*line 7 of its output/,
    );
    expect(team.due()).toContain('security');
    expect(team.inbox('helper')).toEqual([]);
  });
});
