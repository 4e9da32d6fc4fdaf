import { expect, test } from 'vitest';
import type { Model, ModelOutcome, ModelRequest } from '../../src/models/model.js';
import { redactedModel } from '../../src/models/redacted-model.js';
import { FREE } from '../../src/models/settings.js';
import { NO_SECRETS, redactorOf } from '../../src/shared/secrets/redactor.js';

const VALUE = '4711081512';
const secrets = redactorOf([{ name: 'PIN_TOKEN', value: VALUE }]);

/** Answers with what it was sent, in pieces of three characters. */
function echoing(answer: (request: ModelRequest) => ModelOutcome): Model {
  return {
    id: 'test/echo',
    facts: FREE,
    leftover: () => ['left'],
    async generate(request, _signal, watch) {
      const outcome = answer(request);
      const text = outcome.kind === 'reply' ? outcome.text : '';
      for (let at = 0; at < text.length; at += 3) watch?.(text.slice(at, at + 3));
      return outcome;
    },
  };
}

const REQUEST: ModelRequest = {
  member: 'm',
  role: 'r',
  system: [{ name: 'role', text: `Use ${VALUE}.` }],
  messages: [{ role: 'user', text: Buffer.from(VALUE).toString('base64') }],
  tools: [{ name: 't', description: `not ${VALUE}`, parameters: { enum: [VALUE] } }],
  maxOutputTokens: 10,
};
const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 1 };
const { signal } = new AbortController();

test('nothing secret goes out, comes back or is shown in between', async () => {
  const sent: ModelRequest[] = [];
  const model = redactedModel(
    echoing((request) => {
      sent.push(request);
      const calls = [
        { tool: 't', arguments: { text: encodeURIComponent(VALUE), pin: Number(VALUE), [VALUE]: [1] } },
      ];
      return { kind: 'reply', text: `I say ${VALUE} and more`, calls, usage, stop: 'end' };
    }),
    secrets,
  );
  const shown: string[] = [];
  const outcome = await model.generate(REQUEST, signal, (fragment) => shown.push(fragment));
  expect(JSON.stringify(sent)).not.toContain(VALUE);
  expect(sent[0]?.messages).toEqual([{ role: 'user', text: '[secret:PIN_TOKEN]' }]);
  expect(outcome).toEqual({
    kind: 'reply',
    text: 'I say [secret:PIN_TOKEN] and more',
    calls: [
      {
        tool: 't',
        arguments: { text: '[secret:PIN_TOKEN]', pin: '[secret:PIN_TOKEN]', '[secret:PIN_TOKEN]': [1] },
      },
    ],
    usage,
    stop: 'end',
  });
  expect(shown.join('')).toBe('I say [secret:PIN_TOKEN] and more');
  expect(model.leftover('m', 'r', [])).toEqual(['left']);
});

test.each(['rate_limited', 'unavailable', 'fatal'] as const)(
  'the words of a failure (%s) hold none',
  async (kind) => {
    const failed = { kind, code: 'bad-key', retryAfterMs: null, message: `the key ${VALUE} is wrong` };
    const model = redactedModel(
      echoing(() => failed),
      secrets,
    );
    expect(await model.generate(REQUEST, signal)).toMatchObject({
      message: 'the key [secret:PIN_TOKEN] is wrong',
    });
  },
);

test('nor do they hold the beginning of one where they were cut', async () => {
  const key = 'kestrel-7Qm9Zt2LbWq';
  const message = `a page of a proxy: PASSWORD=${key.slice(0, 12)}…`;
  const model = redactedModel(
    echoing(() => ({ kind: 'fatal', code: 'bad-key', message })),
    redactorOf([{ name: 'PASSWORD', value: key }]),
  );
  expect(await model.generate(REQUEST, signal)).toMatchObject({
    message: 'a page of a proxy: PASSWORD=[secret:PASSWORD]…',
  });
});

test('a model of who knows no secret is the model itself', () => {
  const model = echoing(() => ({ kind: 'cancelled' }));
  expect(redactedModel(model, NO_SECRETS)).toBe(model);
});
