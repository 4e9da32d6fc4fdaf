/**
 * Where a conversation stands in its script, found from the messages alone (promise M1): every assistant message
 * is one answer given earlier, so the script is played against the conversation from its start. One pass, linear
 * in the conversation; of one that goes on, linear in what is new.
 */

import type { ModelMessage } from '../model.js';
import { type Answer, joined, nextAnswer, type Position } from './next-answer.js';
import type { Part } from './script.js';

export type Replayed =
  | { readonly kind: 'at'; readonly position: Position }
  /** The conversation is not one that this script led. The message begins with the place. */
  | { readonly kind: 'lost'; readonly message: string };

/** A conversation as it was last played, and where it stood then. */
interface Known {
  readonly part: Part;
  readonly member: string;
  readonly messages: readonly ModelMessage[];
  readonly position: Position;
}

/**
 * Plays parts against conversations. What it keeps of one goes with its first message, and saves time alone: it counts only
 * where the conversation begins with the very messages that were played, and messages never change.
 */
export class Replays {
  readonly #known = new WeakMap<ModelMessage, Known>();

  /** Plays a part against a conversation. */
  replay(part: Part, member: string, messages: readonly ModelMessage[]): Replayed {
    const [first] = messages;
    const known = first === undefined ? undefined : this.#known.get(first);
    const goesOn = known?.part === part && known.member === member && beginsWith(messages, known.messages);
    const played = goesOn
      ? playOn(part, known.position, messages, known.messages.length)
      : replay(part, member, messages);
    if (first !== undefined && played.kind === 'at')
      this.#known.set(first, { part, member, messages: [...messages], position: played.position });
    return played;
  }
}

/** Plays a part against a conversation from its start. */
export function replay(part: Part, member: string, messages: readonly ModelMessage[]): Replayed {
  return playOn(part, startOf(part, member), messages, 0);
}

function beginsWith(messages: readonly ModelMessage[], played: readonly ModelMessage[]): boolean {
  return played.length <= messages.length && played.every((message, index) => message === messages[index]);
}

function startOf(part: Part, member: string): Position {
  return {
    turn: 0,
    step: 0,
    captures: new Map([
      ['member', member],
      ['role', part.role],
    ]),
    sent: '',
    sentByUsers: '',
    earlier: '',
  };
}

/** @param from how many of the messages led to the position */
function playOn(part: Part, start: Position, messages: readonly ModelMessage[], from: number): Replayed {
  let position = start;
  for (const [offset, message] of messages.slice(from).entries()) {
    const index = from + offset;
    if (message.role !== 'assistant') {
      position = received(position, message);
      continue;
    }
    const answer = nextAnswer(part, position);
    if (answer.kind === 'failure') return { kind: 'lost', message: `${answer.message} (message ${index})` };
    const difference = toolDifference(answer, message.calls);
    if (difference !== null) return { kind: 'lost', message: `${difference} (message ${index})` };
    position = answer.after;
  }
  return { kind: 'at', position };
}

function received(position: Position, message: Exclude<ModelMessage, { role: 'assistant' }>): Position {
  const sent = joined(position.sent, message.text);
  if (message.role === 'tool') return { ...position, sent };
  return { ...position, sent, sentByUsers: joined(position.sentByUsers, message.text) };
}

/**
 * An edited script would go on at the wrong place without a word, so the tools that were called are compared.
 * Texts and arguments are not: what is stored may have had secrets taken out.
 */
function toolDifference(
  answer: Exclude<Answer, { kind: 'failure' }>,
  calls: readonly { readonly tool: string }[],
): string | null {
  const played = answer.kind === 'steps' ? answer.played : [];
  const expected = played.flatMap(({ step }) => step.calls.map((call) => call.tool));
  const found = calls.map((call) => call.tool);
  if (expected.length === found.length && expected.every((tool, index) => tool === found[index])) {
    return null;
  }
  const place = played.at(-1)?.step.place ?? 'idle';
  return (
    `${place}: the conversation does not follow this script: it called [${found.join(', ')}] where the script ` +
    `says [${expected.join(', ')}]; use the script that the conversation began with`
  );
}
