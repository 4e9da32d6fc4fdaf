import { describe, expect, test } from 'vitest';
import { diagnosis } from '../../src/team/notices/notices.js';
import { fits, isOverOffer, possibleTakers, readyOffers } from '../../src/team/offers.js';
import type { Message } from '../../src/team/state.js';
import { OPERATOR, taskSpec } from '../helpers/build-start.js';
import { Team } from '../helpers/build-state.js';

const offers = (team: Team): [string, string][] =>
  [...readyOffers(team.state)].map(([name, { task }]) => [name, task]);

describe('a ready task is offered', () => {
  test('to a member of its role, one task a member, in the order of the board', () => {
    const team = Team.start({
      seats: ['lead', 'one', 'two'],
      tasks: [{ role: 'two' }, { role: 'one' }, { role: 'one' }],
    });
    expect(offers(team)).toEqual([
      ['two', '#1'],
      ['one', '#2'],
    ]);
  });

  test('to anyone when it has no role, the lead last', () => {
    const team = Team.start({ seats: ['lead', 'one'], tasks: [{}, {}, {}] });
    expect(offers(team)).toEqual([
      ['one', '#1'],
      ['lead', '#2'],
    ]);
  });

  test('to one member at a time: while one has the offer nobody else is asked', () => {
    const team = Team.start({ seats: ['lead', 'one', 'two'], tasks: [{}] });
    team.turn('one');
    expect(team.task('#1').offer).toBe('one');
    expect(offers(team)).toEqual([]);
  });

  test('to nobody while it waits, is claimed, or everybody has let it pass', () => {
    const team = Team.start({ tasks: [{ key: 'a', role: 'worker' }, { blocked_by: ['a'] }] });
    team.awake('worker');
    team.claim('worker', '#1');
    expect(offers(team)).toEqual([]);
  });

  test('to no member that works, is parked, has failed or holds a task', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.end('worker', { outcome: 'cancelled' });
    team.ok({ kind: 'task.create', by: OPERATOR, tasks: [taskSpec({ role: 'worker' })] });
    expect(offers(team)).toEqual([]);
  });

  test('to a member whose only task is in review', () => {
    const team = Team.start({ tasks: [{ role: 'worker', gates: ['lead'] }, { role: 'worker' }] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.completion('worker', '#1'));
    team.end('worker', { calls: 1 });
    expect(offers(team)).toEqual([['worker', '#2']]);
  });

  test('to the same member of the same state, however often one asks', () => {
    const team = Team.start({ seats: ['lead', 'one', 'two'], tasks: [{}, {}] });
    expect(offers(team)).toEqual(offers(team));
    expect(team.task('#1').offer).toBeNull();
  });
});

test('the role decides who may do a task', () => {
  const team = Team.start({ tasks: [{ role: 'worker' }, {}] });
  const may = (task: string, member: string): boolean =>
    fits(team.state, team.task(task), team.member(member));
  expect([may('#1', 'worker'), may('#1', 'lead'), may('#2', 'lead')]).toEqual([true, false, true]);
});

describe('whoever is the only judge of a task', () => {
  test('is not offered it: the work of its own it could not judge', () => {
    const team = Team.start({ seats: ['lead', 'judge'], tasks: [{ gates: ['judge'] }] });
    expect(offers(team)).toEqual([['lead', '#1']]);
  });

  test('may do it where another has the role', () => {
    const seats = ['lead', ...['one', 'two'].map((member) => ({ member, role: 'judge' }))];
    const team = Team.start({ seats, tasks: [{ gates: ['judge'] }] });
    expect(offers(team)).toEqual([['one', '#1']]);
  });

  test('is nobody who can take it, and that is said where all others are gone', () => {
    const team = Team.start({ seats: ['lead', 'judge'], tasks: [{ gates: ['judge', 'lead'] }] });
    team.idles('lead');
    expect(diagnosis(team.state)).toEqual([expect.stringContaining('nobody of role any can take it')]);
  });
});

test('possible takers are live, fit, and have not let the task pass', () => {
  const role = 'r';
  const seats = ['lead', ...['one', 'two', 'three'].map((member) => ({ member, role }))];
  const team = Team.start({ seats, tasks: [{ role }] });
  const takers = (): string[] => possibleTakers(team.state, team.task('#1')).map((member) => member.name);
  expect(takers()).toEqual(['one', 'two', 'three']);
  team.turn('one');
  expect(takers()).toEqual(['two', 'three']);
  team.ok({ kind: 'member.stop', by: OPERATOR, member: 'two', reason: '' });
  expect(takers()).toEqual(['three']);
});

describe('D96 an offer that is taken back before it was read', () => {
  /** The worker is offered #1 and has to wait for its provider before it has read of it. */
  function offered(): Team {
    const team = Team.start({ tasks: [{ role: 'worker' }, { role: 'worker' }] });
    team.idles('lead');
    team.turn('worker');
    team.waits('worker');
    return team;
  }

  test.each([
    ['cancelled', { status: 'cancelled' }],
    ['failed', { status: 'failed' }],
    ['given to another role', { role: 'lead' }],
    ['made to wait', { addBlockedBy: ['#2'] }],
  ] as const)('%s: wakes nobody, and expires unread behind the turn', (_, change) => {
    const team = offered();
    const [offer = ''] = team.member('worker').unread;
    team.ok(team.update('#1', change));
    expect(isOverOffer(message(team, offer), team.member('worker'))).toBe(true);
    team.now = 20_000;
    team.turn('worker'); // Its wait is over, and nothing of the offer is left to be read.
    team.end('worker', { calls: 1 });
    expect(team.facts('mail.expired')).toEqual([{ type: 'mail.expired', member: 'worker', ids: [offer] }]);
    team.turn('worker');
    expect(team.inbox('worker')).toEqual([expect.stringContaining('Task #2 is ready')]);
  });

  test('is due for nobody by itself', () => {
    const team = offered();
    team.now = 20_000;
    for (const task of ['#2', '#1']) team.ok(team.update(task, { status: 'cancelled' }));
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'stop' });
    team.sweep();
    team.resume();
    expect(team.member('worker').unread).toHaveLength(1);
    expect(team.due()).toEqual(['worker']); // By its wait, which is over.
    team.turn('worker');
    team.end('worker');
    expect(team.due()).not.toContain('worker');
    expect(team.member('worker').unread).toEqual([]);
  });

  test('of a member that has failed: it is offered anew when it is put back to work, once', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.idles('lead');
    team.turn('worker');
    team.ok({
      kind: 'turn.fail',
      upto: '',
      calls: 0,
      code: 'broken',
      error: 'it broke',
      ...team.in('worker'),
    });
    expect(isOverOffer(message(team, team.member('worker').unread[0] ?? ''), team.member('worker'))).toBe(
      true,
    );
  });
});

function message(team: Team, id: string): Message {
  const found = team.state.messages.get(id);
  if (found === undefined) throw new Error(`no message ${id}`);
  return found;
}

test('an offer that its member has not read by the end of the turn is no reminder and not let pass: it is read next', () => {
  const team = Team.start({ tasks: [{ role: 'worker' }, {}] });
  team.turn('lead');
  expect([...team.member('lead').offers]).toEqual(['#2']);
  team.read('lead', ['m1']); // Its first input is the order alone.
  team.end('lead', { calls: 1 });
  expect(team.facts('member.nudged')).toEqual([]);
  expect([...team.member('lead').offers]).toEqual(['#2']);
  team.idles('lead');
  expect(team.facts('member.nudged')).toMatchObject([{ member: 'lead', task: '#2', count: 1 }]);
});
