import { expect, test } from 'vitest';
import { unreadInput } from '../../../src/runtime/turns/unread-input.js';
import { Team } from '../../helpers/build-state.js';

const nothing = (): boolean => false;
const ORDER = "[m1: the operator's order to this team]";

function team(): Team {
  const started = Team.start({ prompt: 'mend the door' });
  started.mail('operator', 'worker', 'begin');
  return started;
}

test("the lead's first input is the order alone, whatever else has come", () => {
  const at = team();
  at.mail('operator', 'lead', 'and the window');
  const input = unreadInput(at.state, at.member('lead'), nothing, true);
  expect(input?.messages).toEqual(['m1']);
  expect(input?.text).toMatch(/^\[m1: the operator's order to this team\]\nmend the door$/);
});

test('an order that was put in and not answered stays alone until it is', () => {
  const at = team();
  at.mail('operator', 'lead', 'and the window');
  expect(unreadInput(at.state, at.member('lead'), (id) => id === 'm1', false)).toBeUndefined();
});

test('the first input of another member begins with the order, which is no message of its own', () => {
  const at = team();
  const input = unreadInput(at.state, at.member('worker'), nothing, true);
  expect(input?.messages).toEqual(['m2']);
  expect(input?.text).toBe(`${ORDER}\nmend the door\n\n[m2: a message from the operator]\nbegin`);
});

test('a later input has the mail and no order; what was put in is not put in again', () => {
  const at = team();
  const member = at.member('worker');
  expect(unreadInput(at.state, member, nothing, false)?.text).not.toContain(ORDER);
  expect(unreadInput(at.state, member, (id) => id === 'm2', false)).toBeUndefined();
});

test('the order alone makes no input: it wakes nobody', () => {
  const at = Team.start({ prompt: 'mend the door' });
  expect(unreadInput(at.state, at.member('worker'), nothing, true)).toBeUndefined();
  expect(at.due()).toEqual(['lead']);
});
