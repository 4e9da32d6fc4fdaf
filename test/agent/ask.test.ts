import { expect, test } from 'vitest';
import { ask, type Gate } from '../../src/agent/ask.js';
import type { Model, ModelOutcome, ModelReply, ModelRequest } from '../../src/models/model.js';
import { FREE } from '../../src/models/settings.js';

const REQUEST: ModelRequest = {
  member: 'ada',
  role: 'engineer',
  system: [],
  messages: [{ role: 'user', text: 'hello' }],
  tools: [],
  maxOutputTokens: 10,
};
const REPLY: ModelReply = {
  kind: 'reply',
  text: 'hi',
  calls: [],
  usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1 },
  stop: 'end',
};

/** A model that gives one outcome, and shows its text where somebody looks on. */
function giving(outcome: ModelOutcome): { model: Model; asked: () => number } {
  let asked = 0;
  const model: Model = {
    id: 'test/far',
    facts: FREE,
    leftover: () => [],
    generate: async (_request, _signal, watch) => {
      asked++;
      watch?.('hi');
      return outcome;
    },
  };
  return { model, asked: () => asked };
}

/** A gate that says how it was told, and lets wait 7 ms. */
function told(): { gate: Gate; words: string[] } {
  const words: string[] = [];
  const gate: Gate = {
    enter: () => ({ kind: 'open' }),
    refused: (toldMs, said) => {
      words.push(`refused ${toldMs} ${said}`);
      return 7;
    },
    unanswered: (toldMs) => {
      words.push(`unanswered ${toldMs}`);
      return 7;
    },
    answered: () => words.push('answered'),
    left: () => words.push('left'),
  };
  return { gate, words };
}

const never = new AbortController().signal;
const waiting = { kind: 'waiting', waitMs: 7, asked: true };

test.each<[ModelOutcome, unknown, string]>([
  [REPLY, REPLY, 'answered'],
  [{ kind: 'cancelled' }, { kind: 'cancelled' }, 'left'],
  [
    { kind: 'fatal', code: 'bad-request', message: 'no' },
    { kind: 'failed', code: 'bad-request', error: 'no' },
    'left',
  ],
  [
    { kind: 'rate_limited', retryAfterMs: 45_000, message: 'slow down' },
    { ...waiting, why: 'rate_limited', detail: 'slow down' },
    'refused 45000 slow down',
  ],
  [
    { kind: 'rate_limited', retryAfterMs: null, message: 'slow down' },
    { ...waiting, why: 'rate_limited', detail: 'slow down' },
    'refused null slow down',
  ],
  [
    { kind: 'unavailable', retryAfterMs: 500, message: 'cut' },
    { ...waiting, why: 'unavailable', detail: 'cut' },
    'unanswered 500',
  ],
])(
  '%j is asked for once, given on at once as what it is, and told to the gate',
  async (outcome, asked, word) => {
    const far = giving(outcome);
    const { gate, words } = told();
    expect(await ask(far.model, REQUEST, gate, never)).toEqual(asked);
    expect(far.asked()).toBe(1);
    expect(words).toEqual([word]);
  },
);

test('who looks on is shown the answer as it comes', async () => {
  const shown: string[] = [];
  await ask(giving(REPLY).model, REQUEST, told().gate, never, (fragment) => shown.push(fragment));
  expect(shown).toEqual(['hi']);
});
