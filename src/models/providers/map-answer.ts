/** An answer of a provider as the model port has it, or why it is none. Pure. */

import { isObject } from '../../shared/is-object.js';
import { oneLine } from '../../shared/terminal-text.js';
import { estimateReplyTokens, estimateRequestTokens } from '../estimate-tokens.js';
import type { ModelReply, ModelRequest, Usage } from '../model.js';
import type { Answer } from './answer.js';

/** @returns the reply, or a sentence that says why the answer is worth nothing; asking again may give a better one */
export function replyOf(answer: Answer, request: ModelRequest): ModelReply | string {
  const calls = answer.calls.map(({ tool, input }) => ({ tool, arguments: argumentsOf(input) }));
  const stop = stopOf(answer);
  if (answer.finish.unified === 'error') return `the provider ended its answer with "${stop}"`;
  if (answer.text.trim() === '' && calls.length === 0 && !mayBeEmpty(stop, request)) {
    return `the provider answered with nothing (it stopped with "${stop}")`;
  }
  return { kind: 'reply', text: answer.text, calls, usage: usageOf(answer, calls, request), stop };
}

/** After results a model may have nothing to add; a limit or a refusal says itself why nothing came. */
function mayBeEmpty(stop: string, request: ModelRequest): boolean {
  if (stop === 'length' || stop === 'refusal') return true;
  return stop === 'end' && request.messages.at(-1)?.role === 'tool';
}

function stopOf({ finish, calls }: Answer): string {
  switch (finish.unified) {
    case 'stop':
    case 'tool-calls':
      return calls.length > 0 ? 'tool_calls' : 'end';
    case 'length':
      return 'length';
    case 'content-filter':
      return 'refusal';
    default:
      return wordOf(finish.raw) || finish.unified;
  }
}

/** A word of the provider's own, whatever it sent as one. */
function wordOf(raw: string | undefined): string {
  return oneLine(raw ?? '', 60).trim();
}

/** No tool has a use for more; whoever walks through deeper ones runs out of stack, and takes the team along. */
const MOST_LEVELS = 100;

/** An object, also one that a model wrote as a text of JSON inside of JSON; else, or nested too deep, what it wrote. */
function argumentsOf(input: string): unknown {
  if (input.trim() === '') return {};
  const value = parse(input);
  if (typeof value === 'string') return argumentsOf(value); // shorter each time
  return isObject(value) && !isDeeper(value, MOST_LEVELS) ? value : input;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Tokens as the provider counted them. Some servers count nothing, or send no number: what they leave out is estimated
 * as everywhere (UTF-8 bytes / 4), so a ledger never holds less than was used, and never NaN.
 */
function usageOf({ usage, text }: Answer, calls: ModelReply['calls'], request: ModelRequest): Usage {
  const input = countOf(usage.inputTokens.total);
  const inputTokens = input > 0 ? input : estimateRequestTokens(request);
  const outputTokens = countOf(usage.outputTokens.total) || estimateReplyTokens(text, calls);
  const cachedTokens = Math.min(inputTokens, countOf(usage.inputTokens.cacheRead));
  const cacheWriteTokens = Math.min(inputTokens - cachedTokens, countOf(usage.inputTokens.cacheWrite));
  const counted = { inputTokens, cachedTokens, outputTokens };
  return cacheWriteTokens > 0 ? { ...counted, cacheWriteTokens } : counted;
}

function countOf(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : 0;
}
