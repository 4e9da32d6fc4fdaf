/** The loopback servers refuse what the providers refuse: only so do requests that they take prove anything. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Releases } from '../../../src/shared/releases.js';
import type { Wire } from './far-side.js';
import { WIRES } from './open-far.js';
import { startFarSide } from './start-far-side.js';

const releases = new Releases();
afterEach(() => releases.run());

const PATHS: Readonly<Record<Wire, string>> = {
  anthropic: '/v1/messages',
  openai: '/responses',
  'openai-compatible': '/chat/completions',
  'amazon-bedrock': '/model/m/converse',
  google: '/v1beta/models/m:generateContent',
};

const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
const KEYS: Readonly<Record<Wire, Record<string, string>>> = {
  anthropic: { 'x-api-key': 'k' },
  openai: { authorization: 'Bearer k' },
  'openai-compatible': {},
  'amazon-bedrock': { authorization: 'Bearer k' },
  google: { 'x-goog-api-key': 'k' },
};

/** Sends the sample body of a wire, changed as text. */
async function send(
  wire: Wire,
  change: (body: string) => string,
  headers = KEYS[wire],
): Promise<{ status: number; body: string }> {
  const far = await startFarSide(wire, () => ({ kind: 'reply', text: 'taken' }), releases);
  const file = join(import.meta.dirname, `../../fixtures/provider-bodies/${wire}.json`);
  const sample = JSON.stringify(JSON.parse(await readFile(file, 'utf8')));
  const body = change(sample);
  const init = { method: 'POST', headers: { ...HEADERS, ...headers }, body };
  const response = await fetch(`${far.url}${PATHS[wire]}`, init);
  return { status: response.status, body: await response.text() };
}

test.each(WIRES)('%s: the sample is taken', async (wire) => {
  const { status, body } = await send(wire, (sample) => sample);
  expect({ status, taken: body.includes('taken') }).toEqual({ status: 200, taken: true });
});

const ROWS: readonly (readonly [Wire, string, string | RegExp, string])[] = [
  ['anthropic', 'an id with a dot', /call00001/g, 'call.0001'],
  ['anthropic', 'an id twice', 'call00002","name', 'call00001","name'],
  ['anthropic', 'a result of no call', '"tool_use_id":"call00003"', '"tool_use_id":"call00009"'],
  ['anthropic', 'a blank text', '"text":"mail"', '"text":" "'],
  ['anthropic', 'no bound', '"max_tokens":1000,', ''],
  ['anthropic', 'arguments that are no object', '"input":{}', '"input":"{}"'],
  ['anthropic', 'two messages of one role', '"role":"assistant"', '"role":"user"'],
  ['anthropic', 'five marks', /"type":"text",/g, '"type":"text","cache_control":{"type":"ephemeral"},'],
  ['anthropic', 'a tool name with a dot', /fs_list_/g, 'fs.list_'],
  ['anthropic', 'calls without tools', /"tools":.*$/, '"tools":[]}'],
  ['openai', 'a bound below 16', '"max_output_tokens":1000', '"max_output_tokens":15'],
  ['openai', 'an output of no call', '"call_id":"call00002","output"', '"call_id":"call00009","output"'],
  ['openai', 'a call without output', /,\{"type":"function_call_output","call_id":"call00003".*?\}/, ''],
  ['openai', 'an item that was kept', '"type":"function_call",', '"type":"function_call","id":"fc_1",'],
  ['openai', 'an earlier response', '"store":false', '"store":false,"previous_response_id":"r"'],
  ['openai-compatible', 'an id of ten letters', /call00001/g, 'call000001'],
  ['openai-compatible', 'a result of no call', '"tool_call_id":"call00003"', '"tool_call_id":"call00009"'],
  ['openai-compatible', 'no result', /,\{"role":"tool","tool_call_id":"call00002".*?\}/, ''],
  ['openai-compatible', 'arguments that are no JSON', '"arguments":"{}"', '"arguments":"{"'],
  [
    'openai-compatible',
    'a second system message',
    '{"role":"user","content":"mail"}',
    '{"role":"system","content":"mail"}',
  ],
  [
    'openai-compatible',
    'an answer of nothing',
    '{"role":"user","content":"mail"}',
    '{"role":"assistant","content":null}',
  ],
  ['amazon-bedrock', 'an id with a dot', /call00001/g, 'call.0001'],
  ['amazon-bedrock', 'a blank result', '"text":"(empty)"', '"text":""'],
  ['amazon-bedrock', 'calls without tools', /,"toolConfig":.*$/, '}'],
  ['amazon-bedrock', 'no results', /\{"toolResult":\{"toolUseId":"call00003".*?\}\]\}\}/, '{"text":"x"}'],
  ['google', 'a response too few', /\{"functionResponse":\{"id":"call00002".*?\}\}\},?/, ''],
  [
    'google',
    'responses in another order',
    /call00003","name":"fs_list_","response"/,
    'call00001","name":"fs_list_","response"',
  ],
  ['google', 'an empty content', '"parts":[{"text":"mail"}]', '"parts":[]'],
  ['google', 'no bound', '"maxOutputTokens":1000', '"maxOutputTokens":0'],
];

test.each(ROWS)('%s refuses %s', async (wire, _what, from, to) => {
  let changed = false;
  const { status, body } = await send(wire, (sample) => {
    const after = sample.replace(from, to).replace(/,(\]|\})/g, '$1');
    changed = after !== sample;
    return after;
  });
  expect(changed).toBe(true);
  expect({ status, body }).toMatchObject({ status: 400, body: expect.stringMatching(/message/) });
});

test.each([
  ['anthropic', 401],
  ['openai', 401],
  ['amazon-bedrock', 403],
  ['google', 403],
] as const)('%s refuses a request without a key', async (wire, expected) => {
  expect((await send(wire, (sample) => sample, {})).status).toBe(expected);
});
