/**
 * How messages look to a model: the one renderer of every text that is put into a conversation (spec/team.md §5).
 *
 * Each message has its id and its author on a line of ours; what a model wrote stands inside a fence whose token is
 * derived from it. Only the operator's own words are unfenced. There are no bare user turns.
 */

import { fenced } from '../../shared/fence.js';
import type { Message } from '../state.js';

/** The operator's order, with the id of its message. */
export function renderOrder(id: string, prompt: string): string {
  return `[${id}: the operator's order to this team]\n${prompt}`;
}

/** The page of the run: one labelled line, whatever the value holds. */
export function renderPage(page: string): string {
  return `Page of this run: ${page.replace(UNSEEN, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`)}`;
}

/** Controls, format characters, line and paragraph separators. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** What rides with a task: each is a finished text, or empty. */
export interface TaskRider {
  /** The line of the page. */
  readonly page: string;
  /** Rules and skills that instruct. */
  readonly instructing: readonly string[];
  /** The block of what may only be read. */
  readonly shown: string;
}

/** The text of a rider; empty when there are no rules and skills in it. */
export function renderTaskRider({ page, instructing, shown }: TaskRider): string {
  const own = instructing.length === 0 ? [] : ['Rules and skills for this task:', ...instructing];
  const entries = [...own, shown].filter((text) => text !== '');
  return entries.length === 0 ? '' : [page, ...entries].filter((text) => text !== '').join('\n\n');
}

/**
 * The text of one input: the messages in order, a blank line between them. Idle notices are one block, at the place of the
 * first: who is idle is seen at one look, and no last words are lost.
 * @param riderOf what rides with a message; empty for nothing
 */
export function renderMessages(
  messages: readonly Message[],
  riderOf: (message: Message) => string = () => '',
): string {
  const idle = messages.filter(({ kind }) => kind === 'idle');
  return messages
    .flatMap((message) => {
      if (message.kind !== 'idle') return [renderMessage(message), riderOf(message)];
      return message === idle[0] ? [idle.map(renderMessage).join('\n')] : [];
    })
    .filter((text) => text !== '')
    .join('\n\n');
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
    case 'entries':
    case 'report':
    case 'progress':
      // The runtime's own words; what it quotes was fenced when the message was made.
      return `[${id}: from the team runtime]\n${body}`;
  }
}
