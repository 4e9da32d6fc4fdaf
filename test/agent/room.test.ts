import { expect, test } from 'vitest';
import { cutText, divide, roomOf, writtenDown } from '../../src/agent/room.js';
import type { ModelMessage } from '../../src/models/model.js';

const user = (text: string): ModelMessage => ({ role: 'user', text });
const said = (text: string): ModelMessage => ({ role: 'assistant', text, calls: [] });
const called = (id: string): ModelMessage => ({
  role: 'assistant',
  text: '',
  calls: [{ id, tool: 'fs_list', arguments: { path: id } }],
});
const result = (call: string, text: string): ModelMessage => ({
  role: 'tool',
  call,
  tool: 'fs_list',
  text,
  failed: false,
});

/** One token a character. */
const tokensOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, { text }) => sum + text.length, 0);
const ROOM = { ...roomOf(1_000, 0), kept: 10, unanswered: 20 };

test('the answer is taken off the window, and every bound is a part of what is left', () => {
  const room = roomOf(40_000, 10_000);
  expect(room).toMatchObject({ usable: 30_000, compactedFrom: 22_500, summary: 3_750 });
  expect(room.kept + room.summary + room.input).toBeLessThan(room.compactedFrom);
  expect(roomOf(1_000_000, 16_384).summary).toBe(4_096);
  expect(roomOf(10, 20).usable).toBe(0);
});

test('the newest messages stay, as many as fit, and a call stays with its results', () => {
  const old = [user('a'.repeat(50)), called('1'), result('1', 'b'.repeat(50))];
  const recent = [called('2'), result('2', 'c'.repeat(8))];
  expect(divide([...old, ...recent], ROOM, tokensOf)).toEqual({ replaced: old, cut: [], kept: recent });
  // The result alone would fit, its call with both results does not.
  const wide = [called('3'), result('3', 'd'.repeat(12))];
  const { kept } = divide([...old, ...recent, ...wide, said('x'), user('next')], ROOM, tokensOf);
  expect(kept).toEqual([said('x'), user('next')]);
});

test('what the model has not answered stays, and is told anew where it is too long', () => {
  const old = [user('a'.repeat(50)), said('b')];
  const unanswered = [user('c'.repeat(15)), user('d')];
  expect(divide([...old, ...unanswered], ROOM, tokensOf)).toEqual({
    replaced: old,
    cut: [],
    kept: unanswered,
  });
  const long = [called('1'), result('1', 'e'.repeat(30))];
  expect(divide([...old, ...long], ROOM, tokensOf)).toEqual({ replaced: old, cut: long, kept: [] });
});

test('a conversation is written down from its newest part, results with their places or left out', () => {
  const messages = [user('first'), called('4-1.0'), result('4-1.0', 'three files'), said('done')];
  expect(writtenDown(messages, 1_000, 'shown')).toBe(
    '[put in]\nfirst\n[call 4-1.0: fs_list] {"path":"4-1.0"}\n[result of 4-1.0: fs_list]\nthree files\n[you said]\ndone',
  );
  expect(writtenDown(messages, 1_000, 'elided')).toContain('[result of 4-1.0: fs_list] left out, 11 bytes');
  expect(writtenDown(messages, 20, 'shown')).toBe('[3 earlier messages are left out]\n[you said]\ndone');
});

test('a text is cut in the middle with its length, and no pair in two', () => {
  expect(cutText('short', 10)).toBe('short');
  expect(cutText(`${'a'.repeat(20)}${'b'.repeat(20)}`, 10)).toBe(
    'aaaaa\n[cut: 40 characters, the middle is left out]\nbbbbb',
  );
  expect(cutText('😀'.repeat(10), 6)).toMatch(/^😀\n\[cut: 20 characters[^\n]*\]\n😀$/);
});
