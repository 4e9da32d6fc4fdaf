/** What becomes of a provider's answer: text, calls, usage, and why it stopped; the same whole and streamed. */

import { afterEach, expect, test } from 'vitest';
import { estimateReplyTokens, estimateRequestTokens } from '../../../src/models/estimate-tokens.js';
import type { ModelReply } from '../../../src/models/model.js';
import { Releases } from '../../../src/shared/releases.js';
import type { Deed, Wire } from '../../helpers/providers/far-side.js';
import { openFar, WIRES } from '../../helpers/providers/open-far.js';
import { startFarSide } from '../../helpers/providers/start-far-side.js';
import { askFar, type Form, QUESTION, WIRES_AND_FORMS } from './ask-far.js';

const releases = new Releases();
afterEach(() => releases.run());

type Reply = Extract<Deed, { kind: 'reply' }>;

async function replyTo(wire: Wire, form: Form, reply: Omit<Reply, 'kind'>): Promise<ModelReply> {
  const { outcome } = await askFar(wire, form, { kind: 'reply', ...reply }, releases);
  if (outcome.kind !== 'reply') throw new Error(JSON.stringify(outcome));
  return outcome;
}

test.each(WIRES_AND_FORMS)('%s, %s: text arrives as it was written, without the thoughts', async (...row) => {
  const text = 'Grüße, 🙂🙂🙂: "a\\nb"\n\n  end ';
  const reply = await replyTo(...row, { text });
  expect(reply).toMatchObject({ kind: 'reply', text, calls: [], stop: 'end' });
});

test.each(WIRES_AND_FORMS)('%s, %s: fragments add up to the text, for who watches', async (...row) => {
  const text = 'a text that comes in several pieces';
  const { fragments } = await askFar(...row, { kind: 'reply', text }, releases);
  if (row[1] === 'whole') return expect(fragments).toEqual([]);
  expect(fragments.length).toBeGreaterThan(3);
  expect(fragments.join('')).toBe(text);
});

test.each(WIRES)('%s: whoever watches and throws is shown no more, and changes nothing', async (wire) => {
  const far = await startFarSide(wire, () => ({ kind: 'reply', text: 'all of it, to the end' }), releases);
  let shown = 0;
  const watch = (): void => {
    shown++;
    throw new Error('the watcher fell asleep');
  };
  const model = await openFar(wire, far.url);
  const outcome = await model.generate(QUESTION, new AbortController().signal, watch);
  expect(outcome).toMatchObject({ kind: 'reply', text: 'all of it, to the end' });
  expect(shown).toBe(1);
});

test.each(WIRES_AND_FORMS)(
  '%s, %s: calls keep their order whatever ids they are given: repeated, empty, counted from 0',
  async (...row) => {
    for (const ids of [['0', '0', '0'], ['', '', ''], ['0', '1', '0'], undefined]) {
      const calls = ['b', 'a', 'c'].map((path, index) => ({
        tool: 'fs_list',
        arguments: { path },
        ...(ids === undefined ? {} : { id: ids[index] ?? '' }),
      }));
      const reply = await replyTo(...row, { text: 'x', calls });
      expect(reply.calls).toEqual(['b', 'a', 'c'].map((path) => ({ tool: 'fs_list', arguments: { path } })));
      expect(reply.stop).toBe('tool_calls');
    }
  },
);

test.each(WIRES_AND_FORMS)('%s, %s: arguments are objects, or what the model wrote', async (...row) => {
  const written: readonly (readonly [string, unknown])[] = [
    ['{"path": "a", "deep": {"list": [1, null]}}', { path: 'a', deep: { list: [1, null] } }],
    ['{}', {}],
    ['{"path": "a', '{"path": "a'],
    ['path: a', 'path: a'],
    ['[1]', '[1]'],
    ['"{\\"path\\": \\"a\\"}"', { path: 'a' }],
    ['"a"', 'a'],
    ['{"__proto__": {"x": 1}}', JSON.parse('{"__proto__": {"x": 1}}')],
  ];
  for (const [text, expected] of written) {
    const reply = await replyTo(...row, { text: '', calls: [{ tool: 'fs_list', arguments: text }] });
    expect(reply.calls, text).toEqual([{ tool: 'fs_list', arguments: expected }]);
  }
});

