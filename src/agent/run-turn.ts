/**
 * One member's turn: ask, act, stop (spec/engine.md §2).
 *
 * The loop knows neither board nor record: memory, budget and tools come in as ports. Order of writes:
 *  T1 an input is recorded, and the call reserved, before the model is asked;
 *  T2 a reply is recorded before any of its calls runs; it is settled together with the mail it answered;
 *  T3 calls run one after the other in the order asked, each result recorded before the next begins;
 *  T4 while a reply has calls without results the model is not asked and no mail is put in;
 *  T5 a provider that has to be left alone is not waited for, nor is a budget that others have reserved: the turn ends,
 *     what was put in stays unanswered, and the next one asks again. Before a closed gate nothing is put in and nothing
 *     reserved;
 *  T6 room is made in the memory before anything is put in and before the model is asked, and never among open calls;
 *  T7 between the look for mail and the decision about its call nothing comes in: what a call was asked with is what there
 *     was in that moment, and whoever plays the run again finds it by the number of the decision.
 */

import type { Model, ModelReply, PromptPart, ToolDefinition } from '../models/model.js';
import { type Asked, ask, type Gate, type Waiting } from './ask.js';
import type { Conversation } from './conversation.js';
import type { MemoryCall, MemoryEntry, ResultOutcome } from './memory.js';

/** What the loop needs of a conversation; which part of it is sent is for its owner to say. */
export type TurnMemory = Pick<Conversation, 'messages' | 'pending' | 'wantsReply' | 'add'>;

/** What came of one call. */
export type CallOutcome =
  | {
      readonly kind: 'result';
      readonly text: string;
      readonly outcome: ResultOutcome;
      /** The call has closed the turn (the team is finished): the model is not asked again. */
      readonly endsTurn: boolean;
    }
  /** The call waits for a word that is not here yet: the turn ends and holds nothing (spec/team.md §3). */
  | { readonly kind: 'parked'; readonly request: string };

export interface TurnPorts {
  readonly member: string;
  readonly role: string;
  readonly model: Model;
  /** Of this moment, like the tools: read anew each time the model is asked. A member's never changes. */
  readonly system: readonly PromptPart[];
  readonly maxOutputTokens: number;
  readonly conversation: TurnMemory;
  readonly gate: Gate;
  /** Told of each fragment of an answer, where somebody looks on. */
  readonly watch?: (fragment: string) => void;
  /**
   * Resolves when the turn may look what there is to do next. Absent: at once. A recorded run that is played again
   * looks when it looked then.
   */
  comes?(): Promise<void>;
  /** Whether the model may be asked in this member's name. Absent: it may. */
  mayAsk?(): Promise<boolean>;
  /** The tools of this moment; they may change within a turn (a plan was approved). */
  tools(): readonly ToolDefinition[];
  /** Unread messages, rendered, with their ids; undefined when there are none. Takes nothing away. */
  mail(): { readonly messages: readonly string[]; readonly text: string } | undefined;
  /**
   * Makes room in the memory where the next request would come near the end of the model's window; gives an end where
   * that cannot be done now. Absent: the owner of the conversation sees to that.
   */
  makeRoom?(signal: AbortSignal): Promise<TurnEnd | undefined>;
  /**
   * Records the input that goes in, and reserves the model call, which is decided before anything is waited for (T7).
   * Durable when it resolves. The input stays recorded when a limit forbids the call: it is answered in a later turn.
   */
  beforeAsking(input: Extract<MemoryEntry, { kind: 'input' }> | undefined): Promise<BeforeAsking>;
  /** Records a reply and books it; answers with the places of its calls. Durable when it resolves. */
  afterReply(reply: ModelReply): Promise<Extract<MemoryEntry, { kind: 'reply' }>>;
  /** Runs one call. Must never reject: a failure is a result. */
  act(call: MemoryCall, signal: AbortSignal): Promise<CallOutcome>;
  /** Records a result. Durable when it resolves. */
  afterCall(result: Extract<MemoryEntry, { kind: 'result' }>): Promise<void>;
  /** Whether this turn has used up its calls. */
  callsLeft(): boolean;
}

