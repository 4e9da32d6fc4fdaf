/**
 * The one estimate of tokens: UTF-8 bytes / 4, rounded up (spec/skills.md §8). For models that report no usage
 * of their own. Same text, same number, on every machine.
 */

import { callBytes, textBytes, toolBytes } from './counted-bytes.js';
import type { ModelCall, ModelRequest } from './model.js';

export const BYTES_A_TOKEN = 4;

/** What of a request is sent as text. */
export type SentTexts = Pick<ModelRequest, 'system' | 'messages' | 'tools'>;

/** Tokens of one text. */
export function estimateTokens(text: string): number {
  return tokensOf(Buffer.byteLength(text));
}

/** Tokens of all that a request sends: system parts, messages with their calls, tool definitions. */
export function estimateRequestTokens(request: SentTexts): number {
  let bytes = 0;
  for (const part of request.system) bytes += Buffer.byteLength(part.text);
  for (const message of request.messages) bytes += textBytes(message);
  for (const tool of request.tools) bytes += toolBytes(tool);
  return tokensOf(bytes);
}

/** Tokens of an answer: its text and its calls. */
export function estimateReplyTokens(text: string, calls: readonly Omit<ModelCall, 'id'>[]): number {
  return tokensOf(Buffer.byteLength(text) + callBytes(calls));
}

function tokensOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_A_TOKEN);
}
