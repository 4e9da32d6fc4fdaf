/** Lines that break, hang or lie: always a failure that says so, never an exception, and never a short answer. */

import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { BOUNDS } from '../../../src/models/providers/exchange.js';
import { lineFailure } from '../../../src/models/providers/map-failure.js';
import type { ProviderTiming } from '../../../src/models/providers/open-provider.js';
import { Releases } from '../../../src/shared/releases.js';
import type { Deed } from '../../helpers/providers/far-side.js';
import { KEY_OF_TESTS, openFar, WIRES } from '../../helpers/providers/open-far.js';
import { startFarSide } from '../../helpers/providers/start-far-side.js';
import { askFar, QUESTION, WIRES_AND_FORMS } from './ask-far.js';

const releases = new Releases();
afterEach(() => releases.run());

/** Nobody waits for real deadlines, and no other row has short ones: a loaded machine would meet them. */
function timing(bounds: Partial<typeof BOUNDS>): ProviderTiming {
  return { bounds: { ...BOUNDS, ...bounds }, clock: { wallMs: () => 0 } };
}

const BOUNDED = timing({ answerBytes: 4096 });
const NO_BEGINNING = timing({ headersMs: 200 });
const NO_END = timing({ idleMs: 200 });

const HTML = '<!doctype html><html><head><title>Sign in</title></head><body>hello</body></html>';
const html = { 'content-type': 'text/html; charset=utf-8' };

interface Row {
  readonly what: string;
  readonly deed: Deed;
  readonly kind: 'unavailable' | 'fatal';
  readonly message: RegExp;
  readonly timing?: ProviderTiming;
}

const raw = (body: string, headers = {}): Deed => ({ kind: 'raw', status: 200, headers, body });

const ROWS: readonly Row[] = [
  {
    what: 'cut before it answers',
    deed: { kind: 'cut', when: 'before' },
    kind: 'unavailable',
    message: /broken one \(ECONNRESET: /,
  },
  {
    what: 'cut in the middle',
    deed: { kind: 'cut', when: 'within' },
    kind: 'unavailable',
    message: /broken one \(/,
  },
  {
    what: 'silent from the start',
    deed: { kind: 'silent', when: 'before' },
    kind: 'unavailable',
    message: /silent for 0\.2 s \(no answer began\)/,
    timing: NO_BEGINNING,
  },
  {
    what: 'silent in the middle',
    deed: { kind: 'silent', when: 'within' },
    kind: 'unavailable',
    message: /silent for 0\.2 s \(in the middle of its answer\)/,
    timing: NO_END,
  },
  {
    what: 'a web page',
    deed: raw(HTML, html),
    kind: 'fatal',
    message: /a web page \("Sign in"\) answered, not the provider; check its address/,
  },
  {
    what: 'a web page without a title',
    deed: raw('<html><body>Sign in</body></html>', html),
    kind: 'fatal',
    message: /: a web page answered, not the provider; check its address/,
  },
  { what: 'a web page that says it is JSON', deed: raw(HTML), kind: 'unavailable', message: /answer/ },
  { what: 'no JSON', deed: raw('{"id": "x", "cho'), kind: 'unavailable', message: /answer/ },
  { what: 'another JSON', deed: raw('{"hello": "world"}'), kind: 'unavailable', message: /answer/ },
  { what: 'nothing', deed: raw(''), kind: 'unavailable', message: /answer/ },
  { what: 'null', deed: raw('null'), kind: 'unavailable', message: /answer/ },
  {
    what: 'more than is read',
    deed: { kind: 'reply', text: 'long '.repeat(2000) },
    kind: 'unavailable',
    message: /longer than 4096 bytes/,
    timing: BOUNDED,
  },
];

describe.each(WIRES_AND_FORMS)('%s, %s', (wire, form) => {
  test.each(ROWS)('$what', async ({ deed, kind, message, timing }) => {
    const { outcome, requests } = await askFar(wire, form, deed, releases, { timing });
    expect(outcome).toMatchObject({ kind, message: expect.stringMatching(message) });
    // On a loaded machine a short deadline may pass before the server has read the one request.
    expect(requests).toBeLessThanOrEqual(1);
  });

  test('another host it sends to is not asked', async () => {
    const other = await startFarSide(wire, () => ({ kind: 'reply', text: 'stolen' }), releases);
    for (const status of [301, 302, 303, 307, 308]) {
      const headers = { location: `${other.url}/elsewhere` };
      const { outcome } = await askFar(
        wire,
        form,
        { kind: 'raw', status, headers, body: 'moved '.repeat(50_000) },
        releases,
      );
      expect(outcome).toMatchObject({
        kind: 'fatal',
        code: 'bad-answer',
        message: expect.stringMatching(/sends to "127\.0\.0\.1:\d+" \(HTTP 30\d\); not followed/),
      });
    }
    expect(other.seen).toEqual([]);
  });

  test('after a failure the same model answers', async () => {
    const { url } = await startFarSide(
      wire,
      (_seen, count) => (count === 1 ? { kind: 'cut', when: 'within' } : { kind: 'reply', text: 'well' }),
      releases,
    );
    const model = await openFar(wire, url);
    const ask = () =>
      model.generate(QUESTION, new AbortController().signal, form === 'whole' ? undefined : () => {});
    expect(await ask()).toMatchObject({ kind: 'unavailable' });
    expect(await ask()).toMatchObject({ kind: 'reply', text: 'well' });
  });

  test('nobody listens there', async () => {
    const model = await openFar(wire, await deadUrl());
    const watch = form === 'whole' ? undefined : () => {};
    expect(await model.generate(QUESTION, new AbortController().signal, watch)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/no connection to the provider.*\(ECONNREFUSED: /),
    });
  });

  test('nothing listens to the signal of a turn once its question is over', async () => {
    const { signal } = new AbortController();
    const watch = form === 'whole' ? undefined : () => {};
    for (const deed of [
      { kind: 'reply', text: 'well' },
      { kind: 'status', status: 500 },
      { kind: 'cut', when: 'within' },
    ] as const) {
      const { url } = await startFarSide(wire, () => deed, releases);
      await (await openFar(wire, url)).generate(QUESTION, signal, watch);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
  });

  test('called off in the middle of an answer', async () => {
    const abort = new AbortController();
    const { url } = await startFarSide(
      wire,
      () => {
        setImmediate(() => abort.abort());
        return { kind: 'silent', when: 'within' };
      },
      releases,
    );
    const model = await openFar(wire, url);
    const watch = form === 'whole' ? undefined : () => {};
    expect(await model.generate(QUESTION, abort.signal, watch)).toEqual({ kind: 'cancelled' });
  });
});

describe.each(WIRES)('%s, streamed', (wire) => {
  test('an answer that ends without its last part is none', async () => {
    const deed = { kind: 'short', text: 'a text of which only the half arrives' } as const;
    const { outcome, fragments } = await askFar(wire, 'streamed', deed, releases);
    expect(fragments.length).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(/answer/) });
  });
});