export type BeforeAsking =
  /** `maxOutputTokens`: a shorter answer than that of the ports is paid for. */
  | { readonly kind: 'go'; readonly maxOutputTokens?: number }
  /** Others have reserved what is left of the budget, and will give some of it back. */
  | { readonly kind: 'no_room'; readonly need: Need }
  | { readonly kind: 'stop'; readonly limit: boolean; readonly why: string };

/** What a call would take of the budget. */
export interface Need {
  readonly tokens: number;
  /** US dollars; null: of unknown price. */
  readonly cost_usd: number | null;
}

export type TurnEnd =
  | { readonly kind: 'finished' }
  | { readonly kind: 'no_room'; readonly need: Need }
  | { readonly kind: 'parked'; readonly request: string }
  | Waiting
  | { readonly kind: 'limit'; readonly detail: string }
  | { readonly kind: 'cancelled' }
  | Extract<Asked, { kind: 'failed' }>;

/** Runs a turn to its end. Never rejects for anything the model or a tool does. */
export async function runTurn(ports: TurnPorts, signal: AbortSignal): Promise<TurnEnd> {
  const { conversation } = ports;
  for (;;) {
    const acted = await actOnCalls(ports, signal);
    if (acted !== undefined) return acted;
    if (signal.aborted) return { kind: 'cancelled' };
    await ports.comes?.();
    if (ports.mail() === undefined && !conversation.wantsReply) return { kind: 'finished' };
    const full = await ports.makeRoom?.(signal);
    if (full !== undefined) return full;
    if ((await ports.mayAsk?.()) === false) return { kind: 'cancelled' };
    await ports.comes?.(); // Making room has had decisions of its own.
    const mail = ports.mail();
    if (mail === undefined && !conversation.wantsReply) return { kind: 'finished' }; // It was taken back meanwhile.
    const passage = ports.gate.enter();
    if (passage.kind === 'closed') {
      const { waitMs, said } = passage;
      return { kind: 'waiting', why: 'rate_limited', waitMs, detail: said, asked: false };
    }
    const input = mail === undefined ? undefined : { kind: 'input' as const, ...mail };
    const before = await ports.beforeAsking(input);
    if (input !== undefined) conversation.add(input);
    if (before.kind !== 'go') {
      ports.gate.left();
      if (before.kind === 'no_room') return before;
      return before.limit ? { kind: 'limit', detail: before.why } : { kind: 'cancelled' };
    }
    const outcome = await ask(
      ports.model,
      {
        member: ports.member,
        role: ports.role,
        system: ports.system,
        messages: conversation.messages,
        tools: ports.tools(),
        maxOutputTokens: before.maxOutputTokens ?? ports.maxOutputTokens,
      },
      ports.gate,
      signal,
      ports.watch,
    );
    if (outcome.kind !== 'reply') return outcome;
    const reply = await ports.afterReply(outcome);
    conversation.add(reply);
    if (reply.calls.length === 0) return { kind: 'finished' };
  }
}

/** Runs the calls that wait, in order; undefined when the model may be asked next. */
async function actOnCalls(ports: TurnPorts, signal: AbortSignal): Promise<TurnEnd | undefined> {
  let ends = false;
  for (const call of ports.conversation.pending) {
    if (signal.aborted) return { kind: 'cancelled' };
    if (!ports.callsLeft()) return { kind: 'limit', detail: 'calls_per_turn' };
    const outcome: CallOutcome = ends
      ? {
          kind: 'result',
          text: 'Not run: an earlier call of this reply has closed the team.',
          outcome: 'cancelled',
          endsTurn: true,
        }
      : await ports.act(call, signal);
    if (outcome.kind === 'parked') return outcome;
    const result = {
      kind: 'result' as const,
      place: call.place,
      text: outcome.text,
      outcome: outcome.outcome,
    };
    await ports.afterCall(result);
    ports.conversation.add(result);
    ends ||= outcome.endsTurn;
  }
  return ends ? { kind: 'finished' } : undefined;
}
