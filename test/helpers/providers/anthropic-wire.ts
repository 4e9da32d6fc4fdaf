/** Anthropic's Messages API, as strict as the real one. */

import type { SeenMessage } from './far-side.js';
import { OpenCalls } from './pairing.js';
import {
  argumentText,
  bearer,
  type Incoming,
  list,
  name,
  type Outgoing,
  object,
  type Parsed,
  pieces,
  Refusal,
  refuse,
  schema,
  sse,
  string,
  tokens,
  type WireSpeech,
  words,
} from './wire.js';

export const anthropicWire: WireSpeech = {
  basePath: '',
  streamType: 'text/event-stream',
  stops: { end: 'end_turn', calls: 'tool_use' },
  callId: (index) => `toolu_${index}`,
  parse,
  whole: (reply) => ({
    id: reply.id ?? 'msg_1',
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: [
      ...(reply.text === '' ? [] : [{ type: 'text', text: reply.text }]),
      ...reply.calls.map(({ id, tool, arguments: input }) => ({ type: 'tool_use', id, name: tool, input })),
    ],
    stop_reason: reply.stop,
    stop_sequence: null,
    usage: { ...inputUsage(reply), output_tokens: reply.usage.output },
  }),
  events,
  error: (status, message, type) => ({
    headers: { 'request-id': 'req_1' },
    body: { type: 'error', error: { type: type ?? TYPES[status] ?? 'api_error', message } },
  }),
  errorEvent: (type, message) => sse({ type: 'error', error: { type, message } }, 'error'),
};

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function parse({ path, headers, body }: Incoming): Parsed {
  if (path !== '/v1/messages') throw new Refusal(`no such path: ${path}`, 404);
  if (headers['x-api-key'] === undefined && !bearer(headers)) throw new Refusal('x-api-key is missing', 401);
  if (headers['anthropic-version'] === undefined) refuse('anthropic-version: header is required');
  tokens(body['max_tokens'], 'max_tokens');
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > 4) refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  const tools = list(body['tools'] ?? [], 'tools').map((item, index) => {
    const tool = object(item, `tools.${index}`);
    return {
      name: name(tool['name'], `tools.${index}.name`),
      description: string(tool['description'], `tools.${index}.description`),
      parameters: schema(tool['input_schema'], `tools.${index}.input_schema`),
    };
  });
  const messages = conversation(list(body['messages'], 'messages'));
  if (tools.length === 0 && messages.some(({ role }) => role === 'tool')) {
    refuse('Requests which include `tool_use` or `tool_result` blocks must define tools');
  }
  return {
    model: string(body['model'], 'model'),
    system: list(body['system'] ?? [], 'system').map((item, index) =>
      words(object(item, `system.${index}`)['text'], `system.${index}.text`),
    ),
    messages,
    tools,
    streaming: body['stream'] === true,
  };
}

function conversation(given: readonly unknown[]): SeenMessage[] {
  const seen: SeenMessage[] = [];
  const open = new OpenCalls();
  given.forEach((item, index) => {
    const where = `messages.${index}`;
    const message = object(item, where);
    const expected = index % 2 === 0 ? 'user' : 'assistant';
    if (message['role'] !== expected)
      refuse(`${where}: role must be "${expected}": roles must alternate, the first is "user"`);
    const blocks = list(message['content'], `${where}.content`).map((block) => object(block, where));
    if (blocks.length === 0) refuse(`${where}: content must not be empty`);
    if (expected === 'assistant') seen.push(assistant(blocks, where, open));
    else seen.push(...user(blocks, where, open));
  });
  if (given.length % 2 === 0) refuse('messages: the last message must be of the user');
  return seen;
}

function assistant(
  blocks: readonly Readonly<Record<string, unknown>>[],
  where: string,
  open: OpenCalls,
): SeenMessage {
  let text = '';
  const calls = blocks.flatMap((block) => {
    if (block['type'] === 'text') {
      text += words(block['text'], `${where}.text`);
      return [];
    }
    if (block['type'] !== 'tool_use') return refuse(`${where}: unknown block ${JSON.stringify(block)}`);
    const id = name(block['id'], `${where}.tool_use.id`, /^[a-zA-Z0-9_-]+$/);
    const tool = name(block['name'], `${where}.tool_use.name`);
    open.call(id, tool);
    return [{ id, tool, arguments: object(block['input'], `${where}.tool_use.input`) }];
  });
  return { role: 'assistant', text, calls };
}

/** Results come first, all of them, directly after the calls. */
function user(
  blocks: readonly Readonly<Record<string, unknown>>[],
  where: string,
  open: OpenCalls,
): SeenMessage[] {
  const seen = blocks.map((block): SeenMessage => {
    if (block['type'] === 'text') {
      open.closed(`${where}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`);
      return { role: 'user', text: words(block['text'], `${where}.text`) };
    }
    if (block['type'] !== 'tool_result') return refuse(`${where}: unknown block ${JSON.stringify(block)}`);
    const id = string(block['tool_use_id'], `${where}.tool_use_id`);
    open.result(id);
    return { role: 'tool', call: id, text: string(block['content'], `${where}.content`) };
  });
  open.closed(`${where}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`);
  return seen;
}

/** What was read from a cache or written to one is counted apart. */
function inputUsage({ usage }: Outgoing): Record<string, number> {
  return {
    input_tokens: usage.input - usage.cached - usage.cacheWrite,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: usage.cacheWrite,
  };
}

function events(reply: Outgoing): readonly Uint8Array[] {
  const event = (data: { type: string } & Record<string, unknown>): Uint8Array => sse(data, data.type);
  const message = {
    id: reply.id ?? 'msg_1',
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: [],
  };
  const sent = [
    event({
      type: 'message_start',
      message: {
        ...message,
        stop_reason: null,
        stop_sequence: null,
        usage: { ...inputUsage(reply), output_tokens: 1 },
      },
    }),
    event({ type: 'ping' }),
  ];
  let index = 0;
  const block = (start: unknown, deltas: readonly unknown[]): void => {
    sent.push(event({ type: 'content_block_start', index, content_block: start }));
    for (const delta of deltas) sent.push(event({ type: 'content_block_delta', index, delta }));
    sent.push(event({ type: 'content_block_stop', index }));
    index++;
  };
  if (reply.text !== '') {
    block(
      { type: 'text', text: '' },
      pieces(reply.text).map((text) => ({ type: 'text_delta', text })),
    );
  }
  for (const { id, tool, arguments: args } of reply.calls) {
    block(
      { type: 'tool_use', id, name: tool, input: {} },
      pieces(argumentText(args)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    );
  }
  sent.push(
    event({
      type: 'message_delta',
      delta: { stop_reason: reply.stop, stop_sequence: null },
      usage: { output_tokens: reply.usage.output },
    }),
    event({ type: 'message_stop' }),
  );
  return sent;
}
