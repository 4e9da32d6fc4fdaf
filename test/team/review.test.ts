import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/team/command.js';
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

  test.each([
    [
      'the lead puts it back to work',
      (team: Team) => team.ok({ kind: 'member.spawn', by: OPERATOR, role: 'reviewer' }),
    ],
    ['the run is taken up again', (team: Team) => team.resume()],
  ])('is told to a reviewer that had failed, when %s; the lead is told meanwhile', (_, back) => {
    const team = Team.start({
      seats: ['lead', 'worker', 'reviewer'],
      tasks: [{ role: 'worker', gates: ['reviewer'] }],
    });
    team.mail('operator', 'reviewer');
    team.awake('reviewer');
    const at = team.in('reviewer');
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'broken', error: 'it broke', ...at });
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.completion('worker', '#1'));
    expect(team.inbox('lead').at(-1)).toMatch(/waits for a review by reviewer, and nobody .* team_spawn/);
    back(team);
    expect(team.due()).toContain('reviewer');
    expect(team.inbox('reviewer')).toEqual([expect.stringContaining('waits for your review')]);
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

describe('a verdict', () => {
  test('names the evidence it saw: of the same words handed in again the old verdict is refused', () => {
    const team = handedIn(['reviewer', 'security'], ['reviewer', 'security']);
    team.awake('reviewer');
    team.awake('security');
    const late = team.verdict('security', '#1');
    team.ok(team.verdict('reviewer', '#1', { verdict: 'request_changes', findings: 'no' }));
    team.awake('worker');
    team.ok(team.completion('worker', '#1'));
    const [, again] = team.facts('task.submitted');
    expect(again?.attempt).toBe(1);
    expect(team.refusal(late)).toBe(
      `evidence_changed: your verdict names the evidence ${late.evidenceDigest}; in review is ${again?.evidence_digest}: look at it with team_task_get and judge that`,
    );
    expect(team.facts('task.reviewed')).toHaveLength(1);
    team.ok(team.verdict('security', '#1'));
    expect(team.facts('task.reviewed').at(-1)?.evidence_digest).toBe(again?.evidence_digest);
    // The approval of before the changes is void: the other gate is asked again.
    expect(team.task('#1').state.kind).toBe('in_review');
  });

  test('on something beside the task is proposed to the lead, and holds nothing up', () => {
    const team = handedIn(['reviewer'], ['reviewer']);
    team.idles('lead');
    team.awake('reviewer');
    team.ok(team.verdict('reviewer', '#1', { newFindings: ['the log is full', ' '] }));
    expect(team.task('#1').state.kind).toBe('completed');
    const told = team.inbox('lead').find((body) => body.includes('beside #1')) ?? '';
    expect(told).toMatch(/<<new findings by reviewer (~\w+)\n- the log is full\n\1>>/);
    expect(told).toContain('team_task_create');
  });

  test('that cannot complete the task for want of an artifact is refused, and changes may be asked for', () => {
    const team = handedIn(['reviewer'], ['reviewer']);
    team.awake('reviewer');
    expect(team.refusal(team.verdict('reviewer', '#1', { missingArtifacts: ['a.md'] }))).toMatch(
      /^artifact_missing: .*a\.md/,
    );
    const changes = { verdict: 'request_changes', findings: 'a.md is missing' } as const;
    team.ok(team.verdict('reviewer', '#1', { ...changes, missingArtifacts: ['a.md'] }));
    expect(team.task('#1').state.kind).toBe('claimed');
  });
});

describe('a verdict of somebody who was cut off', () => {
  test.each<[string, (team: Team) => void]>([
    ['in its reply', (team) => void team.ok(team.verdict('reviewer', '#1', { verdict: 'inconclusive' }))],
    ['at the end of its turn', (team) => void team.end('reviewer', { text: 'I would rej', cut: true })],
  ])('%s is inconclusive: it counts neither way, is asked for again, and the lead is told', (_, cutOff) => {
    const team = handedIn(['reviewer'], ['reviewer']);
    team.idles('lead');
    team.awake('reviewer');
    cutOff(team);
    expect(team.facts('task.reviewed')).toMatchObject([{ verdict: 'inconclusive', role: 'reviewer' }]);
    expect(team.task('#1')).toMatchObject({ rounds: 0, state: { kind: 'in_review', verdicts: new Map() } });
    expect(team.inbox('reviewer').join('\n')).toMatch(
      /was cut off before it was whole.*team_review \{"task":"#1"/,
    );
    expect(team.inbox('lead').join('\n')).toContain('The verdict of reviewer on #1 is inconclusive');
  });

  test('by a limit of its turn is asked for twice more, and then it is for the lead', () => {
    const team = handedIn(['reviewer'], ['reviewer']);
    for (let time = 1; time <= 5; time++) {
      if (!team.due().includes('reviewer')) team.mail('operator', 'reviewer');
      team.awake('reviewer');
      team.ok({
        ...team.ending('reviewer', { outcome: 'limit', calls: 1 }),
        limit: 'calls_per_turn',
      } as Command);
    }
    expect(team.facts('task.reviewed').map(({ verdict }) => verdict)).toEqual(Array(3).fill('inconclusive'));
    const asked = team
      .facts('mail.sent')
      .filter(({ body }) => body.includes('was cut off before it was whole'));
    expect(asked).toHaveLength(2);
    expect(team.inbox('lead').join('\n')).toContain('was cut off 3 times and is not asked again');
  });

  test('before it had read of the task says nothing of it', () => {
    const team = handedIn(['reviewer'], ['reviewer']);
    team.turn('reviewer');
    team.end('reviewer', { cut: true, calls: 1 });
    expect(team.facts('task.reviewed')).toEqual([]);
  });
});
