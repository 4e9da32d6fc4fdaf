/** What a provider's refusal means for the caller: one table over all wires, whole and streamed. Nothing is asked twice. */

import { afterEach, describe, expect, test } from 'vitest';
import type { ModelOutcome } from '../../../src/models/model.js';
import { Releases } from '../../../src/shared/releases.js';
import type { Deed, Wire } from '../../helpers/providers/far-side.js';
import { KEY, MODEL_NAMES } from '../../helpers/providers/open-far.js';
import { askFar, FORMS, WIRES_AND_FORMS } from './ask-far.js';

const releases = new Releases();
afterEach(() => releases.run());

type Status = Extract<Deed, { kind: 'status' }>;
type Row = readonly [what: string, deed: Omit<Status, 'kind'>, outcome: Partial<ModelOutcome>];

const ROWS: readonly Row[] = [
  [
    '429 with seconds',
    { status: 429, headers: { 'retry-after': '2' } },
    { kind: 'rate_limited', retryAfterMs: 2000 },
  ],
  [
    '429 with milliseconds',
    { status: 429, headers: { 'retry-after-ms': '1500', 'retry-after': '9' } },
    { kind: 'rate_limited', retryAfterMs: 1500 },
  ],
  ['429 without a word', { status: 429 }, { kind: 'rate_limited', retryAfterMs: null }],
  ['529', { status: 529 }, { kind: 'rate_limited', retryAfterMs: null }],
  ['500', { status: 500 }, { kind: 'unavailable', retryAfterMs: null }],
  ['502', { status: 502 }, { kind: 'unavailable', retryAfterMs: null }],
  [
    '503 with a date',
    {
      status: 503,
      headers: { date: 'Mon, 05 Oct 2026 10:00:00 GMT', 'retry-after': 'Mon, 05 Oct 2026 10:00:07 GMT' },
    },
    { kind: 'unavailable', retryAfterMs: 7000 },
  ],
  ['408', { status: 408 }, { kind: 'unavailable' }],
  ['409', { status: 409 }, { kind: 'unavailable' }],
  ['401', { status: 401 }, { kind: 'fatal', code: 'bad-key' }],
  ['403', { status: 403 }, { kind: 'fatal', code: 'bad-key' }],
  ['402', { status: 402 }, { kind: 'fatal', code: 'quota' }],
  ['404', { status: 404, message: 'model: no such model' }, { kind: 'fatal', code: 'unknown-model' }],
  ['413', { status: 413 }, { kind: 'fatal', code: 'context-exceeded' }],
  ['400', { status: 400, message: 'tools.0: no' }, { kind: 'fatal', code: 'bad-request' }],
  ['422', { status: 422 }, { kind: 'fatal', code: 'bad-request' }],
];

