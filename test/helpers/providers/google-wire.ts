/** Google's Gemini API, as strict as the real one about turns, and about a response for each call. */

import type { SeenMessage } from './far-side.js';
import {
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
  sse,
  string,
  tokens,
  type WireSpeech,
  words,
} from './wire.js';

const PATH = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent\?alt=sse)$/;
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

export const googleWire: WireSpeech = {
  basePath: '',
  streamType: 'text/event-stream',
  stops: { end: 'STOP', calls: 'STOP' },
  callId: () => '',
  parse,
  whole: (reply) => ({
    responseId: 'r1',
    modelVersion: reply.model,
    candidates: [{ index: 0, content: { role: 'model', parts: partsOf(reply) }, finishReason: reply.stop }],
    usageMetadata: usageOf(reply),
  }),
  events,
  error: (status, message, type) => ({
    headers: {},
    body: { error: { code: status, message, status: type ?? STATES[status] ?? 'INTERNAL' } },
  }),
  errorEvent: (type, message) => sse({ error: { code: 503, message, status: type } }),
};

const STATES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function parse({ path, headers, body }: Incoming): Parsed {
  const [, model, verb] = PATH.exec(path) ?? [];
  if (model === undefined) throw new Refusal(`no such path: ${path}`, 404);
  if (headers['x-goog-api-key'] === undefined || bearer(headers))
    throw new Refusal('API key is missing', 403);
  tokens(object(body['generationConfig'], 'generationConfig')['maxOutputTokens'], 'maxOutputTokens');
  const instruction = body['systemInstruction'];
  const declarations = list(body['tools'] ?? [], 'tools').flatMap((item) =>
    list(object(item, 'tools')['functionDeclarations'], 'functionDeclarations'),
  );
  return {
    model,
    system:
      instruction === undefined
        ? []
        : list(object(instruction, 'systemInstruction')['parts'], 'systemInstruction.parts').map((part) =>
            words(object(part, 'systemInstruction')['text'], 'systemInstruction.text'),
          ),
    messages: conversation(list(body['contents'], 'contents')),
    tools: declarations.map((item) => {
      const tool = object(item, 'functionDeclarations');
      return {
        name: name(tool['name'], 'functionDeclarations.name', NAME),
        description: string(tool['description'], 'functionDeclarations.description'),
        parameters: tool['parameters'] ?? tool['parametersJsonSchema'],
      };
    }),
    streaming: verb !== 'generateContent',
  };
}

function conversation(contents: readonly unknown[]): SeenMessage[] {
  const seen: SeenMessage[] = [];
  const ids = new Set<string>();
  /** The calls of the content before, by id and name. */
  let open: string[] = [];
  contents.forEach((item, index) => {
    const where = `contents[${index}]`;
    const content = object(item, where);
    const parts = list(content['parts'], `${where}.parts`).map((part) => object(part, where));
    if (parts.length === 0) refuse(`${where}: parts must not be empty`);
    const role = content['role'];
    if (role !== 'user' && role !== 'model') refuse(`${where}: role must be "user" or "model"`);
    if (index === 0 && role !== 'user') refuse('contents: the first is of the user');
    const responses = parts.filter((part) => part['functionResponse'] !== undefined);
    if (open.length !== responses.length) {
      refuse(
        `${where}: the number of function response parts is not equal to the number of function call parts of the function call turn`,
      );
    }
    let text = '';
    const calls: { id: string; tool: string; arguments: unknown }[] = [];
    for (const part of parts) {
      if (part['text'] !== undefined) {
        const said = words(part['text'], `${where}.text`);
        if (role === 'user') seen.push({ role: 'user', text: said });
        else text += said;
      } else if (part['functionCall'] !== undefined && role === 'model') {
        const call = object(part['functionCall'], where);
        const id = string(call['id'] ?? '', `${where}.id`);
        if (id !== '' && ids.has(id)) refuse(`${where}: the id "${id}" is used twice`);
        ids.add(id);
        const tool = name(call['name'], `${where}.name`, NAME);
        calls.push({ id, tool, arguments: object(call['args'] ?? {}, `${where}.args`) });
      } else if (part['functionResponse'] !== undefined && role === 'user') {
        const response = object(part['functionResponse'], where);
        const key = `${response['id'] ?? ''} ${response['name']}`;
        if (key !== open.shift())
          refuse(`${where}: the function response "${key}" answers no call, or not in order`);
        const given = object(response['response'], `${where}.response`);
        seen.push({
          role: 'tool',
          call: string(response['id'] ?? '', where),
          text: string(given['content'], where),
        });
      } else refuse(`${where}: unknown part ${JSON.stringify(part)}`);
    }
    open = calls.map(({ id, tool }) => `${id} ${tool}`);
    if (role === 'model') seen.push({ role: 'assistant', text, calls });
  });
  if (open.length > 0) refuse('contents: a function call turn comes last');
  return seen;
}

function partsOf({ text, calls }: Outgoing): Record<string, unknown>[] {
  return [
    { text: 'a thought of nobody', thought: true },
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ id, tool, arguments: args }) => ({
      functionCall: { ...(id === '' ? {} : { id }), name: tool, args },
    })),
  ];
}

function usageOf({ usage }: Outgoing): Record<string, number> {
  return {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output,
    totalTokenCount: usage.input + usage.output,
  };
}

function events(reply: Outgoing): readonly Uint8Array[] {
  const chunk = (parts: readonly unknown[], finishReason?: string): Uint8Array =>
    sse({
      responseId: 'r1',
      candidates: [
        { index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) },
      ],
      ...(finishReason ? { usageMetadata: usageOf(reply) } : {}),
    });
  const [thought, ...parts] = partsOf(reply);
  return [
    chunk([thought]),
    ...parts.flatMap((part) =>
      typeof part['text'] === 'string'
        ? pieces(part['text']).map((text) => chunk([{ text }]))
        : [chunk([part])],
    ),
    chunk([{ text: '' }], reply.stop),
  ];
}
