/** One member's conversation with a model, kept the way the runtime keeps it: messages only. */

import type {
  Model,
  ModelFailure,
  ModelMessage,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from '../../src/models/model.js';

/** A request with the given messages and nothing else of interest. */
export function requestOf(
  messages: readonly ModelMessage[],
  who: { readonly member?: string; readonly role?: string } = {},
): ModelRequest {
  const role = who.role ?? 'lead';
  return {
    member: who.member ?? role,
    role,
    system: [{ name: 'role', text: `You are ${role}.` }],
    messages,
    tools: [],
    maxOutputTokens: 1000,
  };
}

export class Conversation {
  readonly messages: ModelMessage[] = [];
  readonly #model: Model;
  readonly #who: { readonly member?: string; readonly role?: string };
  #calls = 0;

  constructor(
    model: Model,
    who: {
      readonly member?: string;
      readonly role?: string;
      readonly messages?: readonly ModelMessage[];
    } = {},
  ) {
    this.#model = model;
    this.#who = who;
    this.messages.push(...(who.messages ?? []));
    this.#calls = this.messages.filter((message) => message.role === 'tool').length;
  }

  /** Puts a user message in. */
  tell(text: string): this {
    this.messages.push({ role: 'user', text });
    return this;
  }

  /** Gives the open calls their results, in order. */
  results(...texts: string[]): this {
    const last = this.messages.findLast((message) => message.role === 'assistant');
    const calls = last?.role === 'assistant' ? last.calls : [];
    for (const [index, call] of calls.entries()) {
      const text = texts[index] ?? 'ok';
      this.messages.push({ role: 'tool', call: call.id, tool: call.tool, text, failed: false });
    }
    return this;
  }

  /** Asks without keeping the answer. */
  ask(signal: AbortSignal = new AbortController().signal): Promise<ModelOutcome> {
    return this.#model.generate(requestOf(this.messages, this.#who), signal);
  }

  /** Asks, expects an answer and keeps it. */
  async answer(): Promise<ModelReply> {
    const outcome = await this.ask();
    if (outcome.kind !== 'reply') throw new Error(`no answer: ${JSON.stringify(outcome)}`);
    const calls = outcome.calls.map((call) => ({ id: `call-${++this.#calls}`, ...call }));
    this.messages.push({ role: 'assistant', text: outcome.text, calls });
    return outcome;
  }

  /** Asks and expects a failure that no retry mends. */
  async failure(): Promise<Extract<ModelFailure, { kind: 'fatal' }>> {
    const outcome = await this.ask();
    if (outcome.kind !== 'fatal') throw new Error(`no fatal failure: ${JSON.stringify(outcome)}`);
    return outcome;
  }

  leftover(): readonly string[] {
    const role = this.#who.role ?? 'lead';
    return this.#model.leftover(this.#who.member ?? role, role, this.messages);
  }
}
