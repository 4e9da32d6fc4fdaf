/**
 * How much of a model's window a memory takes, which part of it stays as it is when it is compacted, and how the rest
 * reads as one text (spec/team.md §9). Pure. Tokens are those of `models/estimate-tokens.ts`.
 *
 * Always true: a call and its results are never parted, and what the model has not answered is never left out: it stays
 * as it is, or cut with a mark where it would not fit by itself.
 */

import type { ModelMessage } from '../models/model.js';

/**
 * From this part of the usable window on a memory is compacted. Bytes / 4 counts a text of CJK signs a third too low
 * and code a fifth: at this part either still fits.
 */
const COMPACTED_FROM = 0.75;

/** The newest messages stay as they are up to this part of the usable window: the work at hand. */
const KEPT_PART = 0.2;

/** What is not answered yet stays whole up to this part. */
const UNANSWERED_PART = 0.5;

/** A summary takes no more than this part of the usable window, and no more tokens than a page or two of dense text. */
const SUMMARY_PART = 1 / 8;
const SUMMARY_TOKENS = 4_096;

/** What is put in at once takes no more than this part: more would push out the work at hand. */
const INPUT_PART = 0.25;

/** A compaction that frees less is not worth a model call: the next one would come at once. */
const LEAST_GAIN = 0.1;

/** The window of a model as a member fills it, in tokens. */
export interface Room {
  /** What may be sent: the window without the answer. */
  readonly usable: number;
  readonly compactedFrom: number;
  readonly kept: number;
  readonly unanswered: number;
  readonly summary: number;
  readonly input: number;
  readonly leastGain: number;
}

/** @param contextTokens the window of the model, answers included */
export function roomOf(contextTokens: number, maxOutputTokens: number): Room {
  const usable = Math.max(0, contextTokens - maxOutputTokens);
  return {
    usable,
    compactedFrom: Math.floor(usable * COMPACTED_FROM),
    kept: Math.floor(usable * KEPT_PART),
    unanswered: Math.floor(usable * UNANSWERED_PART),
    summary: Math.max(1, Math.min(SUMMARY_TOKENS, Math.floor(usable * SUMMARY_PART))),
    input: Math.floor(usable * INPUT_PART),
    leastGain: Math.floor(usable * LEAST_GAIN),
  };
}

/** How a conversation is divided for a compaction. */
export interface Division {
  /** Messages that a summary takes the place of. */
  readonly replaced: readonly ModelMessage[];
  /** What the model has not answered and what would not fit by itself: told again, cut. Empty: it stays as it is. */
  readonly cut: readonly ModelMessage[];
  /** The newest messages, which stay as they are. */
  readonly kept: readonly ModelMessage[];
}

/**
 * Divides a conversation without open calls.
 * @param tokensOf tokens of messages
 */
export function divide(
  messages: readonly ModelMessage[],
  room: Room,
  tokensOf: (messages: readonly ModelMessage[]) => number,
): Division {
  const starts = messages.flatMap(({ role }, at) => (role === 'tool' ? [] : [at]));
  const unanswered = unansweredFrom(messages);
  if (tokensOf(messages.slice(unanswered)) > room.unanswered) {
    return { replaced: messages.slice(0, unanswered), cut: messages.slice(unanswered), kept: [] };
  }
  let fitting = messages.length;
  // From the end on: what is kept is a small part of what is there.
  for (const at of starts.toReversed()) {
    if (tokensOf(messages.slice(at)) > room.kept) break;
    fitting = at;
  }
  const from = Math.min(fitting, unanswered);
  return { replaced: messages.slice(0, from), cut: [], kept: messages.slice(from) };
}

/** Where what the model has not answered begins: the inputs behind its last answer, or its last calls with their results. */
function unansweredFrom(messages: readonly ModelMessage[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const answer = messages[last];
  const called = answer?.role === 'assistant' && answer.calls.length > 0;
  return called ? last : last + 1;
}

/** Longest text of a tool that is told when a conversation is written down, in characters: head and tail stay. */
const RESULT_LIMIT = 4_000;
const TEXT_LIMIT = 8_000;
const ARGUMENTS_LIMIT = 1_000;

/**
 * A conversation as one text, for whoever sums it up: at most so many bytes, the newest part of it.
 * @param results whether the texts of tool results are told (`shown`), or only that they came (`elided`)
 */
export function writtenDown(
  messages: readonly ModelMessage[],
  mostBytes: number,
  results: 'shown' | 'elided',
): string {
  const parts: string[] = [];
  let bytes = 0;
  for (const [back, message] of messages.toReversed().entries()) {
    const part = partOf(message, results);
    bytes += Buffer.byteLength(part) + 1;
    if (bytes > mostBytes) {
      const left = messages.length - back;
      return [`[${left} earlier messages are left out]`, ...parts.toReversed()].join('\n');
    }
    parts.push(part);
  }
  return parts.toReversed().join('\n');
}

function partOf(message: ModelMessage, results: 'shown' | 'elided'): string {
  switch (message.role) {
    case 'user':
      return `[put in]\n${cutText(message.text, TEXT_LIMIT)}`;
    case 'assistant': {
      const calls = message.calls.map(({ id, tool, arguments: args }) => {
        return `[call ${id}: ${tool}] ${cutText(JSON.stringify(args) ?? '', ARGUMENTS_LIMIT)}`;
      });
      const said = message.text.trim() === '' ? [] : [`[you said]\n${cutText(message.text, TEXT_LIMIT)}`];
      return [...said, ...calls].join('\n');
    }
    case 'tool': {
      const head = `[result of ${message.call}: ${message.tool}${message.failed ? ', failed' : ''}]`;
      if (results === 'elided') return `${head} left out, ${Buffer.byteLength(message.text)} bytes`;
      return `${head}\n${cutText(message.text, RESULT_LIMIT)}`;
    }
  }
}

/** Head and tail of a text that is too long, in UTF-16 units, with a mark between them; a pair is never cut in two. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, '');
  const tail = text.slice(text.length - half).replace(/^[\udc00-\udfff]/, '');
  return `${head}\n[cut: ${text.length} characters, the middle is left out]\n${tail}`;
}
