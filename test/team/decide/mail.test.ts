import { describe, expect, test } from 'vitest';
import { deliveryNote } from '../../../src/team/decide/mail.js';
import { OPERATOR } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

function awake(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = Team.start({ seats: ['lead', 'one', 'two'], ...options });
  team.mail('operator', 'one', 'go');
  team.awake('one');
  return team;
}

test.each([
  ['two', ['two']],
  ['lead', ['lead']],
  ['all', ['lead', 'two']],
])('mail to %s is one fact to %j', (to, names) => {
  const team = awake();
  const sent = team.mail('one', to, 'hello');
  expect(sent).toMatchObject({
    kind: 'accepted',
    facts: [{ type: 'mail.sent', kind: 'mail', from: 'one', to: names }],
  });
});

test('the word of the operator is marked as such and goes to the lead when it is for the lead', () => {
  const team = awake();
  team.mail('operator', 'lead', 'hurry');
  expect(team.facts('mail.sent').at(-1)).toMatchObject({ kind: 'operator', from: 'operator', to: ['lead'] });
});

test('mail is counted in bytes, and a mailbox has a bound that reading makes room in', () => {
  const team = awake({ limits: { mail_bytes: 10, unread_bytes: 12 } });
  expect(team.mail('one', 'two', 'äöüäöü')).toMatchObject({ kind: 'refused', code: 'mail_too_large' });
  expect(team.mail('one', 'two', 'x'.repeat(8)).kind).toBe('accepted');
  expect(team.mail('one', 'two', 'x'.repeat(8))).toMatchObject({ kind: 'refused', code: 'mailbox_full' });
  expect(team.mail('one', 'two', 'x'.repeat(4)).kind).toBe('accepted');
  team.idles('two');
  expect(team.mail('one', 'two', 'x'.repeat(8)).kind).toBe('accepted');
});

describe('mail that nobody will read', () => {
  test('is an error to its sender and a dead letter with the text', () => {
    const team = awake();
    expect(team.mail('one', 'tow', 'lost')).toMatchObject({ kind: 'refused', code: 'unknown_member' });
    team.ok({ kind: 'member.stop', by: OPERATOR, member: 'two', reason: '' });
    expect(team.mail('one', 'two', 'lost too')).toMatchObject({ kind: 'refused', code: 'member_stopped' });
    expect(team.facts('mail.dead')).toEqual([
      { type: 'mail.dead', id: 'd1', from: 'one', to: 'tow', reason: 'unknown', body: 'lost' },
      { type: 'mail.dead', id: 'd2', from: 'one', to: 'two', reason: 'stopped', body: 'lost too' },
    ]);
    expect(team.state.counts.dead).toBe(2);
    expect(team.state.messages.size).toBe(team.facts('mail.sent').length);
  });

  test('is not sent to a stopped member with the rest of a broadcast', () => {
    const team = awake();
    team.ok({ kind: 'member.stop', by: OPERATOR, member: 'two', reason: '' });
    team.mail('one', 'all');
    expect(team.facts('mail.sent').at(-1)?.to).toEqual(['lead']);
  });
});

test('the sender is told when its message will be read', () => {
  const team = awake();
  expect(deliveryNote(team.member('two'))).toBe('queued for two');
  const request = team.park('one');
  expect(deliveryNote(team.member('one'))).toBe(`one waits for ${request}; it reads the message after that`);
  team.turn('lead');
  team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('lead') });
  expect(deliveryNote(team.member('lead'))).toContain('lead has failed (gone); the message is queued');
  team.ok({ kind: 'member.stop', by: OPERATOR, member: 'two', reason: '' });
  expect(deliveryNote(team.member('two'))).toBe('two is stopped');
});
