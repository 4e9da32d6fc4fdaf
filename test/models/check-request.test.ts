import { describe, expect, test } from 'vitest';
import { requestFault } from '../../src/models/check-request.js';
import type { ModelMessage } from '../../src/models/model.js';
import { requestOf } from '../helpers/conversation.js';

const user: ModelMessage = { role: 'user', text: 'go' };
const asking = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  text: '',
  calls: ids.map((id) => ({ id, tool: 'fs_list', arguments: {} })),
});
const result = (call: string): ModelMessage => ({
  role: 'tool',
  call,
  tool: 'fs_list',
  text: 'ok',
  failed: false,
});

describe('a request', () => {
  const sound: readonly (readonly [string, readonly ModelMessage[]])[] = [
    ['one user message', [user]],
    ['several user messages in a row', [user, user]],
    ['results in another order than the calls', [user, asking('a', 'b'), result('b'), result('a')]],
    ['mail after the results', [user, asking('a'), result('a'), user]],
    ['an answer without calls, then mail', [user, asking(), user]],
  ];
  test.each(sound)('may be sent with %s', (_what, messages) => {
    expect(requestFault(requestOf(messages))).toBeNull();
  });

  const faulty: readonly (readonly [readonly ModelMessage[], string])[] = [
    [[], 'there is no message; a conversation begins with a user message'],
    [[asking(), user], 'message 0 is a assistant message; a conversation begins with a user message'],
    [[user, asking()], 'the last message is an answer; something must have been sent after it'],
    [[user, asking('a', 'b'), result('a')], 'call "b" has no result before the end'],
    [[user, asking('a'), user], 'call "a" has no result before message 2'],
    [[user, result('a')], 'message 1 is a result for call "a", which is not open'],
    [[user, asking('a'), result('a'), result('a')], 'message 3 is a result for call "a", which is not open'],
    [[user, asking('a', 'a'), result('a')], 'message 1 repeats the call id "a"'],
  ];
  test.each(faulty)('is refused, case %#', (messages, fault) => {
    expect(requestFault(requestOf(messages))).toBe(fault);
  });

  test.each([0, -1, Number.NaN])('is refused with room for %s tokens of answer', (maxOutputTokens) => {
    expect(requestFault({ ...requestOf([user]), maxOutputTokens })).toBe(
      `maxOutputTokens is ${maxOutputTokens}; it must be at least 1`,
    );
  });
});
