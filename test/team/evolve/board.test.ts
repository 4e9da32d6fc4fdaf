import { expect, test } from 'vitest';
import { holdOffer, letOffersPass, takeOffersBack } from '../../../src/team/evolve/board.js';
import { Team } from '../../helpers/build-state.js';

/** The worker has a turn in which #1 is offered to it. */
function offered(): Team {
  const team = Team.start({ tasks: [{ role: 'worker' }] });
  team.turn('worker');
  return team;
}

const offer = (team: Team) => ({
  offer: team.task('#1').offer,
  to: [...team.task('#1').offeredTo],
  held: [...team.member('worker').offers],
});

test('an offer is held by one member and counted as made', () => {
  expect(offer(offered())).toEqual({ offer: 'worker', to: ['worker'], held: ['#1'] });
});

test('an offer that was let pass stays counted, one that was taken back does not', () => {
  const passed = offered();
  letOffersPass(passed.state, 'worker');
  expect(offer(passed)).toEqual({ offer: null, to: ['worker'], held: [] });
  const back = offered();
  takeOffersBack(back.state, 'worker');
  expect(offer(back)).toEqual({ offer: null, to: [], held: [] });
});

test('a reminder keeps the offer of a task that is still to be had, and of no other', () => {
  const team = offered();
  letOffersPass(team.state, 'worker');
  holdOffer(team.state, 'worker', '#1');
  expect(offer(team)).toEqual({ offer: 'worker', to: ['worker'], held: ['#1'] });
  letOffersPass(team.state, 'worker');
  team.claim('worker', '#1');
  holdOffer(team.state, 'worker', '#1');
  expect(offer(team)).toEqual({ offer: null, to: ['worker'], held: [] });
});

test('whatever happens to a task ends the offer of it', () => {
  const changes: readonly ((team: Team) => unknown)[] = [
    (team) => team.claim('worker', '#1'),
    (team) => team.ok(team.update('#1', { subject: 'new' })),
    (team) => team.ok(team.update('#1', { status: 'cancelled' })),
    (team) => team.ok(team.update('#1', { status: 'failed' })),
  ];
  for (const change of changes) {
    const team = offered();
    change(team);
    expect(offer(team)).toMatchObject({ offer: null, held: [] });
  }
});

test('a claim clears at both ends in the step in which the attempt ends', () => {
  const ends: readonly ((team: Team) => unknown)[] = [
    (team) => team.ok(team.completion('worker', '#1')),
    (team) => team.ok(team.update('#1', { status: 'cancelled' })),
    (team) => team.ok(team.update('#1', { status: 'failed' })),
    (team) => team.ok({ kind: 'task.release', task: '#1', attempt: 1, detail: '', ...team.in('worker') }),
    (team) => team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'x', error: 'y', ...team.in('worker') }),
  ];
  for (const end of ends) {
    const team = offered();
    team.claim('worker', '#1');
    expect(team.task('#1').holders.get('worker')).toBe(1);
    end(team);
    expect(team.member('worker').claims.size).toBe(0);
    expect(team.task('#1').state.kind).not.toBe('claimed');
    expect(team.task('#1').attempts).toBe(1);
  }
});
