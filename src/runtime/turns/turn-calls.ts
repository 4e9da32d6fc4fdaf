/**
 * The calls of one turn: which of them are run at all, how many there were, and what had happened when each began.
 *
 * Always true: a call that is not run has a result that says why, and ends no turn.
 */

import type { TurnPorts } from '../../agent/run-turn.js';
import { act } from './act.js';
import type { MemberMemory } from './member-memory.js';
import { memberOf, scoped, type TurnHouse, type TurnSeat } from './turn-house.js';

type Act = TurnPorts['act'];
type Call = Parameters<Act>[0];
type CallOutcome = Awaited<ReturnType<Act>>;

/** Whose turn it is, and what it is counted in. */
export interface CallingTurn {
  readonly name: string;
  readonly turn: number;
  readonly memory: MemberMemory;
  readonly seat: TurnSeat;
}

export class TurnCalls {
  readonly #house: TurnHouse;
  readonly #at: CallingTurn;
  readonly #perReply: number;
  /** By place: the number that the next fact had when the call was run. */
  readonly #seen = new Map<string, number>();
  #count: number;

  constructor(house: TurnHouse, at: CallingTurn) {
    this.#house = house;
    this.#at = at;
    this.#perReply = house.store.state.run?.limits.calls_per_reply ?? 0;
    this.#count = memberOf(house.store, at.name).beforeWait.calls;
  }

  /** Calls of this turn so far, with those before it was put aside for its provider. */
  get count(): number {
    return this.#count;
  }

  /** The number that the next fact had when the call at this place was run. */
  seenAt(place: string): number | undefined {
    return this.#seen.get(place);
  }

  /** Runs a call, or says why not. */
  async act(call: Call, signal: AbortSignal): Promise<CallOutcome> {
    const { store, pace, secrets } = this.#house;
    const { name, seat } = this.#at;
    this.#count++;
    await pace?.calls(name, call.place);
    this.#seen.set(call.place, store.state.next);
    if (isProvided(seat, call.tool) && !(await this.#house.mayGoOn(name)))
      return notRun('its entry may not be used any more', 'cancelled');
    const index = Number(call.place.slice(call.place.lastIndexOf('.') + 1));
    if (index >= this.#perReply) return this.#beyondReply(call, index);
    const outcome = await act(this.#acting(), call, signal);
    return outcome.kind === 'result' ? { ...outcome, text: secrets.text(outcome.text) } : outcome;
  }

  async #beyondReply(call: Call, index: number): Promise<CallOutcome> {
    const { name, turn } = this.#at;
    const result = notRun(`a reply may hold ${this.#perReply} calls (limits.calls_per_reply)`, 'error');
    await this.#house.store.send(scoped(name, `limit/${call.place}`), {
      kind: 'limit.meet',
      member: name,
      turn,
      limit: 'calls_per_reply',
      value: index + 1,
      text: result.text,
    });
    return result;
  }

  #acting(): Parameters<typeof act>[0] {
    const house = this.#house;
    const { name, turn, memory, seat } = this.#at;
    return {
      store: house.store,
      member: name,
      turn,
      tools: seat.tools,
      patterns: seat.patterns,
      denies: house.denies ?? [],
      workspace: house.workspace,
      context: memory.text,
      fileBytes: (path, head) => house.fileBytes(path, head),
      delegated: house.delegated,
      cut: memory.cut,
      busyWith: (what) => house.busy(name, what),
    };
  }
}

function notRun(why: string, outcome: 'cancelled' | 'error'): Extract<CallOutcome, { kind: 'result' }> {
  return { kind: 'result', text: `not run: ${why}`, outcome, endsTurn: false };
}

/** Whether a tool is that of an entry, which may be taken back between the reply and its call. */
function isProvided({ tools }: TurnSeat, name: string): boolean {
  const tool = tools.get(name);
  return tool?.kind === 'work' && tool.provided;
}
