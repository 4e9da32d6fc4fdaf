import { describe, expect, test } from 'vitest';
import type { ChatNote } from '../../../src/chat/parts.js';
import { NOTHING_SPENT } from '../../../src/chat/spent.js';
import { noteLine, spentLine } from '../../../src/cli/chat/note-lines.js';

type Told = Exclude<ChatNote, { kind: 'answer' }>;

describe('what is told while a chat goes on', () => {
  test.each<[Told, string]>([
    [{ kind: 'calling', tool: 'fs_list', summary: 'list .' }, 'fs_list: list .'],
    [{ kind: 'became-active', name: 'a', why: 'keyword', detail: 'helm' }, 'a is active (keyword "helm")'],
    [{ kind: 'became-active', name: 'a', why: 'model', detail: null }, 'a is active (loaded by the model)'],
    [{ kind: 'left-out', name: 'a', reason: 'its file is gone' }, 'a is not active: its file is gone'],
    [
      { kind: 'withheld', name: 'a', tools: ['b', 'c'] },
      'a is active without b, c: the safety mode does not admit what they do',
    ],
    [
      { kind: 'dropped', turns: 1 },
      'the window is full: 1 older message and what followed are not sent any more',
    ],
    [
      { kind: 'too-large', tokens: 900, window: 800 },
      'about 900 tokens are sent, which may be more than the window of 800 takes',
    ],
    [
      { kind: 'waiting', why: 'unavailable', waitMs: 12_000, detail: 'HTTP 503' },
      'waiting 12 s for the provider (no answer): HTTP 503',
    ],
  ])('%j', (note, line) => {
    expect(noteLine(note)).toBe(`  ${line}`);
  });

  test('whatever a file or a model wrote into it, it is one line without controls', () => {
    const name = 'a\nWarning: \u001b[31mred\u202e';
    expect(noteLine({ kind: 'left-out', name, reason: 'x' })).toBe('  a\\nWarning: [31mred is not active: x');
  });

  test('the last line: a price that nobody knows is unknown', () => {
    expect(
      spentLine(1, { ...NOTHING_SPENT, modelCalls: 2, inputTokens: 30, outputTokens: 4, costUsd: null }),
    ).toBe('1 message, 2 model calls, 30 tokens in (0 cached), 4 out; cost: unknown');
  });
});
