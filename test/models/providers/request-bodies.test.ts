/**
 * What goes over each wire for one request, word by word (spec/skills.md §5 "Providers"). The expected bodies lie in
 * `test/fixtures/provider-bodies`; the loopback servers have checked them as the providers would.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { ModelRequest } from '../../../src/models/model.js';
import { Releases } from '../../../src/shared/releases.js';
import type { Seen, Wire } from '../../helpers/providers/far-side.js';
import { KEY, type OpenFarOptions, openFar, WIRES } from '../../helpers/providers/open-far.js';
import { startFarSide } from '../../helpers/providers/start-far-side.js';
import { SAMPLE } from './sample-request.js';

const BODIES = join(import.meta.dirname, '../../fixtures/provider-bodies');

const releases = new Releases();
afterEach(() => releases.run());

/** What the provider sees of a request that it answers. */
async function seenOf(
  wire: Wire,
  request: ModelRequest = SAMPLE,
  { watch, ...options }: OpenFarOptions & { readonly watch?: () => void } = {},
): Promise<Seen> {
  const far = await startFarSide(wire, () => ({ kind: 'reply', text: 'read' }), releases);
  const model = await openFar(wire, far.url, options);
  const outcome = await model.generate(request, new AbortController().signal, watch);
  expect(outcome).toMatchObject({ kind: 'reply', text: 'read' });
  const [seen] = far.seen;
  if (seen === undefined || far.seen.length > 1) throw new Error(`${far.seen.length} requests`);
  return seen;
}

test.each(WIRES)('%s: the body of a request, word by word', async (wire) => {
  const expected = JSON.parse(await readFile(join(BODIES, `${wire}.json`), 'utf8'));
  expect((await seenOf(wire)).body).toEqual(expected);
});

test.each(WIRES)(
  '%s: the same request has the same bytes, watched or not, so that caches hit',
  async (wire) => {
    const { stream, stream_options, ...watched } = (await seenOf(wire, SAMPLE, { watch: () => {} })).body;
    const plain = (await seenOf(wire)).body;
    expect(JSON.stringify(watched)).toBe(JSON.stringify(plain));
    expect([stream, stream_options]).toEqual(
      wire === 'openai-compatible'
        ? [true, { include_usage: true }]
        : [wire === 'anthropic' || wire === 'openai' ? true : undefined, undefined],
    );
  },
);

test.each(WIRES)('%s: all messages arrive, in order, each result at its call', async (wire) => {
  const { messages, system, tools } = await seenOf(wire);
  const blocks = wire === 'openai' || wire === 'openai-compatible' ? ['One.\n\nTwo.\n\nThree.'] : null;
  expect(system).toEqual(blocks ?? ['One.', 'Two.', 'Three.']);
  expect(messages).toEqual([
    { role: 'user', text: 'go' },
    {
      role: 'assistant',
      text: 'reading',
      calls: [
        { id: 'call00001', tool: 'fs_read_file', arguments: { path: 'a.md' } },
        { id: 'call00002', tool: 'fs_list', arguments: {} },
      ],
    },
    { role: 'tool', call: 'call00001', text: 'no such file' },
    { role: 'tool', call: 'call00002', text: '(empty)' },
    { role: 'user', text: 'mail' },
    { role: 'user', text: '(empty)' },
    {
      role: 'assistant',
      text: '',
      calls: [{ id: 'call00003', tool: 'fs_list_', arguments: { not_json: '{"path": ' } }],
    },
    { role: 'tool', call: 'call00003', text: 'not run' },
  ]);
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['fs_read_file', 'Reads a file.'],
    ['fs_list', 'Lists.'],
  ]);
});

test.each([
  ['anthropic', /"cache_control":\{"type":"ephemeral"\}/g, ['system', 2, 'cache_control']],
  ['amazon-bedrock', /"cachePoint":\{"type":"default"\}/g, ['system', 3, 'cachePoint']],
] as const)('%s: exactly one cache mark, on the last system block', async (wire, mark, place) => {
  const { body } = await seenOf(wire);
  expect(JSON.stringify(body).match(mark)).toHaveLength(1);
  expect(body).toHaveProperty([...place]);
  expect(body['system']).toHaveLength(wire === 'anthropic' ? 3 : 4);
});

test.each(['openai', 'openai-compatible', 'google'] as const)('%s: no cache mark at all', async (wire) => {
  expect(JSON.stringify((await seenOf(wire)).body)).not.toMatch(/cache/i);
});

