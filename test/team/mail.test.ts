import { expect, test } from 'vitest';
import { bounceUnread, message, Numbering, reportToLead } from '../../src/team/mail.js';
import { OPERATOR } from '../helpers/build-start.js';
import { Team } from '../helpers/build-state.js';

test('ids go on from what the team has, in the order they are given out', () => {
  const team = Team.start({ tasks: [{}, {}] });
  const ids = new Numbering(team.state);
  expect([ids.message(), ids.message(), ids.task(), ids.request(), ids.message()]).toEqual([
    'm2',
    'm3',
    '#3',
    'r1',
    'm4',
  ]);
});

test('a message is one fact, whoever it goes to', () => {
  const team = Team.start();
  expect(message(new Numbering(team.state), 'report', 'runtime', ['lead', 'worker'], 'news', '#1')).toEqual({
    type: 'mail.sent',
    id: 'm2',
    kind: 'report',
    from: 'runtime',
    to: ['lead', 'worker'],
    body: 'news',
    task: '#1',
  });
});

test('the lead is told what others do, not what it did itself', () => {
  const team = Team.start();
  const told = (cause: string): number =>
    reportToLead(team.state, new Numbering(team.state), cause, 'news').length;
  expect([told('worker'), told('operator'), told('lead')]).toEqual([1, 1, 0]);
});

test('unread mail of a member that leaves becomes dead letters, with a word to each member that sent one', () => {
  const team = Team.start({ seats: ['lead', 'one', 'two', 'gone'] });
  team.mail('operator', 'all');
  for (const member of ['one', 'two']) {
    team.awake(member);
    team.mail(member, 'gone', 'hello');
  }
  team.ok({ kind: 'member.stop', by: OPERATOR, member: 'two', reason: '' });
  const facts = bounceUnread(team.state, new Numbering(team.state), team.member('gone'));
  const dead = facts.filter((fact) => fact.type === 'mail.dead');
  const words = facts.filter((fact) => fact.type === 'mail.sent');
  expect(dead.map((fact) => fact.from)).toEqual(['operator', 'one', 'two']);
  expect(words).toMatchObject([{ kind: 'report', from: 'runtime', to: ['one'] }]);
  expect(words[0]?.body).toContain('gone was stopped');
});
