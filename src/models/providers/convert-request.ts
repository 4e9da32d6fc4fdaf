/**
 * A request of ours as the packages take it, in a form that no provider refuses:
 *
 *  C1 call ids are places in the conversation, nine letters and digits: unique, stable while the conversation grows,
 *     and valid on every wire (some servers take exactly that);
 *  C2 nothing blank is sent: providers refuse blank texts. What must be there says that it is empty, the rest is left out;
 *  C3 results of one reply stand in one message, in the order of its calls (as `requestFault` demands them anyway).
 */

import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider';
import { assertNever } from '../../shared/assert-never.js';
import { isObject } from '../../shared/is-object.js';
import type { ModelCall, ModelMessage, ModelRequest, PromptPart, ToolDefinition } from '../model.js';
import type { Dialect } from './vendor.js';

/** Stands for a text that is blank and must not be left out. */
const EMPTY = '(empty)';

/** What all wires take for the name of a tool. A model may ask for one that nobody defined, by any name. */
const NOT_IN_TOOL_NAME = /[^a-zA-Z0-9_-]/g;
const TOOL_NAME_LENGTH = 64;

/** The call as the packages take it. Pure; the request must be free of faults (`requestFault`). */
export function callOptions(
  request: ModelRequest,
  dialect: Dialect,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions {
  const tools = toolsOf(request).map((tool) => functionTool(tool, dialect));
  return {
    prompt: [...systemMessages(request.system, dialect), ...conversation(request.messages)],
    maxOutputTokens: Math.max(dialect.leastOutputTokens, Math.floor(request.maxOutputTokens)),
    ...(tools.length > 0 ? { tools } : {}),
    providerOptions: dialect.requestOptions,
    abortSignal,
  };
}

function systemMessages(parts: readonly PromptPart[], dialect: Dialect): LanguageModelV3Message[] {
  const texts = parts.map(({ text }) => text).filter((text) => !isBlank(text));
  if (texts.length === 0) return [];
  // The separator is that of the prompt's digest: what is sent is what was recorded.
  const blocks = dialect.system === 'joined' ? [texts.join('\n\n')] : texts;
  const mark = dialect.cacheMark;
  return blocks.map((content, index) =>
    mark !== null && index === blocks.length - 1
      ? { role: 'system', content, providerOptions: mark }
      : { role: 'system', content },
  );
}

function conversation(messages: readonly ModelMessage[]): LanguageModelV3Message[] {
  const converted: LanguageModelV3Message[] = [];
  const ids = new Map<string, string>();
  for (const message of messages) {
    switch (message.role) {
      case 'user':
        converted.push({ role: 'user', content: [{ type: 'text', text: orEmpty(message.text) }] });
        break;
      case 'assistant': {
        const calls = message.calls.map((call) => callPart(call, ids));
        const text = isBlank(message.text) ? [] : [{ type: 'text', text: message.text } as const];
        if (text.length + calls.length > 0)
          converted.push({ role: 'assistant', content: [...text, ...calls] });
        break;
      }
      case 'tool': {
        const part = resultPart(message, ids);
        const last = converted.at(-1);
        if (last?.role === 'tool') last.content.push(part);
        else converted.push({ role: 'tool', content: [part] });
        break;
      }
      default:
        assertNever(message, 'message');
    }
  }
  return converted;
}

function callPart(call: ModelCall, ids: Map<string, string>): LanguageModelV3ToolCallPart {
  const toolCallId = `call${String(ids.size + 1).padStart(5, '0')}`;
  ids.set(call.id, toolCallId);
  return { type: 'tool-call', toolCallId, toolName: toolName(call.tool), input: inputOf(call.arguments) };
}

function resultPart(
  message: Extract<ModelMessage, { role: 'tool' }>,
  ids: ReadonlyMap<string, string>,
): LanguageModelV3ToolResultPart {
  const value = orEmpty(message.text);
  return {
    type: 'tool-result',
    toolCallId: ids.get(message.call) ?? message.call,
    toolName: toolName(message.tool),
    output: message.failed ? { type: 'error-text', value } : { type: 'text', value },
  };
}

/** Arguments that were no JSON object go back inside of one: most wires take nothing else. */
function inputOf(args: unknown): object {
  if (isObject(args)) return args;
  return { not_json: typeof args === 'string' ? args : (JSON.stringify(args) ?? '') };
}

/**
 * The tools of the request; when it has none, those that its conversation speaks of, since some providers refuse or
 * forget calls of tools that are not defined.
 */
function toolsOf(request: ModelRequest): readonly ToolDefinition[] {
  if (request.tools.length > 0) return request.tools;
  const names = request.messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map(({ tool }) => toolName(tool)) : [],
  );
  return [...new Set(names)].map((name) => ({
    name,
    description: 'Not available any more.',
    parameters: { type: 'object', properties: {} },
  }));
}

function functionTool(tool: ToolDefinition, dialect: Dialect): LanguageModelV3FunctionTool {
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters as JSONSchema7,
    ...(dialect.strictTools === null ? {} : { strict: dialect.strictTools }),
  };
}

function toolName(name: string): string {
  const valid = name.replace(NOT_IN_TOOL_NAME, '_').slice(0, TOOL_NAME_LENGTH);
  // One wire wants a letter or an underscore first.
  return /^[a-zA-Z_]/.test(valid) ? valid : `_${valid}`.slice(0, TOOL_NAME_LENGTH);
}

function orEmpty(text: string): string {
  return isBlank(text) ? EMPTY : text;
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
