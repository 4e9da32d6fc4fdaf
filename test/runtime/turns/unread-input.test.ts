import { expect, test } from 'vitest';
import type { TaskEntries } from '../../../src/events/facts/frozen.js';
import { type Input, type Told, unreadInput } from '../../../src/runtime/turns/unread-input.js';
import { Team } from '../../helpers/build-state.js';

const ORDER = "[m1: the operator's order to this team]";

function team(): Team {
  const started = Team.start({ prompt: 'mend the door' });
  started.mail('operator', 'worker', 'begin');
  return started;
}

/** The next input of a member; texts by digest are named by it. */
function inputOf(at: Team, name: string, told: Partial<Told> = {}): Input | undefined {
  return unreadInput(at.state, at.member(name), {
    wasPutIn: () => false,
    first: true,
    text: (digest) => `<text of ${digest}>`,
    mostBytes: null,
    ...told,
  });
}

test("the lead's first input is the order alone, whatever else has come", () => {
  const at = team();
  at.mail('operator', 'lead', 'and the window');
  const input = inputOf(at, 'lead');
  expect(input?.messages).toEqual(['m1']);
  expect(input?.text).toMatch(/^\[m1: the operator's order to this team\]\nmend the door$/);
});

test('an order that was put in and not answered stays alone until it is', () => {
  const at = team();
  at.mail('operator', 'lead', 'and the window');
  expect(inputOf(at, 'lead', { wasPutIn: (id) => id === 'm1', first: false })).toBeUndefined();
});

test('the first input of another member begins with the order, which is no message of its own', () => {
  const input = inputOf(team(), 'worker');
  expect(input?.messages).toEqual(['m2']);
  expect(input?.text).toBe(`${ORDER}\nmend the door\n\n[m2: a message from the operator]\nbegin`);
});

test('a later input has the mail and no order; what was put in is not put in again', () => {
  const at = team();
  expect(inputOf(at, 'worker', { first: false })?.text).not.toContain(ORDER);
  expect(inputOf(at, 'worker', { first: false, wasPutIn: (id) => id === 'm2' })).toBeUndefined();
});

test('the order alone makes no input: it wakes nobody', () => {
  const at = Team.start({ prompt: 'mend the door' });
  expect(inputOf(at, 'worker')).toBeUndefined();
  expect(at.due()).toEqual(['lead']);
});

test('in front of the first input of a member stands what its seat brings, the order behind it; of no later one', () => {
  const brings = { reference: { sha256: 'r', bytes: 1 }, page: true };
  const at = Team.start({
    prompt: 'mend the door',
    page: 'https://docs.example/door',
    seats: [{ member: 'lead', ...brings }, { member: 'worker', ...brings }, 'bare'],
  });
  for (const name of ['lead', 'worker', 'bare']) at.mail('operator', name, 'begin');
  const opening = '<text of r>\n\nPage of this run: https://docs.example/door\n\n';
  const order = `${ORDER}\nmend the door`;
  expect(inputOf(at, 'lead')?.text).toBe(opening + order);
  expect(inputOf(at, 'worker')?.text).toBe(`${opening}${order}\n\n[m3: a message from the operator]\nbegin`);
  expect(inputOf(at, 'bare')?.text).toBe(`${order}\n\n[m4: a message from the operator]\nbegin`);
  expect(inputOf(at, 'worker', { first: false })?.text).toBe('[m3: a message from the operator]\nbegin');
});

test('a page that nobody checked stands on its line all the same', () => {
  const at = Team.start({
    page: 'a\nb\u2028c\u202ed',
    seats: [{ member: 'lead', page: true }],
  });
  expect(inputOf(at, 'lead')?.text.split('\n')[0]).toBe('Page of this run: a\\u{a}b\\u{2028}c\\u{202e}d');
});

const rider = (sha256: string, ...members: string[]): TaskEntries => ({
  members,
  sha256,
  bytes: 1,
  entries: [],
});

test('what a task brings rides with the first message that offers it, and with no later one', () => {
  const at = Team.start({ tasks: [{ subject: 'one', role: 'worker', skills: [rider('t1', 'worker')] }] });
  at.turn('worker');
  const offer = at.member('worker').unread[0] ?? '';
  const first = inputOf(at, 'worker', { first: false });
  expect(first?.messages).toEqual([offer]);
  expect(first?.text).toMatch(/^\[m\d+: from the team runtime\]\nTask #1 is ready[\s\S]*>>\n\n<text of t1>$/);
  // Offered again: told already.
  at.read('worker');
  at.end('worker', { text: 'not now', outcome: 'finished' });
  at.ok(at.update('#1', { status: 'pending', description: 'said better' }));
  at.turn('worker');
  const again = inputOf(at, 'worker', { first: false, wasPutIn: (id) => id === offer });
  expect(again?.text).toContain('Task #1 is ready');
  expect(again?.text).not.toContain('<text of t1>');
});

test('whoever claims a task that was never offered to it is told what it brings, once', () => {
  const at = Team.start({
    tasks: [
      { subject: 'one', role: 'worker' },
      { subject: 'two', role: 'worker', skills: [rider('t2', 'worker')] },
      { subject: 'three', role: 'worker', skills: [rider('t3', 'other')] },
    ],
  });
  at.awake('worker');
  for (const task of ['#1', '#2', '#3']) at.claim('worker', task);
  const [came, ...more] = at.member('worker').unread;
  expect(more).toEqual([]);
  const input = inputOf(at, 'worker', { first: false });
  expect(input?.text).toBe(
    `[${came}: from the team runtime]\nWith #2, which you have claimed, come:\n\n<text of t2>`,
  );
  at.read('worker');
  at.ok({ kind: 'task.release', task: '#2', attempt: 1, detail: 'later', ...at.in('worker') });
  at.claim('worker', '#2');
  expect(at.member('worker').unread).toEqual([]);
});
