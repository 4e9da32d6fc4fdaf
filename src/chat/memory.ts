/**
 * The conversation of a chat, and which part of it is still sent (spec/skills.md §6 "chat sends after dropping older
 * turns"). Nothing is kept on disk.
 *
 * Always true: what was dropped once does not come back; what is sent begins with a message of the user, in front of
 * which the reference block stands.
 */

import { Conversation } from '../agent/conversation.js';
import type { MemoryCall, MemoryEntry } from '../agent/memory.js';
import type { TurnMemory } from '../agent/run-turn.js';
import type { ModelMessage } from '../models/model.js';

export class ChatMemory implements TurnMemory {
  readonly #conversation = new Conversation();
  readonly #reference: string;
  #from = 0;
  /** Results of the last reply that are not part of the messages yet, since others are still missing. */
  #results: ModelMessage[] = [];
  #replies = 0;

  constructor(reference: string) {
    this.#reference = reference;
  }

  get messages(): readonly ModelMessage[] {
    return this.sent(this.#conversation.messages.slice(this.#from));
  }

  get pending(): readonly MemoryCall[] {
    return this.#conversation.pending;
  }

  get wantsReply(): boolean {
    return this.#conversation.wantsReply;
  }

  /** Where the part that is sent begins, among all messages. */
  get from(): number {
    return this.#from;
  }

  /** All messages, with results that wait for others and what comes next. */
  upcoming(next: readonly ModelMessage[]): readonly ModelMessage[] {
    return [...this.#conversation.messages, ...this.#results, ...next];
  }

  /** Messages as they are sent: with the reference block in front. */
  sent(messages: readonly ModelMessage[]): readonly ModelMessage[] {
    const [first, ...rest] = messages;
    if (this.#reference === '' || first?.role !== 'user') return messages;
    return [{ role: 'user', text: `${this.#reference}\n\n${first.text}` }, ...rest];
  }

  /** A place for each call of the next reply. */
  nextReply(): (index: number) => string {
    const reply = ++this.#replies;
    return (index) => `${reply}.${index}`;
  }

  add(entry: MemoryEntry): void {
    if (entry.kind === 'reply') this.#results = [];
    if (entry.kind === 'result') {
      const call = this.pending.find(({ place }) => place === entry.place);
      if (call !== undefined) this.#results.push(resultOf(call, entry));
    }
    this.#conversation.add(entry);
    if (this.pending.length === 0) this.#results = [];
  }

  /** Older messages are not sent any more. Gives the number of turns that went. */
  dropBefore(at: number): number {
    const gone = this.#conversation.messages
      .slice(this.#from, at)
      .filter(({ role }) => role === 'user').length;
    this.#from = at;
    return gone;
  }

  /** Calls that nobody will run any more get a result, so that the conversation can go on. */
  closePending(text: string): void {
    for (const { place } of [...this.pending])
      this.add({ kind: 'result', place, text, outcome: 'cancelled' });
  }
}

function resultOf(
  call: MemoryCall,
  { text, outcome }: Extract<MemoryEntry, { kind: 'result' }>,
): ModelMessage {
  return { role: 'tool', call: call.place, tool: call.tool, text, failed: outcome !== 'ok' };
}
