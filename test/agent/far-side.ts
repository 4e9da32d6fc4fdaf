/**
 * The far side of a turn: a model that plays prepared answers, a mailbox, tools and a memory on "disk". Every port
 * call is logged in the order in which it was made and, for writes, again when it was durable.
 */

import type { Gate } from '../../src/agent/ask.js';
import { Conversation } from '../../src/agent/conversation.js';
import type { MemoryCall, MemoryEntry } from '../../src/agent/memory.js';
import type { BeforeAsking, CallOutcome, TurnPorts } from '../../src/agent/run-turn.js';
import type { Model, ModelMessage, ModelOutcome } from '../../src/models/model.js';
import { FREE } from '../../src/models/settings.js';

export interface Answer {
  readonly text?: string;
  readonly tools?: readonly string[];
}

export interface FarSideOptions {
  /** By the number of answers given before; the last one is repeated. */
  readonly answers?: readonly Answer[];
  /** Mail by the number of answers before it may be read. */
  readonly mail?: readonly { readonly id: string; readonly after?: number }[];
  /** What was recorded before: a turn that was lost, or an earlier one. */
  readonly memory?: readonly MemoryEntry[];
  readonly act?: (call: MemoryCall, signal: AbortSignal) => Promise<CallOutcome> | CallOutcome;
  /** What comes in place of the prepared answer, unless it gives nothing. */
  readonly generate?: (
    messages: readonly ModelMessage[],
    signal: AbortSignal,
    watch?: (fragment: string) => void,
  ) => Promise<ModelOutcome | undefined>;
  readonly gate?: Partial<Gate>;
  readonly watch?: (fragment: string) => void;
  readonly beforeAsking?: () => BeforeAsking;
  readonly callsLeft?: (used: number) => boolean;
  /** Called at each port call with its name; may abort or throw. */
  readonly at?: (event: string) => void;
}

export interface FarSide {
  readonly ports: TurnPorts & { readonly conversation: Conversation };
  readonly log: string[];
  /** What is durable. */
  readonly memory: MemoryEntry[];
  /** What the model was sent, call by call. */
  readonly sent: ModelMessage[][];
}

/** A gate that nobody closes. */
export const OPEN: Gate = {
  enter: () => ({ kind: 'open' }),
  refused: (toldMs) => toldMs ?? 1_000,
  unanswered: (toldMs) => toldMs ?? 1_000,
  answered: () => {},
  left: () => {},
};

export function farSide(options: FarSideOptions = {}): FarSide {
  const answers = options.answers ?? [{ text: 'done' }];
  const log: string[] = [];
  const memory: MemoryEntry[] = [...(options.memory ?? [])];
  const sent: ModelMessage[][] = [];
  const conversation = new Conversation(memory);
  let used = 0;
  const say = (event: string): void => {
    log.push(event);
    options.at?.(event);
  };
  const keep = async (entry: MemoryEntry, event: string): Promise<void> => {
    say(`${event} …`);
    await Promise.resolve();
    memory.push(entry);
    say(`${event} kept`);
  };
  const replies = (): number => memory.filter((entry) => entry.kind === 'reply').length;
  const model: Model = {
    id: 'test/far',
    facts: FREE,
    leftover: () => [],
    generate: async (request, signal, watch) => {
      say('ask');
      sent.push(structuredClone([...request.messages]));
      const given = await options.generate?.(request.messages, signal, watch);
      if (given !== undefined) return given;
      const before = request.messages.filter((message) => message.role === 'assistant').length;
      const answer = answers[Math.min(before, answers.length - 1)] ?? {};
      const calls = (answer.tools ?? []).map((tool) => ({ tool, arguments: { by: tool } }));
      const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 1 };
      return { kind: 'reply', text: answer.text ?? '', calls, usage, stop: 'end' };
    },
  };
  const ports: FarSide['ports'] = {
    member: 'ada',
    role: 'engineer',
    model,
    system: [],
    maxOutputTokens: 100,
    conversation,
    gate: { ...OPEN, ...options.gate },
    ...(options.watch === undefined ? {} : { watch: options.watch }),
    tools: () => {
      say('tools');
      return [];
    },
    mail: () => {
      const known = new Set([...conversation.unanswered, ...conversation.answered]);
      const unread = (options.mail ?? [{ id: 'm1' }]).filter(
        ({ id, after = 0 }) => !known.has(id) && replies() >= after,
      );
      if (unread.length === 0) return undefined;
      return { messages: unread.map(({ id }) => id), text: unread.map(({ id }) => `mail ${id}`).join('\n') };
    },
    beforeAsking: async (input) => {
      if (input !== undefined) await keep(input, `input ${input.messages.join('+')}`);
      else say('no input');
      return options.beforeAsking?.() ?? { kind: 'go' };
    },
    afterReply: async (reply) => {
      const place = memory.length;
      const entry = {
        kind: 'reply' as const,
        text: reply.text,
        calls: reply.calls.map((call, index) => ({ place: `${place}.${index}`, ...call })),
      };
      await keep(entry, 'reply');
      return entry;
    },
    act: async (call, signal) => {
      used++;
      say(`run ${call.tool}`);
      const outcome = await options.act?.(call, signal);
      return (
        outcome ?? { kind: 'result', text: `${call.tool} at ${call.place}`, outcome: 'ok', endsTurn: false }
      );
    },
    afterCall: (result) => keep(result, `result ${result.place}`),
    callsLeft: () => options.callsLeft?.(used) ?? true,
  };
  return { ports, log, memory, sent };
}
