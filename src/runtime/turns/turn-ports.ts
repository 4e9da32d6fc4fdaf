/**
 * One turn as its loop sees it: memory, budget and tools of the member, bound to the record (`agent/run-turn.ts`).
 *
 * Always true: what goes into the model and what comes out is in the transcript before the loop goes on; every command
 * has the id that another process would give it.
 */

import type { BeforeAsking, TurnPorts } from '../../agent/run-turn.js';
import type { Fact } from '../../events/event.js';
import type { TranscriptEntry } from '../../events/transcript-entry.js';
import { answerTokens } from '../../models/choice/model-facts.js';
import { costUsd } from '../../models/cost.js';
import type { ModelReply } from '../../models/model.js';
import { mostOfCall } from '../../models/reservation.js';
import type { Command } from '../../team/command.js';
import { fullNeed } from '../../team/ledger.js';
import type { Member } from '../../team/show/view.js';
import { type Mark, passedMarks } from '../../team/turn-marks.js';
import { makeRoom, mostMailBytes } from './make-room.js';
import type { MemberMemory } from './member-memory.js';
import { visibleTools } from './member-tools.js';
import { proofOf } from './sent-proof.js';
import { TurnCalls } from './turn-calls.js';
import type { TurnEntries } from './turn-entries.js';
import { memberOf, scoped, type TurnHouse, type TurnSeat } from './turn-house.js';
import { unreadInput } from './unread-input.js';

/** A turn that runs: whose it is, its number, what the member remembers. */
export interface TurnAtWork {
  readonly name: string;
  readonly turn: number;
  readonly memory: MemberMemory;
  readonly entries: TurnEntries;
  /** Resolves when the turn is this process's and has been opened: before anything that it does. Rejects when it is not. */
  mayAct(): Promise<void>;
}

