/** OpenAI's Responses API for callers that let nothing be kept: as strict as the real one about what it was not sent. */

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

export const openaiWire: WireSpeech = {
  basePath: '/v1',
  streamType: 'text/event-stream',
  // A status here, or the reason why it is not complete.
  stops: { end: 'completed', calls: 'completed' },
  callId: (index) => `call_${index}`,
  parse,
  whole: (reply) => ({ ...head(reply), ...tail(reply), output: outputOf(reply) }),
  events,
  error: (status, message, type) => openaiError(status, message, type),
  errorEvent: (type, message) =>
    sse({ type: 'error', sequence_number: 9, error: { type, code: type, message, param: null } }, 'error'),
};

const TYPES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
};

/** The form that both of OpenAI's protocols share. */
export function openaiError(
  status: number,
  message: string,
  type: string | undefined,
): { headers: Record<string, string>; body: unknown } {
  const kind = status >= 500 ? 'server_error' : 'invalid_request_error';
  const code = type ?? TYPES[status] ?? null;
  return {
    headers: { 'x-request-id': 'req_1' },
    body: { error: { message, type: kind, param: null, code } },
  };
}

function parse({ path, headers, body }: Incoming): Parsed {
  if (path !== '/v1/responses') throw new Refusal(`no such path: ${path}`, 404);
  if (!bearer(headers)) throw new Refusal('You did not provide an API key.', 401);
  tokens(body['max_output_tokens'], 'max_output_tokens', 16);
  for (const key of ['previous_response_id', 'conversation']) {
    if (body[key] !== undefined) refuse(`${key}: nothing of that name was kept`);
  }
  const system: string[] = [];
  const messages: SeenMessage[] = [];
  const open = new OpenCalls();
  let results = 0;
  list(body['input'], 'input').forEach((given, index) => {
    const where = `input[${index}]`;
    const item = object(given, where);
    if (item['id'] !== undefined)
      refuse(`${where}: Item with id '${item['id']}' not found. Items are not persisted`);
    if (item['type'] === 'function_call_output') {
      const id = string(item['call_id'], `${where}.call_id`);
      open.result(id);
      messages.push({ role: 'tool', call: id, text: string(item['output'], `${where}.output`) });
      results++;
      return;
    }
    if (item['type'] === 'function_call') {
      if (results > 0) open.closed(where);
      results = 0;
      const id = name(item['call_id'], `${where}.call_id`);
      const tool = name(item['name'], `${where}.name`);
      open.call(id, tool);
      const call = { id, tool, arguments: JSON.parse(string(item['arguments'], `${where}.arguments`)) };
      const last = messages.at(-1);
      if (last?.role === 'assistant')
        messages[messages.length - 1] = { ...last, calls: [...last.calls, call] };
      else messages.push({ role: 'assistant', text: '', calls: [call] });
      return;
    }
    open.closed(where);
    results = 0;
    switch (item['role']) {
      case 'system':
      case 'developer':
        if (messages.length > 0) refuse(`${where}: instructions must lead`);
        system.push(words(item['content'], `${where}.content`));
        break;
      case 'user':
        messages.push({ role: 'user', text: textOf(item['content'], 'input_text', where) });
        break;
      case 'assistant':
        messages.push({ role: 'assistant', text: textOf(item['content'], 'output_text', where), calls: [] });
        break;
      default:
        refuse(`${where}: unknown item ${JSON.stringify(item)}`);
    }
  });
  open.closed('No tool output found for function call');
  if (messages.length === 0) refuse('input: must hold a message');
  return {
    model: string(body['model'], 'model'),
    system,
    messages,
    tools: list(body['tools'] ?? [], 'tools').map((item, index) => {
      const tool = object(item, `tools[${index}]`);
      return {
        name: name(tool['name'], `tools[${index}].name`),
        description: string(tool['description'], `tools[${index}].description`),
        parameters: schema(tool['parameters'], `tools[${index}].parameters`),
      };
    }),
    streaming: body['stream'] === true,
  };
}

function textOf(content: unknown, type: string, where: string): string {
  return list(content, `${where}.content`)
    .map((item) => {
      const part = object(item, where);
      return part['type'] === type ? words(part['text'], `${where}.text`) : refuse(`${where}: not ${type}`);
    })
    .join('');
}

function head({ model }: Outgoing): Record<string, unknown> {
  return { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model };
}

function tail({ stop, usage }: Outgoing): Record<string, unknown> {
  const complete = stop === 'completed';
  return {
    status: complete ? stop : 'incomplete',
    error: null,
    incomplete_details: complete ? null : { reason: stop },
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cached },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

function outputOf({ text, calls }: Outgoing): Record<string, unknown>[] {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a thought of nobody' }] },
    ...(text === ''
      ? []
      : [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }]),
    ...calls.map(({ id, tool, arguments: args }, index) => ({
      type: 'function_call',
      id: `fc_${index}`,
      call_id: id,
      name: tool,
      arguments: argumentText(args),
      status: 'completed',
    })),
  ];
}

function events(reply: Outgoing): readonly Uint8Array[] {
  const event = (data: { type: string } & Record<string, unknown>): Uint8Array => sse(data, data.type);
  const sent = [
    event({ type: 'response.created', response: { ...head(reply), status: 'in_progress', output: [] } }),
  ];
  outputOf(reply).forEach((item, output_index) => {
    const added =
      item['type'] === 'message'
        ? { ...item, content: [] }
        : item['type'] === 'function_call'
          ? { ...item, arguments: '' }
          : item;
    sent.push(event({ type: 'response.output_item.added', output_index, item: added }));
    if (item['type'] === 'message') {
      for (const delta of pieces(reply.text)) {
        sent.push(
          event({
            type: 'response.output_text.delta',
            item_id: 'msg_1',
            output_index,
            content_index: 0,
            delta,
          }),
        );
      }
    }
    if (item['type'] === 'function_call') {
      for (const delta of pieces(String(item['arguments']))) {
        const item_id = String(item['id']);
        sent.push(event({ type: 'response.function_call_arguments.delta', item_id, output_index, delta }));
      }
    }
    sent.push(event({ type: 'response.output_item.done', output_index, item }));
  });
  const type = reply.stop === 'completed' ? 'response.completed' : 'response.incomplete';
  sent.push(event({ type, response: { ...head(reply), ...tail(reply), output: outputOf(reply) } }));
  return sent;
}
