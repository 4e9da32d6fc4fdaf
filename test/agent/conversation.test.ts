import { expect, test } from 'vitest';
import { Conversation } from '../../src/agent/conversation.js';
import type { MemoryEntry } from '../../src/agent/memory.js';

const input = (...ids: string[]): MemoryEntry => ({ kind: 'input', messages: ids, text: ids.join(' ') });
const reply = (...places: string[]): MemoryEntry => ({
  kind: 'reply',
  text: 'hm',
  calls: places.map((place) => ({ place, tool: `tool-${place}`, arguments: { at: place } })),
});
const result = (place: string, outcome: 'ok' | 'denied' = 'ok'): MemoryEntry => ({
  kind: 'result',
  place,
  text: `of ${place}`,
  outcome,
});

test('a member that was told nothing wants no reply', () => {
  const conversation = new Conversation([{ kind: 'opened' }]);
  expect(conversation.wantsReply).toBe(false);
  expect(conversation.messages).toEqual([]);
});

test('C1 while a reply has calls without results, no reply is wanted', () => {
  const conversation = new Conversation([input('m1'), reply('a', 'b'), result('a')]);
  expect(conversation.pending.map((call) => call.place)).toEqual(['b']);
  expect(conversation.wantsReply).toBe(false);
  conversation.add(result('b'));
  expect(conversation.pending).toEqual([]);
  expect(conversation.wantsReply).toBe(true);
});

test('C2 results stand in the order asked, whatever order they were recorded in', () => {
  const conversation = new Conversation([
    input('m1'),
    reply('a', 'b', 'c'),
    result('c'),
    result('a'),
    result('b'),
  ]);
  expect(conversation.messages.slice(2).map((message) => message.text)).toEqual(['of a', 'of b', 'of c']);
});

test('a call keeps its place as the id that the model is told, and anything but ok is a failed result', () => {
  const conversation = new Conversation([input('m1'), reply('7-2.0'), result('7-2.0', 'denied')]);
  expect(conversation.messages.slice(1)).toEqual([
    {
      role: 'assistant',
      text: 'hm',
      calls: [{ id: '7-2.0', tool: 'tool-7-2.0', arguments: { at: '7-2.0' } }],
    },
    { role: 'tool', call: '7-2.0', tool: 'tool-7-2.0', text: 'of 7-2.0', failed: true },
  ]);
});

test('ids of messages are answered by the next reply, and stay answered', () => {
  const conversation = new Conversation([input('m1', 'm2')]);
  expect(conversation.unanswered).toEqual(['m1', 'm2']);
  expect([...conversation.answered]).toEqual([]);
  conversation.add(input('m3'));
  conversation.add(reply());
  expect(conversation.unanswered).toEqual([]);
  expect([...conversation.answered]).toEqual(['m1', 'm2', 'm3']);
  expect(conversation.wantsReply).toBe(false);
});
