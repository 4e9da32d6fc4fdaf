/** The Chat Completions API, as strict as the strictest of its servers: about ids, arguments and the order of roles. */

import type { SeenMessage } from './far-side.js';
import { openaiError } from './openai-wire.js';
import { OpenCalls } from './pairing.js';
import {
  argumentText,
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

export const chatWire: WireSpeech = {
  basePath: '/v1',
  streamType: 'text/event-stream',
  stops: { end: 'stop', calls: 'tool_calls' },
  // Several servers give the same id to every call.
  callId: () => '0',
  parse,
  whole: (reply) => ({
    ...head(reply),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.text === '' && reply.calls.length > 0 ? null : reply.text,
          reasoning_content: 'a thought of nobody',
          ...(reply.calls.length > 0 ? { tool_calls: reply.calls.map(callOf) } : {}),
        },
        finish_reason: reply.stop,
      },
    ],
    usage: usageOf(reply),
  }),
  events,
  error: (status, message, type) => openaiError(status, message, type),
  errorEvent: (type, message) => sse({ error: { message, type, code: type, param: null } }),
};

function parse({ path, body }: Incoming): Parsed {
  if (path !== '/v1/chat/completions') throw new Refusal(`no such path: ${path}`, 404);
  tokens(body['max_tokens'], 'max_tokens');
  const system: string[] = [];
  const messages: SeenMessage[] = [];
  const open = new OpenCalls();
  list(body['messages'], 'messages').forEach((item, index) => {
    const where = `messages[${index}]`;
    const message = object(item, where);
    if (message['role'] !== 'tool') {
      open.closed(`${where}: An assistant message with 'tool_calls' must be followed by tool messages`);
    }
    switch (message['role']) {
      case 'system':
        if (index > 0) refuse(`${where}: the system message must be the first, and the only one`);
        system.push(words(message['content'], `${where}.content`));
        break;
      case 'user':
        messages.push({ role: 'user', text: words(message['content'], `${where}.content`) });
        break;
      case 'tool': {
        const id = string(message['tool_call_id'], `${where}.tool_call_id`);
        open.result(id);
        messages.push({ role: 'tool', call: id, text: words(message['content'], `${where}.content`) });
        break;
      }
      case 'assistant':
        messages.push(assistant(message, where, open));
        break;
      default:
        refuse(`${where}: unknown role`);
    }
  });
  open.closed("An assistant message with 'tool_calls' must be followed by tool messages");
  if (messages[0]?.role !== 'user') refuse('messages: the first message must be of the user');
  return {
    model: string(body['model'], 'model'),
    system,
    messages,
    tools: list(body['tools'] ?? [], 'tools').map((item, index) => {
      const tool = object(object(item, `tools[${index}]`)['function'], `tools[${index}].function`);
      return {
        name: name(tool['name'], `tools[${index}].name`),
        description: string(tool['description'], `tools[${index}].description`),
        parameters: schema(tool['parameters'], `tools[${index}].parameters`),
      };
    }),
    streaming: body['stream'] === true,
  };
}

function assistant(message: Readonly<Record<string, unknown>>, where: string, open: OpenCalls): SeenMessage {
  const calls = list(message['tool_calls'] ?? [], `${where}.tool_calls`).map((item) => {
    const call = object(item, where);
    const called = object(call['function'], `${where}.function`);
    // One family of servers takes exactly nine letters and digits.
    const id = name(call['id'], `${where}.id`, /^[a-zA-Z0-9]{9}$/);
    const tool = name(called['name'], `${where}.function.name`);
    open.call(id, tool);
    return { id, tool, arguments: parsed(string(called['arguments'], `${where}.arguments`), where) };
  });
  const content = message['content'];
  const text = calls.length > 0 && content === null ? '' : words(content, `${where}.content`);
  return { role: 'assistant', text, calls };
}

/** Chat templates read the arguments, so servers refuse what they cannot read. */
function parsed(text: string, where: string): unknown {
  try {
    return object(JSON.parse(text), `${where}.arguments`);
  } catch {
    return refuse(`${where}: arguments are no JSON object: ${text}`);
  }
}

function head({ model }: Outgoing): Record<string, unknown> {
  return { id: 'chatcmpl-1', created: 1_700_000_000, model };
}

function callOf({ id, tool, arguments: args }: Outgoing['calls'][number]): Record<string, unknown> {
  return { id, type: 'function', function: { name: tool, arguments: argumentText(args) } };
}

function usageOf({ usage }: Outgoing): Record<string, unknown> {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
  };
}

function events(reply: Outgoing): readonly Uint8Array[] {
  const chunk = (delta: unknown, finish_reason: string | null = null): Uint8Array =>
    sse({
      ...head(reply),
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
      usage: null,
    });
  return [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'a thought of nobody' }),
    ...pieces(reply.text).map((content) => chunk({ content })),
    ...reply.calls.flatMap(({ id, tool, arguments: args }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name: tool, arguments: '' } }] }),
      ...pieces(argumentText(args)).map((text) =>
        chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
      ),
    ]),
    chunk({}, reply.stop),
    sse({ ...head(reply), object: 'chat.completion.chunk', choices: [], usage: usageOf(reply) }),
    sse('[DONE]'),
  ];
}