test.each([
  ['anthropic', 'max_tokens', 'length'],
  ['anthropic', 'refusal', 'refusal'],
  ['anthropic', 'stop_sequence', 'end'],
  ['anthropic', 'something_new', 'something_new'],
  ['openai', 'max_output_tokens', 'length'],
  ['openai', 'content_filter', 'refusal'],
  ['openai-compatible', 'length', 'length'],
  ['openai-compatible', 'content_filter', 'refusal'],
  ['openai-compatible', 'something_new', 'something_new'],
  ['amazon-bedrock', 'max_tokens', 'length'],
  ['amazon-bedrock', 'guardrail_intervened', 'refusal'],
  ['google', 'MAX_TOKENS', 'length'],
  ['google', 'SAFETY', 'refusal'],
  ['google', 'LANGUAGE', 'LANGUAGE'],
  ['google', ' ', 'other'],
  ['anthropic', 'a\u001b[31m\nb', 'a[31m\\nb'],
] as const)('%s: "%s" is told as "%s"', async (wire, word, stop) => {
  for (const form of ['whole', 'streamed'] as const) {
    expect(await replyTo(wire, form, { text: 'so far', stop: word })).toMatchObject({ text: 'so far', stop });
  }
});

const LENGTH: Readonly<Record<Wire, string>> = {
  anthropic: 'max_tokens',
  openai: 'max_output_tokens',
  'openai-compatible': 'length',
  'amazon-bedrock': 'max_tokens',
  google: 'MAX_TOKENS',
};

test.each(WIRES_AND_FORMS)('%s, %s: half a call at the limit is kept as it was written', async (...row) => {
  const half = '{"path": "a.md", "text": "the beginning';
  const calls = [
    { tool: 'fs_list', arguments: { path: 'a' } },
    { tool: 'fs_list', arguments: half },
  ];
  const reply = await replyTo(...row, { text: '', calls, stop: LENGTH[row[0]] });
  expect(reply).toMatchObject({ stop: 'length', calls: [{ arguments: { path: 'a' } }, { arguments: half }] });
});

test.each(WIRES_AND_FORMS)('%s, %s: usage is all input, with what a cache gave', async (...row) => {
  const usage = { input: 1200, cached: 800, cacheWrite: 100, output: 30 };
  const reply = await replyTo(...row, { text: 'x', usage });
  const writes = row[0] === 'anthropic' || row[0] === 'amazon-bedrock' ? { cacheWriteTokens: 100 } : {};
  expect(reply.usage).toEqual({ inputTokens: 1200, cachedTokens: 800, outputTokens: 30, ...writes });
});

test.each(WIRES_AND_FORMS)('%s, %s: usage of nothing is estimated, never NaN', async (...row) => {
  const calls = [{ tool: 'fs_list', arguments: { path: 'a' } }];
  const reply = await replyTo(...row, { text: 'some text', calls, usage: { input: 0, output: 0 } });
  expect(reply.usage).toEqual({
    inputTokens: estimateRequestTokens(QUESTION),
    cachedTokens: 0,
    outputTokens: estimateReplyTokens('some text', reply.calls),
  });
});

test.each(WIRES_AND_FORMS)('%s, %s: nothing at all is no answer to a question', async (...row) => {
  const { outcome } = await askFar(...row, { kind: 'reply', text: '' }, releases);
  expect(outcome).toMatchObject({ kind: 'unavailable', retryAfterMs: null });
  expect(outcome).toHaveProperty('message', expect.stringMatching(/: the provider answered with nothing/));
});

test.each(WIRES_AND_FORMS)('%s, %s: after a result a model may have nothing to add', async (...row) => {
  const call = { id: '1-1.0', tool: 'fs_list', arguments: {} };
  const request = {
    ...QUESTION,
    messages: [
      ...QUESTION.messages,
      { role: 'assistant', text: '', calls: [call] } as const,
      { role: 'tool', call: '1-1.0', tool: 'fs_list', text: 'done', failed: false } as const,
    ],
  };
  const { outcome } = await askFar(...row, { kind: 'reply', text: '' }, releases, { request });
  expect(outcome).toMatchObject({ kind: 'reply', text: '', calls: [], stop: 'end' });
});

/** What servers send that speak a vendor's protocol and do not count. */
const UNCOUNTED: Readonly<Record<Wire, Record<string, unknown>>> = {
  anthropic: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
  },
  openai: {
    id: 'r',
    output: [
      {
        type: 'message',
        id: 'm',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'hi', annotations: [] }],
      },
    ],
  },
  'openai-compatible': {
    choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  },
  'amazon-bedrock': {
    output: { message: { role: 'assistant', content: [{ text: 'hi' }] } },
    stopReason: 'end_turn',
  },
  google: { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }] },
};

test.each(WIRES)('%s: an answer without usage, or with one of nothing, is estimated', async (wire) => {
  const key = wire === 'google' ? 'usageMetadata' : 'usage';
  for (const usage of [{}, { [key]: null }]) {
    const body = JSON.stringify({ ...UNCOUNTED[wire], ...usage });
    const { outcome } = await askFar(wire, 'whole', { kind: 'raw', status: 200, body }, releases);
    expect(outcome).toEqual({
      kind: 'reply',
      text: 'hi',
      calls: [],
      stop: 'end',
      usage: { inputTokens: estimateRequestTokens(QUESTION), cachedTokens: 0, outputTokens: 1 },
    });
  }
});
