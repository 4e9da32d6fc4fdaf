import { describe, expect, test } from 'vitest';
import { dueMembers, memberCause } from '../../src/team/due.js';
import { OPERATOR } from '../helpers/build-start.js';
import { Team } from '../helpers/build-state.js';

const cause = (team: Team, member: string): number | undefined =>
  memberCause(team.state, team.member(member), team.now);

/** Everybody is idle and has read everything. */
function quiet(): Team {
  const team = Team.start();
  team.idles('lead');
  return team;
}

describe('W1 an idle member', () => {
  test('is due because of its oldest unread message', () => {
    const team = quiet();
    const first = team.state.next;
    team.mail('operator', 'worker', 'one');
    team.mail('operator', 'worker', 'two');
    expect(dueMembers(team.state, team.now)).toEqual([{ member: 'worker', cause: first }]);
  });

  test('is due because of a ready task, and not because of one that waits', () => {
    const team = Team.start({
      tasks: [
        { key: 'a', role: 'lead' },
        { role: 'worker', blocked_by: ['a'] },
      ],
    });
    expect(dueMembers(team.state, team.now).map((job) => job.member)).toEqual(['lead']);
  });

  test('with nothing of these is not due, however long it is', () => {
    expect(dueMembers(quiet().state, 0)).toEqual([]);
  });
});

test('W2 a parked member is woken by the end of its request and by nothing else', () => {
  const team = quiet();
  team.mail('operator', 'worker');
  team.awake('worker');
  const request = team.park('worker');
  team.mail('operator', 'worker', 'news');
  expect(cause(team, 'worker')).toBeUndefined();
  const decided = team.state.next;
  team.ok({ kind: 'request.decide', by: OPERATOR, request, decision: 'deny', text: null, digest: null });
  expect(cause(team, 'worker')).toBe(decided);
});

test('W3 a member that works, has failed or was stopped is never due', () => {
  const team = quiet();
  team.mail('operator', 'worker');
  team.turn('worker');
  expect(cause(team, 'worker')).toBeUndefined();
  team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('worker') });
  team.mail('operator', 'worker');
  expect(cause(team, 'worker')).toBeUndefined();
  team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' });
  expect(cause(team, 'worker')).toBeUndefined();
});

test('W4 when the lead has failed nobody is due', () => {
  const team = Team.start();
  team.mail('operator', 'worker');
  team.turn('lead');
  team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('lead') });
  expect(cause(team, 'worker')).toBeDefined();
  expect(dueMembers(team.state, team.now)).toEqual([]);
});

test('nobody is due in a run that does not run', () => {
  const team = Team.start();
  expect(dueMembers(team.state, team.now)).toHaveLength(1);
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'stop' });
  expect(dueMembers(team.state, team.now)).toEqual([]);
});

describe('wakes that come together', () => {
  test('are one turn, whose fact names the others: a ready task and a message', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.idles('lead');
    team.mail('operator', 'worker', 'do #1');
    const mail = team.state.next - 1;
    const turn = team.awake('worker');
    const [created] =
      team.entries[0]?.facts.flatMap((fact, at) => (fact.type === 'task.created' ? [at + 1] : [])) ?? [];
    expect(team.facts('turn.started').at(-1)).toMatchObject({ cause: mail, coalesced: [created] });
    expect(team.refusal({ kind: 'turn.start', member: 'worker', cause: 0 })).toMatch(/^already_working/);
    team.claim('worker', '#1');
    team.ok(team.completion('worker', '#1'));
    team.end('worker', { calls: 2 });
    expect(team.due()).not.toContain('worker');
    expect(turn).toBeGreaterThan(mail);
  });

  test('by the clock and by a message are one turn as well; what woke the part before the wait is not named again', () => {
    const team = Team.start();
    team.idles('lead');
    team.mail('operator', 'worker', 'first');
    team.turn('worker');
    const until = team.waits('worker');
    const since = team.state.next - 1;
    team.mail('operator', 'worker', 'second');
    const second = team.state.next - 1;
    team.now = until;
    team.turn('worker');
    expect(team.facts('turn.started').at(-1)).toMatchObject({ cause: since, coalesced: [second] });
  });

  test("leave the lead's order to itself: what came meanwhile has its own turn", () => {
    const team = Team.start();
    team.mail('operator', 'lead', 'and this');
    team.turn('lead');
    expect(team.facts('turn.started')).toMatchObject([{ member: 'lead', coalesced: [] }]);
  });
});
