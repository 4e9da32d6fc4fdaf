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

  test('since its receiver is not in the team yet says how it comes', () => {
    const team = awake({ seats: ['lead', 'one', { member: 'two', on_demand: true }] });
    expect(team.mail('one', 'two')).toMatchObject({
      code: 'unknown_member',
      message: expect.stringMatching(/^undelivered: two is on demand and not in the team yet; .* team_spawn/),
    });
    expect(team.facts('mail.dead')).toHaveLength(1);
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

describe('an operator who has the name of a member is nobody of the team', () => {
  const named = (name: string) => ({ kind: 'operator' as const, name });

  test('its word reaches the member of that name, alone and with all', () => {
    const team = awake();
    for (const to of ['two', 'all'])
      team.ok({ kind: 'mail.send', by: named('two'), to, body: 'hurry', task: null });
    expect(team.facts('mail.sent').slice(-2)).toMatchObject([
      { kind: 'operator', to: ['two'] },
      { kind: 'operator', to: ['lead', 'one', 'two'] },
    ]);
  });

  test('what it does is told to the lead and to the owner of a task that it ends', () => {
    const team = Team.start({ seats: ['lead', 'one', 'two'], tasks: [{ role: 'one' }] });
    team.idles('lead');
    team.awake('one');
    team.claim('one', '#1');
    team.ok(team.update('#1', { by: named('one'), status: 'cancelled' }));
    expect(team.inbox('one')).toEqual(['one has cancelled #1. Stop working on it.']);
    team.ok({ kind: 'member.stop', by: named('lead'), member: 'two', reason: '' });
    expect(team.inbox('lead')).toEqual(['two was stopped by lead.']);
  });
});
