import { expect, test } from 'vitest';
import { OPERATOR } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

const message = (team: Team, id: string) => team.state.messages.get(id);

test('a message to many is pending for each until it has read it; then its body is let go', () => {
  const team = Team.start({ seats: ['lead', 'one', 'two'] });
  team.mail('operator', 'all', 'to everybody');
  const [id = ''] = team.member('one').unread;
  expect([...(message(team, id)?.pending ?? [])]).toEqual(['lead', 'one', 'two']);
  team.idles('one');
  team.idles('two');
  expect(message(team, id)).toMatchObject({ body: 'to everybody', pending: new Set(['lead']) });
  team.idles('lead');
  expect(message(team, id)).toMatchObject({ body: '', pending: new Set() });
  expect(team.state.counts.delivered).toBeGreaterThanOrEqual(3);
});

test('a member keeps which messages could have brought what rides with its tasks, and with no task of others', () => {
  const rider = (...members: string[]) => ({ members, sha256: members.join(), bytes: 1, entries: [] });
  const team = Team.start({
    seats: ['lead', 'one', 'two'],
    tasks: [
      { subject: 'one', role: 'one', skills: [rider('one')] },
      { subject: 'two', role: 'two' },
      { subject: 'three', skills: [rider('two')] },
    ],
  });
  const ridersOf = (name: string) => [...team.member(name).riders];
  expect(ridersOf('one')).toEqual([]);
  team.turn('one');
  const [offer = ''] = team.member('one').unread;
  expect(ridersOf('one')).toEqual([['#1', [offer]]]);
  // Another member's word on a task brings nothing with it, and says all the same that the task is known.
  team.turn('lead');
  for (const task of ['#1', '#3'])
    team.ok({ kind: 'mail.send', by: team.by('lead'), to: 'all', body: 'x', task });
  expect(ridersOf('one')).toEqual([['#1', [offer]]]);
  expect(ridersOf('two')).toEqual([['#3', []]]);
  expect(ridersOf('lead')).toEqual([]);
});

test('delivering in part leaves the rest unread in its order', () => {
  const team = Team.start();
  for (const body of ['one', 'two', 'three']) team.mail('operator', 'worker', body);
  team.turn('worker');
  const [, second = ''] = team.member('worker').unread;
  team.read('worker', [second]);
  expect(team.inbox('worker')).toEqual(['one', 'three']);
});

test('every way out of a mailbox is counted once', () => {
  const team = Team.start();
  team.mail('operator', 'worker');
  team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: '' });
  team.mail('operator', 'nobody');
  team.awake('lead');
  team.ok({ kind: 'run.finish', outcome: 'done', result: '', ...team.in('lead') });
  team.end('lead');
  team.sweep();
  expect(team.state.counts).toEqual({ delivered: 2, dead: 2, expired: 0, suppressed: 0 });
});
