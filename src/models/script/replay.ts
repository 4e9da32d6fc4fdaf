/**
 * Where a conversation stands in its script, found from the messages alone (promise M1): every assistant message
 * is one answer given earlier, so the script is played against the conversation from its start. One pass, linear
 * in the conversation.
 */

import type { ModelMessage } from '../model.js';
import { type Answer, joined, nextAnswer, type Position } from './next-answer.js';
import type { Part } from './script.js';

export type Replayed =
  | { readonly kind: 'at'; readonly position: Position }
  /** The conversation is not one that this script led. The message begins with the place. */
  | { readonly kind: 'lost'; readonly message: string };

/** Plays a part against a conversation. */
export function replay(part: Part, member: string, messages: readonly ModelMessage[]): Replayed {
  let position: Position = {
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
  for (const [index, message] of messages.entries()) {
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