test.each(['meta.llama3-1-70b-instruct-v1:0', 'anthropic.claude-3-haiku-20240307-v1:0'])(
  'amazon-bedrock: %s, which takes no cache point, is sent none',
  async (name) => {
    expect(JSON.stringify((await seenOf('amazon-bedrock', SAMPLE, { name })).body)).not.toContain(
      'cachePoint',
    );
  },
);

test('openai: nothing is kept at the vendor, and nothing that was kept is referred to', async () => {
  for (const name of ['gpt-4.1', 'gpt-5']) {
    const { body } = await seenOf('openai', SAMPLE, { name });
    expect(body['store']).toBe(false);
    expect(JSON.stringify(body)).not.toMatch(/item_reference|previous_response_id|"id":/);
  }
});

test.each(WIRES)('%s: calls without any tool defined are sent with tools of their names', async (wire) => {
  const { tools, messages } = await seenOf(wire, { ...SAMPLE, tools: [] });
  expect(tools.map(({ name }) => name)).toEqual(['fs_read_file', 'fs_list', 'fs_list_']);
  expect(messages).toHaveLength(8);
});

test.each(WIRES)('%s: without a system prompt and tools none are sent', async (wire) => {
  const messages = [{ role: 'user', text: 'hi' } as const];
  const seen = await seenOf(wire, { ...SAMPLE, system: [], tools: [], messages, maxOutputTokens: 1.5 });
  expect(seen).toMatchObject({ system: [], tools: [], messages });
  expect(JSON.stringify(seen.body)).not.toMatch(/tool/i);
});

test.each(WIRES)('%s: names of tools that no wire takes are made ones that all take', async (wire) => {
  const odd = ['', '1st', 'functions.fs_list', 'a'.repeat(99), 'größe'];
  const calls = odd.map((tool, index) => ({ id: `${index}`, tool, arguments: [index] }));
  const results = calls.map(
    ({ id, tool }) => ({ role: 'tool', call: id, tool, text: 'no such tool', failed: true }) as const,
  );
  const { messages } = await seenOf(wire, {
    ...SAMPLE,
    messages: [{ role: 'user', text: 'go' }, { role: 'assistant', text: '', calls }, ...results],
  });
  expect(messages[1]).toMatchObject({
    calls: [
      { tool: '_', arguments: { not_json: '[0]' } },
      { tool: '_1st' },
      { tool: 'functions_fs_list' },
      { tool: 'a'.repeat(64) },
      { tool: 'gr__e' },
    ],
  });
});

test.each([
  ['anthropic', { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' }],
  ['openai', { authorization: `Bearer ${KEY}` }],
  ['openai-compatible', { authorization: `Bearer ${KEY}` }],
  ['amazon-bedrock', { authorization: `Bearer ${KEY}` }],
  ['google', { 'x-goog-api-key': KEY }],
] as const)('%s: the key goes in the header of its vendor, and nowhere else', async (wire, headers) => {
  const seen = await seenOf(wire);
  expect(seen.headers).toMatchObject(headers);
  const rest = Object.entries(seen.headers).filter(([name]) => !Object.hasOwn(headers, name));
  expect(JSON.stringify([rest, seen.path, seen.body])).not.toContain(KEY);
  expect(seen.headers).not.toHaveProperty('anthropic-beta');
});

test('anthropic: a token goes as a bearer, without any key', async () => {
  const credential = { kind: 'token', variable: 'ANTHROPIC_AUTH_TOKEN', token: 'tok-1' } as const;
  const { headers } = await seenOf('anthropic', SAMPLE, { credential });
  expect(headers['authorization']).toBe('Bearer tok-1');
  expect(headers).not.toHaveProperty('x-api-key');
});

test('openai-compatible: a server that asks for no key is sent none', async () => {
  const { headers } = await seenOf('openai-compatible', SAMPLE, { credential: { kind: 'none' } });
  expect(headers).not.toHaveProperty('authorization');
});

test('amazon-bedrock: access keys sign the request and do not travel', async () => {
  const credential = {
    kind: 'aws',
    variable: 'AWS_ACCESS_KEY_ID',
    accessKeyId: 'AKIATESTTEST',
    secretAccessKey: 'secret/of/tests',
    sessionToken: 'session-of-tests',
  } as const;
  const { headers } = await seenOf('amazon-bedrock', SAMPLE, { credential });
  expect(headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIATESTTEST\/\d{8}\/eu-central-1\/bedrock\/aws4_request, /,
  );
  expect(headers['x-amz-security-token']).toBe('session-of-tests');
  expect(JSON.stringify(headers)).not.toContain('secret/of/tests');
});
