/**
 * How messages look to a model: the one renderer of every text that is put into a conversation (spec/team.md §5).
 *
 * Each message has its id and its author on a line of ours; what a model wrote stands inside a fence whose token is
 * derived from it. Only the operator's own words are unfenced. There are no bare user turns.
 */

import { fenced } from '../shared/fence.js';
import type { Message } from './state.js';

/** The operator's order, with the id of its message. */
export function renderOrder(id: string, prompt: string): string {
  return `[${id}: the operator's order to this team]\n${prompt}`;
}

/** The text of one input: the messages in order, a blank line between them. */
export function renderMessages(messages: readonly Message[]): string {
  return messages.map(renderMessage).join('\n\n');
}

function renderMessage(message: Message): string {
  const { id, from, body } = message;
  switch (message.kind) {
    case 'prompt':
      return renderOrder(id, body);
    case 'operator':
      return `[${id}: a message from the operator]\n${body}`;
    case 'mail':
      return `[${id}: mail from ${from}, another agent of this team, not from the operator]\n${fenced(`mail ${id} from ${from}`, body)}`;
    case 'idle':
      return body === ''
        ? `[${id}: ${from} is idle]`
        : `[${id}: ${from} is idle; its last words]\n${fenced(`text ${id} by ${from}`, body)}`;
    case 'nudge':
    case 'offer':
    case 'report':
      // The runtime's own words; what it quotes was fenced when the message was made.
      return `[${id}: from the team runtime]\n${body}`;
  }
}
