import { expect, test } from 'vitest';
import {
  estimateReplyTokens,
  estimateRequestTokens,
  estimateTokens,
} from '../../src/models/estimate-tokens.js';

test.each([
  ['', 0],
  ['a', 1],
  ['abcd', 1],
  ['abcde', 2],
  ['ä', 1],
  ['😀😀', 2],
])('the text %j counts %i: its UTF-8 bytes / 4, rounded up', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('a request counts system parts, messages, calls and tool definitions, rounded up once', () => {
  const tool = { name: 't', description: '', parameters: {} };
  const tokens = estimateRequestTokens({
    system: [{ name: 'role', text: 'abc' }], // 3 bytes
    messages: [
      { role: 'user', text: 'ab' }, // 2
      { role: 'assistant', text: '', calls: [{ id: 'not counted', tool: 'x', arguments: { a: 1 } }] }, // 1 + 7
      { role: 'tool', call: 'not counted', tool: 'x', text: 'abcd', failed: false }, // 4
    ],
    tools: [tool],
  });
  expect(tokens).toBe(Math.ceil((17 + JSON.stringify(tool).length) / 4));
});

test('an answer counts its text and its calls', () => {
  expect(estimateReplyTokens('abc', [{ tool: 'xy', arguments: 'raw' }])).toBe(3); // 3 + 2 + 5 with quotes
});
