/**
 * What is put into a member's conversation when mail is due. Pure.
 *
 *  U1 a message that was put in before is not put in again;
 *  U2 the lead's first input is the operator's order and nothing else, also when it was put in by a turn that was lost
 *     before it was answered: nothing is put beside it until it is;
 *  U3 the first input of every other member begins with that order: tasks speak of it ("do what the order asks for"),
 *     and whoever does or reviews one has to know it. It is no mail of theirs: it wakes nobody and is not counted.
 */

import { renderMessages, renderOrder } from '../../team/render-message.js';
import type { Member, Message, TeamState } from '../../team/view.js';

export interface Input {
  /** Ids of the messages in it. */
  readonly messages: string[];
  readonly text: string;
}

/**
 * The next input, undefined when nothing is due.
 * @param wasPutIn whether a message stands in the conversation, answered or not
 * @param first nothing was put into the conversation before
 */
export function unreadInput(
  { run, messages }: Pick<TeamState, 'run' | 'messages'>,
  member: Pick<Member, 'unread' | 'seat'>,
  wasPutIn: (id: string) => boolean,
  first: boolean,
): Input | undefined {
  const all = member.unread
    .map((id) => messages.get(id))
    .filter((message): message is Message => message !== undefined);
  if (all.some(({ id, kind }) => kind === 'prompt' && wasPutIn(id))) return undefined;
  const unread = all.filter(({ id }) => !wasPutIn(id));
  const kickoff = unread.filter((message) => message.kind === 'prompt');
  const chosen = kickoff.length > 0 ? kickoff : unread;
  if (chosen.length === 0) return undefined;
  const told = first && !member.seat.lead ? orderOf(messages) : undefined;
  const order = told === undefined || run === null ? '' : `${renderOrder(told.id, run.prompt)}\n\n`;
  return { messages: chosen.map(({ id }) => id), text: `${order}${renderMessages(chosen)}` };
}

/** The message that holds the order; its text is let go once the lead has read it, and kept in `run.started`. */
function orderOf(messages: TeamState['messages']): Message | undefined {
  for (const message of messages.values()) if (message.kind === 'prompt') return message;
  return undefined;
}
