/** The Converse API of Amazon Bedrock, as strict as the real one; streams are binary event streams. */

import { frame } from './event-stream.js';
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
  string,
  tokens,
  type WireSpeech,
  words,
} from './wire.js';

const PATH = /^\/model\/([^/]+)\/(converse|converse-stream)$/;
const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[a-z0-9-]+\/bedrock\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/;

export const bedrockWire: WireSpeech = {
  basePath: '',
  streamType: 'application/vnd.amazon.eventstream',
  stops: { end: 'end_turn', calls: 'tool_use' },
  callId: (index) => `tooluse_${index}`,
  parse,
  whole: (reply) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(reply.text === '' ? [] : [{ text: reply.text }]),
          ...reply.calls.map(({ id, tool, arguments: input }) => ({
            toolUse: { toolUseId: id, name: tool, input },
          })),
        ],
      },
    },
    stopReason: reply.stop,
    usage: usageOf(reply),
    metrics: { latencyMs: 1 },
  }),
  events,
  error: (status, message, type) => ({
    headers: { 'x-amzn-errortype': `${type ?? TYPES[status] ?? 'InternalServerException'}:http://aws/` },
    body: { message },
  }),
  errorEvent: (type, message) =>
    frame(
      { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
      JSON.stringify({ message }),
    ),
};

const TYPES: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

function parse({ path, headers, body }: Incoming): Parsed {
  const [, model, verb] = PATH.exec(path) ?? [];
  if (model === undefined) throw new Refusal(`no such path: ${path}`, 404, 'UnknownOperationException');
  const signed = SIGNED.test(headers['authorization'] ?? '') && headers['x-amz-date'] !== undefined;
  if (!bearer(headers) && !signed) throw new Refusal('Missing Authentication Token', 403);
  tokens(object(body['inferenceConfig'], 'inferenceConfig')['maxTokens'], 'inferenceConfig.maxTokens');
  const points = JSON.stringify(body).split('"cachePoint"').length - 1;
  if (points > 4) refuse(`too many cache points: ${points}`);
  const messages = conversation(list(body['messages'], 'messages'));
  const config = object(body['toolConfig'] ?? { tools: [] }, 'toolConfig');
  const tools = list(config['tools'], 'toolConfig.tools').map((item) => {
    const tool = object(object(item, 'tools')['toolSpec'], 'toolSpec');
    return {
      name: name(tool['name'], 'toolSpec.name'),
      description: words(tool['description'], 'toolSpec.description'),
      parameters: schema(object(tool['inputSchema'], 'inputSchema')['json'], 'inputSchema.json'),
    };
  });
  if (tools.length === 0 && messages.some(({ role }) => role === 'tool')) {
    refuse('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  }
  return {
    model: decodeURIComponent(model),
    system: list(body['system'] ?? [], 'system').flatMap((item, index) => {
      const block = object(item, `system.${index}`);
      return block['cachePoint'] === undefined ? [words(block['text'], `system.${index}.text`)] : [];
    }),
    messages,
    tools,
    streaming: verb === 'converse-stream',
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
      refuse(`${where}: roles must alternate between "user" and "assistant", a user first`);
    const blocks = list(message['content'], `${where}.content`).map((block) => object(block, where));
    if (blocks.length === 0) refuse(`${where}: content must not be empty`);
    let text = '';
    const calls: { id: string; tool: string; arguments: unknown }[] = [];
    for (const block of blocks) {
      if (block['text'] !== undefined) {
        const said = words(block['text'], `${where}: The text field in the ContentBlock object`);
        if (expected === 'assistant') text += said;
        else {
          open.closed(where);
          seen.push({ role: 'user', text: said });
        }
      } else if (block['toolUse'] !== undefined && expected === 'assistant') {
        const use = object(block['toolUse'], where);
        const id = name(use['toolUseId'], `${where}.toolUseId`);
        const tool = name(use['name'], `${where}.name`);
        open.call(id, tool);
        calls.push({ id, tool, arguments: object(use['input'], `${where}.input`) });
      } else if (block['toolResult'] !== undefined && expected === 'user') {
        const result = object(block['toolResult'], where);
        const id = string(result['toolUseId'], `${where}.toolUseId`);
        open.result(id);
        const content = list(result['content'], `${where}.content`).map((part) =>
          words(object(part, where)['text'], `${where}: The text field in the ToolResultContentBlock object`),
        );
        seen.push({ role: 'tool', call: id, text: content.join('') });
      } else refuse(`${where}: unknown block ${JSON.stringify(block)}`);
    }
    if (expected === 'assistant') seen.push({ role: 'assistant', text, calls });
    else open.closed(`${where}: Expected toolResult blocks`);
  });
  if (given.length % 2 === 0) refuse('messages: the conversation must end with a user message');
  return seen;
}

function usageOf({ usage }: Outgoing): Record<string, number> {
  return {
    inputTokens: usage.input - usage.cached - usage.cacheWrite,
    cacheReadInputTokens: usage.cached,
    cacheWriteInputTokens: usage.cacheWrite,
    outputTokens: usage.output,
    totalTokens: usage.input + usage.output,
  };
}

function events(reply: Outgoing): readonly Uint8Array[] {
  const event = (type: string, data: unknown): Uint8Array =>
    frame(
      { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
      JSON.stringify(data),
    );
  const sent = [event('messageStart', { role: 'assistant' })];
  let contentBlockIndex = 0;
  for (const text of pieces(reply.text)) {
    sent.push(event('contentBlockDelta', { contentBlockIndex, delta: { text } }));
  }
  if (reply.text !== '') sent.push(event('contentBlockStop', { contentBlockIndex: contentBlockIndex++ }));
  for (const { id, tool, arguments: args } of reply.calls) {
    const start = { toolUse: { toolUseId: id, name: tool } };
    sent.push(event('contentBlockStart', { contentBlockIndex, start }));
    for (const input of pieces(argumentText(args))) {
      sent.push(event('contentBlockDelta', { contentBlockIndex, delta: { toolUse: { input } } }));
    }
    sent.push(event('contentBlockStop', { contentBlockIndex: contentBlockIndex++ }));
  }
  sent.push(
    event('messageStop', { stopReason: reply.stop }),
    event('metadata', { usage: usageOf(reply), metrics: { latencyMs: 1 } }),
  );
  return sent;
}
