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
