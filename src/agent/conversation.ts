/**
 * The memory folded into what a model is sent, and into the one question a turn asks: what is left to do?
 *
 * C1 while a reply has calls without results, nothing else is put in and the model is not asked;
 * C2 results stand in the order in which the model asked, whatever order they were recorded in;
 * C3 ids of messages are known for ever, also those whose texts a compaction has replaced.
 */

import type { ModelMessage } from '../models/model.js';
import type { MemoryCall, MemoryEntry, ResultOutcome } from './memory.js';

/** The conversation of one member. Fed with every memory entry, oldest first. */
export class Conversation {
  #messages: ModelMessage[] = [];
  #earlier: string | null = null;
  #pending: MemoryCall[] = [];
  #calls: readonly MemoryCall[] = [];
  /** Of the calls of the last reply; null: it made none, as that of a turn that has ended. */
  #results: Map<string, { text: string; outcome: ResultOutcome }> | null = null;
  #unanswered: string[] = [];
  #answered = new Set<string>();
  #asked = true;

  constructor(entries: readonly MemoryEntry[] = []) {
    for (const entry of entries) this.add(entry);
  }

  add(entry: MemoryEntry): void {
    switch (entry.kind) {
      case 'opened':
        return;
      case 'input':
        this.#messages.push({ role: 'user', text: entry.text });
        this.#unanswered.push(...entry.messages);
        this.#asked = false;
        return;
      case 'reply':
        this.#messages.push({
          role: 'assistant',
          text: entry.text,
          calls: entry.calls.map((call) => ({ id: call.place, tool: call.tool, arguments: call.arguments })),
        });
        for (const id of this.#unanswered) this.#answered.add(id);
        this.#unanswered = [];
        this.#pending = [...entry.calls];
        this.#calls = entry.calls;
        this.#results = null;
        this.#asked = true;
        return;
      case 'result':
        this.#addResult(entry);
        return;
      case 'compacted':
        this.#messages = [{ role: 'user', text: entry.text }, ...newest(this.#messages, entry.kept)];
        this.#earlier = entry.summary;
        return;
    }
  }

  /** What the model is sent. Only whole: valid when `pending` is empty. */
  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  /** The summary in the first message, which a compaction has put there; null before one. */
  get earlier(): string | null {
    return this.#earlier;
  }

  /** Calls of the last reply that have no result yet, in the order asked. */
  get pending(): readonly MemoryCall[] {
    return this.#pending;
  }

  /** Whether something stands in the conversation that the model has not answered. */
  get wantsReply(): boolean {
    return !this.#asked && this.#pending.length === 0;
  }

  /** Ids of messages in inputs that no reply followed: they must not be put in again. */
  get unanswered(): readonly string[] {
    return this.#unanswered;
  }

  /** Ids of messages in inputs that the model has answered. */
  get answered(): ReadonlySet<string> {
    return this.#answered;
  }

  #addResult(entry: Extract<MemoryEntry, { kind: 'result' }>): void {
    this.#results ??= new Map();
    this.#results.set(entry.place, { text: entry.text, outcome: entry.outcome });
    this.#pending = this.#pending.filter((call) => call.place !== entry.place);
    this.#asked = false;
    if (this.#pending.length > 0) return;
    for (const call of this.#calls) {
      const result = this.#results.get(call.place);
      if (result === undefined) continue;
      this.#messages.push({
        role: 'tool',
        call: call.place,
        tool: call.tool,
        text: result.text,
        failed: result.outcome !== 'ok',
      });
    }
    this.#calls = [];
    this.#results = null;
  }
}

function newest<Item>(items: readonly Item[], count: number): readonly Item[] {
  return items.slice(items.length - count);
}
