/**
 * A conversation with one agent that loads skills on demand (spec/skills.md §8). This is the map of the folder:
 *
 *   chat             one message of the user to its answer, round by round
 *   parts            what it is made of and what it tells: `runtime/chat` assembles it, `cli/chat` shows it
 *   active-entries   what is active, and every way in which that changes
 *     use, keywords, guarded, catalogue, session, wake, offer, load   which entries there are, wake, are offered, load
 *   round, skill-tool, tool-scope   what the model is sent beside the conversation, and may call
 *   act              one call: policy, the person's word, the tool
 *   memory, window   the conversation, which part of it is sent, and how much room there is
 *   listing, spent   what `/skills` prints; what was used
 *
 * Always true:
 *  C1 a round is composed when the model is asked and holds until it has answered: a load takes effect in the next;
 *  C2 files and approvals are looked at anew before each round, at the moment of each load and before a tool of an
 *     entry runs: what was taken away in between is not active in the next round, and its tools do not run any more;
 *  C3 no text of an entry without instruction trust stands in a system prompt or in the schema of a tool.
 */

import type { MemoryCall } from '../agent/memory.js';
import { runTurn, type TurnPorts } from '../agent/run-turn.js';
import { estimateRequestTokens } from '../models/estimate-tokens.js';
import type { ModelMessage } from '../models/model.js';
import { BugError, CancelledError, CodedError, errorText } from '../shared/errors.js';
import type { Entry } from '../skills/entry.js';
import { renderInMessage } from '../skills/render.js';
import { SKILL_TOOL } from '../tools/names/own-names.js';
import { type Acted, act } from './act.js';
import { ActiveEntries } from './active-entries.js';
import { ChatMemory } from './memory.js';
import type { ChatParts } from './parts.js';
import type { Round } from './round.js';
import type { Session } from './session.js';
import { skillNameOf } from './skill-tool.js';
import { NOTHING_SPENT, type Spent, withUsage } from './spent.js';
import { keptFrom, tooLittleLeft } from './window.js';

/** How one message ended. */
export type Said =
  | { readonly kind: 'answered' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly code: string; readonly error: string };

/** What one message may call before something is wrong. */
const CALLS_PER_MESSAGE = 100;

/** How long one message waits for its provider in all. */
const LONGEST_WAIT_MS = 10 * 60_000;

export class Chat {
  readonly #parts: ChatParts;
  readonly #entries: ActiveEntries;
  readonly #memory: ChatMemory;
  #spent = NOTHING_SPENT;
  #requests = 0;
  #lastText: string | null = null;

  private constructor(parts: ChatParts, entries: ActiveEntries) {
    this.#parts = parts;
    this.#entries = entries;
    this.#memory = new ChatMemory(parts.reference);
  }

  /** Opens a chat; nothing is asked yet. Rejects when the signal fires. */
  static async open(parts: ChatParts, signal: AbortSignal): Promise<Chat> {
    return new Chat(parts, await ActiveEntries.open(parts, signal));
  }

  get spent(): Spent {
    return this.#spent;
  }

  /** Puts a message of the user in and sees it to its answer, calls included. What it ended as is never an exception. */
  async say(text: string, signal: AbortSignal): Promise<Said> {
    try {
      await this.#entries.refresh(signal);
      this.#entries.wake(text, (next) => this.#tight(next, [{ role: 'user', text }]));
      return await this.#answer(text, signal);
    } catch (error) {
      if (signal.aborted && error instanceof CancelledError) return { kind: 'stopped' };
      if (error instanceof CodedError && !(error instanceof BugError))
        return { kind: 'failed', code: error.code, error: error.message };
      throw error;
    } finally {
      this.#memory.closePending('not run: the round was stopped');
    }
  }

  /** `/skill load`. Gives what to tell the person. */
  load(name: string, signal: AbortSignal): Promise<string> {
    return this.#entries.loadByHand(name, (next) => this.#tight(next, []), signal);
  }

  /** `/skill unload`. Gives what to tell the person. */
  unload(name: string): string {
    return this.#entries.unload(name);
  }

  /** `/skills`, as things are now. */
  async skills(signal: AbortSignal): Promise<string> {
    await this.#entries.refresh(signal);
    return this.#entries.listing();
  }