/** The ports of one turn; they count what it has asked and called, so each turn gets its own. */
export function turnPorts(house: TurnHouse, work: TurnAtWork): TurnPorts {
  const { store, onFragment } = house;
  const { name, turn, memory } = work;
  const append = (entry: TranscriptEntry): Promise<void> => {
    memory.took(entry);
    return work.entries.append(entry);
  };
  const { conversation } = memory;
  const seat = house.seats.seat(name);
  const maxOutputTokens = answerTokens(seat.model.facts);
  const before = memberOf(store, name);
  // Put in by an earlier, lost turn and not answered: not put in again, and counted as such once. What was put in
  // before a wait was not lost.
  let suppressed = before.lost > 0 && !wasRefused(before) ? [...conversation.unanswered] : [];
  let asked = 0;
  const calls = new TurnCalls(house, { name, turn, memory, seat });
  const tools: TurnPorts['tools'] = () => visibleTools(seat.tools, memberOf(store, name));
  /** What the model is sent with this input. */
  const asking = (input: { readonly text: string } | undefined) => ({
    system: seat.system,
    messages:
      input === undefined
        ? conversation.messages
        : [...conversation.messages, { role: 'user' as const, text: input.text }],
    tools: tools(),
    maxOutputTokens,
  });
  const perTurn = store.state.run?.limits.calls_per_turn ?? 0;
  const untoldMarks = (): readonly Mark[] => {
    const { life } = memberOf(store, name);
    const elapsedMs = life.kind === 'working' ? store.now() - life.startedAt : 0;
    const turnMinutes = store.state.run?.limits.turn_minutes ?? 0;
    const soFar = { calls: calls.count, callsPerTurn: perTurn, elapsedMs, turnMinutes };
    return passedMarks(soFar).filter(({ limit }) => !memory.marks.has(limit));
  };
  /** Those that stand in the input which was made last. */
  let marks: readonly Mark[] = [];
  const reserve = async (request: Parameters<typeof mostOfCall>[0]): Promise<BeforeAsking> => {
    asked++;
    house.busy(name, 'thinking');
    const wish = { model: seat.model.id, ...mostOfCall(request, seat.model.facts) };
    const may = work.mayAct();
    const sent = store.send(scoped(name, `reserve/${turn}/${asked}`), {
      kind: 'budget.reserve',
      member: name,
      turn,
      wish,
      recordBytes: house.record.bytes(),
    });
    const [outcome] = await Promise.all([sent, may]);
    if (outcome.kind === 'accepted') return { kind: 'go', ...grantedBy(outcome.facts) };
    if (outcome.code === 'no_room') return { kind: 'no_room', need: fullNeed(wish) };
    return { kind: 'stop', limit: outcome.code === 'limit', why: outcome.message };
  };
  const mostBytes = mostMailBytes(seat.model.facts.contextTokens, maxOutputTokens);
  const mail: TurnPorts['mail'] = () => {
    const unread = unreadInput(store.state, memberOf(store, name), {
      wasPutIn: (id) => conversation.answered.has(id) || conversation.unanswered.includes(id),
      first: conversation.messages.length === 0,
      text: (digest) => house.inputText(digest),
      mostBytes,
    });
    marks = unread === undefined && !conversation.wantsReply ? [] : untoldMarks();
    const texts = [...(unread === undefined ? [] : [unread.text]), ...marks.map(({ text }) => text)];
    return texts.length === 0 ? undefined : { messages: unread?.messages ?? [], text: texts.join('\n\n') };
  };
  return {
    member: name,
    role: before.seat.role,
    model: seat.model,
    system: seat.system,
    maxOutputTokens,
    conversation,
    gate: house.gate(name),
    ...(onFragment === undefined ? {} : { watch: (fragment) => onFragment(name, fragment) }),
    tools,
    mail,
    makeRoom: (signal) =>
      makeRoom(
        {
          store,
          name,
          turn,
          seat,
          memory,
          gate: house.gate(name),
          maxOutputTokens,
          nextInput: mail()?.text,
          tools: tools(),
          inputText: (digest) => house.inputText(digest),
          append,
          keep: (text) => house.record.blobs.put(text),
          reserve: async (request) => {
            if (!(await house.mayGoOn(name))) return MAY_NOT;
            return reserve(request);
          },
          settle: (reply, entry) => {
            const settle = { ...settlement(reply, seat), member: name, turn, delivered: [], suppressed: [] };
            return store.send(scoped(name, `settle/${entry}`), settle);
          },
        },
        signal,
      ),
    mayAsk: () => house.mayGoOn(name),
    beforeAsking: async (input) => {
      for (const { limit } of marks) memory.mark(limit);
      const writes =
        input === undefined ? [] : [append({ id: memory.nextId(), ...input, messages: [...input.messages] })];
      const [outcome] = await Promise.all([reserve(asking(input)), ...writes]);
      return outcome;
    },
    afterReply: async (reply) => {
      const entry = replyEntry(memory.nextId(), reply, seat);
      const delivered = [...conversation.unanswered];
      const settle = { ...settlement(reply, seat), member: name, turn, delivered, suppressed };
      suppressed = [];
      // One pass: the record makes the transcript durable before the entry that counts its mail as delivered.
      const kept = reply.sent === undefined ? undefined : house.record.blobs.put(reply.sent.tools);
      const appended = append(entry);
      const settled = store.send(scoped(name, `settle/${entry.id}`), settle);
      await Promise.all([kept, appended, settled]);
      memory.wrote(entry);
      return { kind: 'reply', text: entry.text, calls: entry.calls };
    },
    comes: async () => house.pace?.comes(name),
    act: async (call, signal) => {
      await work.mayAct();
      return calls.act(call, signal);
    },
    afterCall: async (result) => {
      const at = seat.model.records === true ? calls.seenAt(result.place) : undefined;
      const entry: TranscriptEntry = {
        id: memory.nextId(),
        ...result,
        ...(at === undefined ? {} : { seen: at }),
      };
      await append(entry);
      memory.wrote(entry);
    },
    callsLeft: () => calls.count < perTurn,
  };
}

/** How long an answer the ledger has granted. */
function grantedBy(facts: readonly Fact[]): { maxOutputTokens?: number } {
  const reserved = facts.find((fact) => fact.type === 'budget.reserved');
  return reserved === undefined ? {} : { maxOutputTokens: reserved.output_tokens };
}

const MAY_NOT: BeforeAsking = { kind: 'stop', limit: false, why: 'it may not go on' };

/** Whether its last call was refused, so that what it has put in waits for an answer. */
function wasRefused({ refusals }: Member): boolean {
  return refusals.rate_limited > 0 || refusals.unavailable > 0;
}

function replyEntry(
  id: string,
  { text, calls, usage, stop, sent }: ModelReply,
  { model }: TurnSeat,
): Extract<TranscriptEntry, { kind: 'reply' }> {
  return {
    id,
    kind: 'reply',
    text,
    calls: calls.map((call, index) => ({
      place: `${id}.${index}`,
      tool: call.tool,
      arguments: call.arguments,
    })),
    model: model.id,
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedTokens,
    output_tokens: usage.outputTokens,
    stop,
    ...(sent === undefined ? {} : { sent: proofOf(sent) }),
  };
}

type Settle = Extract<Command, { kind: 'reply.settle' }>;

/** What a reply has used, as the command that books it. */
function settlement(
  { usage }: ModelReply,
  { model }: TurnSeat,
): Omit<Settle, 'member' | 'turn' | 'delivered' | 'suppressed'> {
  return {
    kind: 'reply.settle',
    model: model.id,
    inputTokens: usage.inputTokens,
    cachedTokens: usage.cachedTokens,
    outputTokens: usage.outputTokens,
    costUsd: costUsd(model.facts.price, usage),
  };
}
