/**
 * The model that a real coding agent speaks with: a loopback server that computes its answers from what it was sent. It
 * takes what those programs send, which is more than our own adapters do, and answers as the providers' wires of
 * `../providers` do, with ids that are never used twice.
 */

import type { Releases } from '../../../src/shared/releases.js';
import { anthropicWire } from '../providers/anthropic-wire.js';
import type { Deed, FarSide, Respond, Seen, SeenMessage } from '../providers/far-side.js';
import { googleWire } from '../providers/google-wire.js';
import { openaiWire } from '../providers/openai-wire.js';
import { startSpeech } from '../providers/start-far-side.js';
import {
  type Incoming,
  type Outgoing,
  type Parsed,
  Refusal,
  sse,
  type WireSpeech,
} from '../providers/wire.js';

export type AgentWire = 'anthropic' | 'openai' | 'google';

/** Starts the model; it is closed by `releases`. Requests that are none of its protocol get 404 and are not counted. */
export function startModel(wire: AgentWire, respond: Respond, releases: Releases): Promise<FarSide> {
  const speech = { anthropic: messages, openai: responses, google: contents }[wire];
  return startSpeech(speech(), wire, respond, releases);
}

type ToolCall = readonly [tool: string, input: Record<string, unknown> | string];

/** A call of a tool, or one that is made out of what was asked. */
export type Call = ToolCall | ((seen: Seen) => ToolCall);

/** Makes each call in turn, one an answer, and then says a last word. */
export function callsThenSays(calls: readonly Call[], text: string): Respond {
  return (seen) => {
    const call = calls[toolResults(seen).length];
    if (call === undefined) return said(text);
    return called(...(typeof call === 'function' ? call(seen) : call));
  };
}

const USAGE = { input: 120, cached: 30, cacheWrite: 10, output: 20 };

/** A last word, with a usage to count. */
export function said(text: string): Deed {
  return { kind: 'reply', text, usage: USAGE };
}

/** One call. */
export function called(...[tool, input]: ToolCall): Deed {
  return { kind: 'reply', text: '', calls: [{ tool, arguments: input }], usage: USAGE };
}

/** What the calls of a conversation have given, oldest first. */
export function toolResults(seen: Seen): readonly string[] {
  return seen.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
}

/** Every text part of a request's body, as it was sent. */
export function textParts(seen: Seen): readonly string[] {
  const parts: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === 'text' && typeof inner === 'string') parts.push(inner);
        else visit(inner);
      }
    }
  };
  visit(seen.body['messages'] ?? seen.body['input'] ?? seen.body['contents']);
  return parts;
}

/** All of an agent's requests as one text, to look for a word in. */
export function everythingAsked(far: FarSide): string {
  return JSON.stringify(far.seen.map(({ headers, body }) => [headers, body]));
}

function messages(): WireSpeech {
  let count = 0;
  return {
    ...anthropicWire,
    callId: () => `toolu_${count++}`,
    events: (reply) => anthropicWire.events({ ...reply, id: `msg_${count++}` }),
    parse: (incoming) => parsed(incoming, /^\/v1\/messages(\?|$)/, 'messages', messageOf),
  };
}

function responses(): WireSpeech {
  let count = 0;
  return {
    ...openaiWire,
    callId: () => `call_${count++}`,
    events: (reply) =>
      reply.calls.some((call) => typeof call.arguments === 'string')
        ? customEvents(reply)
        : openaiWire.events(reply),
    parse: (incoming) => parsed(incoming, /^\/v1\/responses(\?|$)/, 'input', itemOf),
  };
}

function contents(): WireSpeech {
  let count = 0;
  return {
    ...googleWire,
    callId: () => `call_${count++}`,
    parse: (incoming) => {
      const model = /^\/v1beta\/models\/([^/:]+):/.exec(incoming.path)?.[1] ?? '';
      const streaming = incoming.path.includes(':streamGenerateContent');
      const tools = fieldsOf(incoming.body['tools']).flatMap((each) => each['functionDeclarations']);
      const body = { ...incoming.body, model, stream: streaming, tools };
      return parsed({ ...incoming, body }, /:(streamG|g)enerateContent/, 'contents', contentOf);
    },
  };
}

/** Calls whose argument is a text and no object, which the Responses API has a kind of its own for. */
function customEvents({ model, calls }: Outgoing): readonly Uint8Array[] {
  const response = { id: 'resp_1', object: 'response', model };
  const output = calls.map(({ id, tool, arguments: input }) => ({
    type: 'custom_tool_call',
    id: `ctc_${id}`,
    call_id: id,
    name: tool,
    input,
    status: 'completed',
  }));
  const usage = { input_tokens: USAGE.input, output_tokens: USAGE.output, total_tokens: 140 };
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ].map((event) => sse(event, event.type));
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(
  { path, body }: Incoming,
  known: RegExp,
  key: string,
  read: (item: Fields) => readonly SeenMessage[],
): Parsed {
  if (!known.test(path)) throw new Refusal(`no such path: ${path}`, 404);
  return {
    model: String(body['model']),
    system: [],
    messages: fieldsOf(body[key]).flatMap(read),
    tools: fieldsOf(body['tools']).map((tool) => ({
      name: String(tool['name'] ?? tool['type']),
      description: String(tool['description'] ?? ''),
      parameters: tool['input_schema'] ?? tool['parameters'],
    })),
    streaming: body['stream'] === true,
  };
}

/** A message of the Messages API: results of calls come as blocks of a message of the user. */
function messageOf({ role, content }: Fields): readonly SeenMessage[] {
  if (role === 'assistant') return [{ role, text: textOf(content), calls: [] }];
  const results = fieldsOf(content).flatMap((block): SeenMessage[] =>
    block['type'] === 'tool_result'
      ? [{ role: 'tool', call: String(block['tool_use_id']), text: textOf(block['content']) }]
      : [],
  );
  return [...results, { role: 'user', text: textOf(content) }];
}

/** A content of Gemini's API: what calls have given comes as parts of a content of the user. */
function contentOf({ role, parts }: Fields): readonly SeenMessage[] {
  if (role === 'model') return [{ role: 'assistant', text: textOf(parts), calls: [] }];
  const results = fieldsOf(parts).flatMap((part): SeenMessage[] => {
    const [response] = fieldsOf([part['functionResponse']]);
    const call = String(response?.['id']);
    return response === undefined ? [] : [{ role: 'tool', call, text: JSON.stringify(response['response']) }];
  });
  return [...results, { role: 'user', text: textOf(parts) }];
}

/** An item of the Responses API. */
function itemOf({ type, role, content, call_id, output }: Fields): readonly SeenMessage[] {
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'tool', call: String(call_id), text: textOf(output) }];
  if (type !== 'message') return [];
  return role === 'assistant'
    ? [{ role, text: textOf(content), calls: [] }]
    : [{ role: 'user', text: textOf(content) }];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return fieldsOf(content)
    .map((block) => block['text'])
    .filter((text) => typeof text === 'string')
    .join('\n');
}

function fieldsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