test.each([
  ['anthropic', 'overloaded_error', 'rate_limited'],
  ['anthropic', 'rate_limit_error', 'rate_limited'],
  ['anthropic', 'api_error', 'unavailable'],
  ['openai', 'rate_limit_exceeded', 'rate_limited'],
  ['openai', 'server_error', 'unavailable'],
  ['openai', 'insufficient_quota', 'quota'],
  ['openai-compatible', 'rate_limit_exceeded', 'rate_limited'],
  ['openai-compatible', 'server_error', 'unavailable'],
  ['openai-compatible', 'context_length_exceeded', 'context-exceeded'],
  ['amazon-bedrock', 'throttlingException', 'rate_limited'],
  ['amazon-bedrock', 'modelStreamErrorException', 'unavailable'],
  ['amazon-bedrock', 'serviceUnavailableException', 'unavailable'],
  ['google', 'RESOURCE_EXHAUSTED', 'rate_limited'],
  ['google', 'UNAVAILABLE', 'unavailable'],
] as const)('%s: %s in a stream is %s', async (wire, type, expected) => {
  for (const text of ['', 'the beginning of an answer']) {
    const deed = { kind: 'error-within', text, type, message: 'it broke' } as const;
    const { outcome } = await askFar(wire, 'streamed', deed, releases);
    expect(outcome).toMatchObject(
      expected === 'rate_limited' || expected === 'unavailable'
        ? { kind: expected, message: expect.stringMatching(/: it broke$/) }
        : { kind: 'fatal', code: expected },
    );
  }
});

test.each([
  ['empty choices', '{"id":"1","choices":[],"usage":null}'],
  ['null content', '{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}'],
  ['no message', '{"choices":[{"finish_reason":"stop"}]}'],
])('openai-compatible: %s are no answer', async (_what, body) => {
  const { outcome } = await askFar(
    'openai-compatible',
    'whole',
    { kind: 'raw', status: 200, body },
    releases,
  );
  expect(outcome).toMatchObject({ kind: 'unavailable' });
});

test('openai: a response that failed after it began well is told by its own words', async () => {
  const error = { code: 'rate_limit_exceeded', type: 'requests', message: 'slow down', param: null };
  const body = JSON.stringify({ id: 'resp_1', status: 'failed', error, output: [], usage: null });
  const { outcome } = await askFar('openai', 'whole', { kind: 'raw', status: 200, body }, releases);
  expect(outcome).toMatchObject({ kind: 'rate_limited', message: expect.stringMatching(/: slow down$/) });
});

test.each([
  ['ENOTFOUND', 'unavailable', undefined],
  ['EAI_AGAIN', 'unavailable', undefined],
  ['ETIMEDOUT', 'unavailable', undefined],
  ['CERT_HAS_EXPIRED', 'fatal', 'bad-certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'fatal', 'bad-certificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'fatal', 'bad-certificate'],
] as const)('%s on the way is %s', (code, kind, fatal) => {
  const context = { id: 'openai/x', credential: KEY_OF_TESTS, wallMs: 0 };
  const failure = lineFailure({ kind: 'broken', code, text: 'x.example' }, context);
  expect(failure).toMatchObject({ kind, ...(fatal === undefined ? {} : { code: fatal }) });
  expect(failure).toHaveProperty('message', expect.stringContaining(`(${code}: x.example)`));
});

/** An address at which somebody listened a moment ago. */
async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}