  async #answer(text: string, signal: AbortSignal): Promise<Said> {
    const ports = this.#ports(text, signal);
    let waitedMs = 0;
    for (;;) {
      const end = await runTurn(ports, signal);
      switch (end.kind) {
        case 'finished':
          return { kind: 'answered' };
        case 'waiting': {
          const { why, waitMs, detail } = end;
          waitedMs += waitMs;
          if (waitedMs > LONGEST_WAIT_MS) return waitedTooLong(why, detail);
          this.#parts.tell({ kind: 'waiting', why, waitMs, detail });
          await this.#parts.sleep(waitMs, signal);
          break;
        }
        case 'limit': {
          const error = `one message may make ${CALLS_PER_MESSAGE} calls; say how to go on`;
          return { kind: 'failed', code: 'too-many-calls', error };
        }
        case 'failed':
          return { kind: 'failed', code: end.code, error: end.error };
        case 'cancelled':
        case 'parked':
          return { kind: 'stopped' };
      }
    }
  }

  /** The turn of one message; what it sends is composed anew each time the model is asked (C1). */
  #ports(text: string, signal: AbortSignal): TurnPorts {
    const parts = this.#parts;
    const memory = this.#memory;
    let input: string | undefined = text;
    let round = this.#entries.compose();
    let calls = 0;
    return {
      member: parts.name,
      role: parts.name,
      model: parts.model,
      get system() {
        return round.system;
      },
      maxOutputTokens: parts.maxOutputTokens,
      conversation: memory,
      gate: parts.gate,
      tools: () => round.definitions,
      mail: () => (input === undefined ? undefined : { messages: [], text: input }),
      beforeAsking: async (put) => {
        input = undefined;
        if (put === undefined) await this.#lookAgain(signal);
        round = this.#entries.compose();
        this.#makeRoom(round, put === undefined ? [] : [{ role: 'user', text: put.text }]);
        return { kind: 'go' };
      },
      afterReply: async (reply) => {
        this.#spent = withUsage(this.#spent, reply.usage, parts.model.facts.price);
        const said = reply.text.trim() !== '';
        if (said) this.#lastText = reply.text;
        if (said) parts.tell({ kind: 'answer', text: reply.text });
        const place = memory.nextReply();
        const placed = reply.calls.map((call, index) => ({ ...call, place: place(index) }));
        return { kind: 'reply', text: reply.text, calls: placed };
      },
      act: async (call, signal) => {
        calls++;
        return { kind: 'result', ...(await this.#act(round, call, signal)), endsTurn: false };
      },
      afterCall: async () => {},
      callsLeft: () => calls < CALLS_PER_MESSAGE,
    };
  }

  /** The first round of a message comes right after its own look. */
  async #lookAgain(signal: AbortSignal): Promise<void> {
    try {
      await this.#entries.refresh(signal);
    } catch (error) {
      this.#parts.gate.left(); // nobody is asked after all
      throw error;
    }
  }

  async #act(round: Round, call: MemoryCall, signal: AbortSignal): Promise<Acted> {
    if (call.tool === SKILL_TOOL) return this.#loadForModel(call, signal);
    const provider = round.providers.get(call.tool);
    if (provider !== undefined) {
      const refusal = await this.#takenBack(provider, call, signal);
      if (refusal !== undefined) return refusal;
    }
    const nextRequest = (): number => ++this.#requests;
    return act({ parts: this.#parts, round, context: this.#lastText, nextRequest }, call, signal);
  }

  /** Why a tool of an entry may not run any more: its entry is not what it was when the model was told of the tool. */
  async #takenBack(provider: Entry, call: MemoryCall, signal: AbortSignal): Promise<Acted | undefined> {
    try {
      await this.#entries.refresh(signal);
    } catch (error) {
      return { text: `${call.tool} was not run: ${errorText(error)}`, outcome: 'error' };
    }
    if (this.#entries.isActive(provider)) return undefined;
    const text = `denied, not run: "${provider.name}", which brings ${call.tool}, is not active any more as it was`;
    return { text, outcome: 'denied' };
  }

  /** A call of the tool `skill`: the text now; its place in the prompt and its tools from the next round on. */
  async #loadForModel(call: MemoryCall, signal: AbortSignal): Promise<Acted> {
    const named = skillNameOf(call.arguments);
    if (named.kind === 'refused') return { text: named.text, outcome: 'error' };
    const shown = (entry: Entry): string => renderInMessage(entry, this.#parts.bundlePath(entry));
    const result = (text: string): ModelMessage => ({
      role: 'tool',
      call: call.place,
      tool: SKILL_TOOL,
      text,
      failed: false,
    });
    try {
      const loaded = await this.#entries.loadForModel(
        named.name,
        (entry, next) => this.#tight(next, [result(shown(entry))]),
        signal,
      );
      if (loaded.kind === 'loaded') return { text: shown(loaded.entry), outcome: 'ok' };
      return { text: loaded.text, outcome: loaded.kind === 'active' ? 'ok' : 'error' };
    } catch (error) {
      return { text: `"${named.name}" was not loaded: ${errorText(error)}`, outcome: 'error' };
    }
  }

  /** Why a session would leave too little room for the request that comes next; undefined when it would not. */
  #tight(next: Session, coming: readonly ModelMessage[]): string | undefined {
    const { window } = this.#parts;
    const used = (round: Round, more: readonly ModelMessage[]): number =>
      this.#tokens(round, this.#memory.upcoming(more), this.#memory.from);
    const before = used(this.#entries.compose(), []);
    const after = used(this.#entries.compose(next), coming);
    return tooLittleLeft(window, after, after - before);
  }

  /** Drops older turns where the request would not fit; says so, and says when that was not enough. */
  #makeRoom(round: Round, coming: readonly ModelMessage[]): void {
    const { window, maxOutputTokens, tell } = this.#parts;
    if (window === null) return;
    const messages = this.#memory.upcoming(coming);
    const most = window.tokens - maxOutputTokens;
    const from = keptFrom(messages, this.#memory.from, (at) => this.#tokens(round, messages, at) <= most);
    const turns = this.#memory.dropBefore(from);
    if (turns > 0) tell({ kind: 'dropped', turns });
    const tokens = this.#tokens(round, messages, from);
    if (tokens > most) tell({ kind: 'too-large', tokens, window: window.tokens });
  }

  #tokens({ system, definitions }: Round, messages: readonly ModelMessage[], from: number): number {
    return estimateRequestTokens({
      system,
      tools: definitions,
      messages: this.#memory.sent(messages.slice(from)),
    });
  }
}

function waitedTooLong(why: 'rate_limited' | 'unavailable', detail: string): Said {
  const minutes = LONGEST_WAIT_MS / 60_000;
  const error = `the provider was waited for as long as one message may wait, ${minutes} minutes: ${detail}`;
  return { kind: 'failed', code: why === 'rate_limited' ? 'rate-limited' : 'unavailable', error };
}