describe.each(WIRES_AND_FORMS)('%s, %s', (wire, form) => {
  test.each(ROWS)('%s', async (_what, deed, expected) => {
    const { outcome, requests } = await askFar(wire, form, { kind: 'status', ...deed }, releases);
    expect(outcome).toMatchObject(expected);
    expect(requests).toBe(1);
    expect(outcome).toHaveProperty(
      'message',
      expect.stringMatching(
        new RegExp(
          `^${wire}/\\S+: the provider refuses \\(HTTP ${deed.status}.*\\): ${deed.message ?? 'refused'}`,
        ),
      ),
    );
  });

  test('a key that the provider says back does not stand in the message, in any form of it', async () => {
    const forms = [KEY, Buffer.from(KEY).toString('base64'), Buffer.from(KEY).toString('hex')];
    const message = `${'x'.repeat(250)} ${forms.join(' ')}\n${KEY.slice(0, 8)}\u0007${KEY.slice(8)} is no key`;
    const { outcome } = await askFar(wire, form, { kind: 'status', status: 401, message }, releases);
    const told = JSON.stringify(outcome);
    for (const one of [...forms, KEY.slice(0, 12)]) expect(told).not.toContain(one);
    expect(told).toContain('[secret:TEST_API_KEY]');
    expect(told).toMatch(/check TEST_API_KEY"/);
    expect(outcome).toHaveProperty('message', expect.not.stringContaining('\n'));
  });

  test('a page of a proxy with an error status is told by its status, and bounded', async () => {
    const body = `<html><head><style>p {}</style></head><body>Bad <b>gateway</b>${' very'.repeat(50_000)}</body></html>`;
    const raw = { kind: 'raw', status: 502, headers: { 'content-type': 'text/html' }, body } as const;
    const { outcome } = await askFar(wire, form, raw, releases);
    expect(outcome).toMatchObject({ kind: 'unavailable' });
    const { message } = outcome as { message: string };
    expect(message).toMatch(/ refuses \(HTTP 502\): Bad gateway very very/);
    expect(message.length).toBeLessThan(450);
  });

  test('an error without a body is told by its status', async () => {
    const raw = { kind: 'raw', status: 400, body: '' } as const;
    const { outcome } = await askFar(wire, form, raw, releases);
    expect(outcome).toEqual({
      kind: 'fatal',
      code: 'bad-request',
      message: `${wire}/${MODEL_NAMES[wire]}: the provider refuses (HTTP 400)`,
    });
  });
});

/** What vendors say in their own words. */
const OWN_WORDS: readonly (readonly [Wire, Omit<Status, 'kind'>, string])[] = [
  [
    'openai',
    { status: 429, type: 'insufficient_quota', message: 'You exceeded your current quota' },
    'quota',
  ],
  ['openai-compatible', { status: 429, type: 'insufficient_quota' }, 'quota'],
  ['anthropic', { status: 400, message: 'Your credit balance is too low to access the API.' }, 'quota'],
  ['google', { status: 400, message: 'API key not valid. Please pass a valid API key.' }, 'bad-key'],
  ['amazon-bedrock', { status: 400, message: 'The provided model identifier is invalid.' }, 'unknown-model'],
  ['openai', { status: 403, type: 'model_not_found', message: 'no access to gpt-9' }, 'unknown-model'],
  [
    'anthropic',
    { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    'context-exceeded',
  ],
  [
    'anthropic',
    { status: 400, message: 'input length and `max_tokens` exceed context limit: 199000 + 9000 > 200000' },
    'context-exceeded',
  ],
  ['openai', { status: 400, type: 'context_length_exceeded' }, 'context-exceeded'],
  [
    'openai',
    { status: 400, message: 'Your input exceeds the context window of this model.' },
    'context-exceeded',
  ],
  [
    'openai-compatible',
    { status: 400, message: "This model's maximum context length is 4096 tokens." },
    'context-exceeded',
  ],
  [
    'openai-compatible',
    { status: 400, message: 'the request exceeds the available context size. try increasing it' },
    'context-exceeded',
  ],
  ['amazon-bedrock', { status: 400, message: 'Input is too long for requested model.' }, 'context-exceeded'],
  [
    'google',
    {
      status: 400,
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    },
    'context-exceeded',
  ],
  [
    'openai',
    { status: 429, message: 'Request too large for gpt-4.1: Limit 30000, Requested 45000' },
    'context-exceeded',
  ],
  ['amazon-bedrock', { status: 400, type: 'ServiceQuotaExceededException' }, 'quota'],
  ['anthropic', { status: 404, message: 'page not found' }, 'bad-address'],
  ['anthropic', { status: 400, message: 'messages.3: the model is asked to be kind' }, 'bad-request'],
];

test.each(OWN_WORDS)('%s: %j is %s', async (wire, deed, code) => {
  for (const form of FORMS) {
    const { outcome } = await askFar(wire, form, { kind: 'status', ...deed }, releases);
    expect(outcome).toMatchObject({ kind: 'fatal', code });
  }
});

/** Bodies in forms that no vendor of ours documents, as servers on one's own machine give them. */
test.each([
  [
    '{"error":"model \'qwen9\' not found, try pulling it first"}',
    404,
    "model 'qwen9' not found",
    'unknown-model',
  ],
  [
    '{"object":"error","message":"no tools here","type":"BadRequestError","code":400}',
    400,
    'no tools here',
    'bad-request',
  ],
  ['{"detail":[{"loc":["body"],"msg":"field required"}]}', 422, 'field required', 'bad-request'],
  ['{"detail":"Not authenticated"}', 401, 'Not authenticated', 'bad-key'],
  [
    '[{"error":{"code":400,"message":"in a list","status":"INVALID_ARGUMENT"}}]',
    400,
    'in a list',
    'bad-request',
  ],
  ['404 page not found', 404, '404 page not found', 'bad-address'],
  ['"a text"', 400, 'a text', 'bad-request'],
  ['null', 400, '', 'bad-request'],
])('a server answers %s', async (body, status, text, code) => {
  const { outcome } = await askFar('openai-compatible', 'whole', { kind: 'raw', status, body }, releases);
  expect(outcome).toMatchObject({ kind: 'fatal', code, message: expect.stringContaining(text) });
});

test('google: the delay that stands in the body is the wait', async () => {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17.5s' },
  ];
  const error = {
    code: 429,
    message: 'You exceeded your current quota',
    status: 'RESOURCE_EXHAUSTED',
    details,
  };
  const raw = { kind: 'raw', status: 429, body: JSON.stringify({ error }) } as const;
  const { outcome } = await askFar('google', 'whole', raw, releases);
  expect(outcome).toMatchObject({ kind: 'rate_limited', retryAfterMs: 17_500 });
});

test('a key of access that signs is not said back either', async () => {
  const credential = {
    kind: 'aws',
    variable: 'AWS_ACCESS_KEY_ID',
    accessKeyId: 'AKIATESTTESTTEST',
    secretAccessKey: 'secret/of+tests/0123',
    sessionToken: 'session-of-tests-0123',
  } as const;
  const message = `The canonical string: x-amz-security-token:${credential.sessionToken} of ${credential.accessKeyId}`;
  const deed = { kind: 'status', status: 403, message } as const;
  const { outcome } = await askFar('amazon-bedrock', 'whole', deed, releases, { credential });
  expect(outcome).toMatchObject({ code: 'bad-key' });
  expect(JSON.stringify(outcome)).not.toMatch(/session-of-tests|AKIATEST/);
});
