/** Makes the facts of messages: ids, addressees, and what becomes of mail that nobody will read. */

import type { FactOf } from '../events/event.js';
import type { MessageKind } from '../events/facts/work.js';
import type { Member, TeamState } from './state.js';

/** Gives out the ids of one decision: messages and requests are numbered in the order they are made. */
export class Numbering {
  readonly #state: TeamState;
  #messages = 0;
  #requests = 0;
  #tasks = 0;

  constructor(state: TeamState) {
    this.#state = state;
  }

  message(): string {
    this.#messages++;
    return `m${this.#state.messages.size + this.#messages}`;
  }

  request(): string {
    this.#requests++;
    return `r${this.#state.requests.size + this.#requests}`;
  }

  task(): string {
    this.#tasks++;
    return `#${this.#state.tasks.size + this.#tasks}`;
  }
}

/** Whether a member has mail about a task that it has not read; how far a brief of it is tells nothing of the task. */
export function hasUnreadAbout(
  { messages }: Pick<TeamState, 'messages'>,
  { unread }: Pick<Member, 'unread'>,
  task: string,
): boolean {
  return unread.some((id) => {
    const message = messages.get(id);
    return message?.task === task && message.kind !== 'progress';
  });
}

/** One message of the runtime, a member or the operator. */
export function message(
  ids: Numbering,
  kind: MessageKind,
  from: string,
  to: readonly string[],
  body: string,
  task: string | null = null,
): FactOf<'mail.sent'> {
  return { type: 'mail.sent', id: ids.message(), kind, from, to: [...to], body, task };
}

/**
 * A report of the runtime to the lead, unless the lead itself caused it.
 * @param cause the member by whose doing it came; null: by that of nobody in the team
 */
export function reportToLead(
  state: TeamState,
  ids: Numbering,
  cause: string | null,
  body: string,
  task: string | null = null,
): FactOf<'mail.sent'>[] {
  const lead = state.members.get(state.lead);
  if (lead === undefined || lead.life.kind === 'stopped' || cause === state.lead) return [];
  return [message(ids, 'report', 'runtime', [state.lead], body, task)];
}

/** Unread mail of a member that leaves: dead letters, and a word to each sender who can still read. */
export function bounceUnread(
  state: TeamState,
  ids: Numbering,
  member: Member,
): FactOf<'mail.dead' | 'mail.sent'>[] {
  const facts: FactOf<'mail.dead' | 'mail.sent'>[] = [];
  for (const id of member.unread) {
    const sent = state.messages.get(id);
    if (sent === undefined) continue;
    facts.push({ type: 'mail.dead', id, from: sent.from, to: member.name, reason: 'stopped', body: null });
    const sender = state.members.get(sent.from);
    if (sent.kind !== 'mail' || sender === undefined || sender.life.kind === 'stopped') continue;
    if (sender.stopping !== null) continue;
    facts.push(
      message(
        ids,
        'report',
        'runtime',
        [sender.name],
        `Your message ${id} is undelivered: ${member.name} was stopped before it read it.`,
      ),
    );
  }
  return facts;
}
