/**
 * Runs one job: takes the turn, opens the transcript, runs the loop, ends the turn (spec/engine.md §2).
 *
 * The order of writes is this file's promise: `turn.started` → `opened` → everything else; `turn.ended` last. What
 * was put into an input before a crash is not put in again; what was answered is counted as delivered.
 */

import { runTurn, type TurnEnd } from '../../agent/run-turn.js';
import type { TranscriptEntry } from '../../events/transcript-entry.js';
import type { ModelMessage } from '../../models/model.js';
import { doWithin } from '../../shared/abort.js';
import { BugError, CancelledError, FatalError } from '../../shared/errors.js';
import type { Command } from '../../team/command.js';
import type { TurnLimit } from '../../team/turn-marks.js';
import { foreignMemory } from '../record-owner.js';
import { closeOpenCalls } from './close-calls.js';
import { MemberMemory } from './member-memory.js';
import { TurnEntries } from './turn-entries.js';
import { memberOf, scoped, type TurnHouse, type TurnLease } from './turn-house.js';
import { type TurnAtWork, turnPorts } from './turn-ports.js';

/** Which turn ends, how far its memory reaches, how many calls it made. */
type EndOf = Pick<Extract<Command, { kind: 'turn.end' }>, 'member' | 'turn' | 'upto' | 'calls'>;

/** The code of the reason with which a turn ends that may write nothing more. */
const FENCED = 'fenced';

function isTurnLimit(detail: string): detail is TurnLimit {
  return detail === 'calls_per_turn' || detail === 'turn_minutes';
}

export class TurnRunner {
  readonly #house: TurnHouse;
  readonly #memories = new Map<string, MemberMemory>();
  /** Memories of turns that have not ended: should one be lost and the next begin here, the two of them share nothing. */
  readonly #taken = new WeakSet<MemberMemory>();
  /** Jobs that look at a member now; a stale one may run beside its turn. */
  readonly #jobs = new Map<string, number>();
  /** The turns that run here, by member, and how each is told that the record has taken it from this process. */
  readonly #live = new Map<string, { readonly turn: number; readonly lost: AbortController }>();
  /** Stopped members whose memory is whole. */
  readonly #whole = new Set<string>();
  /** Members whose last turn was cut off: what it still does is not written down. */
  readonly #cut = new Set<string>();

  constructor(house: TurnHouse) {
    this.#house = house;
  }

  /**
   * Runs a turn for a member that is due.
   * @returns false when nothing was due and nothing was written
   */
  async run(name: string, cause: number, signal: AbortSignal): Promise<boolean> {
    this.#jobs.set(name, (this.#jobs.get(name) ?? 0) + 1);
    try {
      return await this.#turn(name, cause, signal);
    } finally {
      const left = (this.#jobs.get(name) ?? 0) - 1;
      if (left > 0) this.#jobs.set(name, left);
      else this.#jobs.delete(name);
      await this.closeStopped(name);
    }
  }

  /** Another process has begun a turn of the member: what is remembered here is no more all there is. */
  forget(name: string): void {
    this.#memories.delete(name);
  }

  /** The record says that turns are lost: those that run here end, with what their tools have started (case C58). */
  lost(isLost: (turn: number) => boolean): void {
    for (const { turn, lost } of this.#live.values()) {
      if (isLost(turn))
        lost.abort(new CancelledError('lease-lost', `turn ${turn} was taken from this process`));
    }
  }

  /**
   * A stopped member's open calls get a recorded result, so that its memory is whole (spec/team.md §5). Does nothing
   * for others; while one of its jobs runs, that job does it.
   */
  async closeStopped(name: string): Promise<void> {
    const { store, record } = this.#house;
    const stopped = store.state.members.get(name)?.life.kind === 'stopped';
    if (!stopped || (this.#jobs.get(name) ?? 0) > 0 || this.#whole.has(name)) return;
    this.#whole.add(name);
    this.#memories.delete(name);
    for (const entry of await closeOpenCalls(record.transcripts, name)) this.#house.onTranscript(name, entry);
  }

  /** A stopped member's turn that did not end is left to itself: its memory is closed before it, and takes nothing more. */
  async cutOff(name: string): Promise<void> {
    this.#cut.add(name);
    this.#jobs.delete(name);
    this.#house.busy(name, null);
    await this.closeStopped(name);
  }

  async #turn(name: string, cause: number, signal: AbortSignal): Promise<boolean> {
    const { store } = this.#house;
    const id = `start/${name}/${cause}/${store.state.next}`;
    const started = await store.send(id, { kind: 'turn.start', member: name, cause, ...this.#house.runBy });
    if (started.kind === 'refused' || started.first === null) return false;
    if (started.facts[0]?.type !== 'turn.started') return true; // It failed instead: its turns are used up.
    const turn = started.first;
    this.#house.busy(name, 'thinking');
    let lease: TurnLease | undefined;
    let memory: MemberMemory | undefined;
    const lost = new AbortController();
    this.#live.set(name, { turn, lost });
    try {
      lease = this.#house.lease?.(turn);
      const { entries, ...opened } = await this.#open(name, turn);
      memory = opened.memory;
      const ends = [signal, lost.signal, ...(lease === undefined ? [] : [lease.signal])];
      const mayAct = async (): Promise<void> => {
        await Promise.all([lease?.taken, entries.open()]);
      };
      const work = { name, turn, memory, entries, mayAct };
      const end = await this.#loop(work, ends);
      await mayAct();
      if (await this.#end(work, end)) this.#taken.delete(memory);
    } catch (error) {
      // It was lost, and the next one has begun: what becomes of its calls is that one's to say.
      if (!(error instanceof CancelledError) || error.code !== FENCED) throw error;
    } finally {
      if (this.#live.get(name)?.turn === turn) this.#live.delete(name);
      if (memory !== undefined) this.#leave(name, memory);
      lease?.end();
      this.#house.busy(name, null);
    }
    return true;
  }

  /** Of a turn that has not ended well this process does not know what others have made of the member since. */
  #leave(name: string, memory: MemberMemory): void {
    if (this.#taken.has(memory) && this.#memories.get(name) === memory) this.#memories.delete(name);
  }

  /** The conversation of a member as last sent, for the check of a script at the end of a run. */
  async messages(member: string): Promise<readonly ModelMessage[]> {
    const memory = this.#memories.get(member);
    if (memory !== undefined) return memory.conversation.messages;
    return new MemberMemory(await this.#house.record.transcripts.read(member), '').conversation.messages;
  }

  async #open(
    name: string,
    turn: number,
  ): Promise<{ readonly memory: MemberMemory; readonly entries: TurnEntries }> {
    const { store } = this.#house;
    const opened: TranscriptEntry = { id: `${turn}-0`, kind: 'opened', team: this.#house.team, member: name };
    const entries = new TurnEntries(opened, (all) => this.#append(name, all));
    let memory = this.#memories.get(name);
    if (memory === undefined || this.#taken.has(memory)) {
      await entries.open();
      memory = await this.#read(name);
    }
    this.#taken.add(memory);
    memory.begin(turn);
    memory.nextId(); // `opened` has taken the first.
    const answered = memory.conversation.answered;
    const recover = memberOf(store, name).unread.filter((id) => answered.has(id));
    if (recover.length > 0) {
      await entries.open();
      await store.send(scoped(name, `recover/${turn}`), {
        kind: 'mail.recover',
        member: name,
        turn,
        ids: recover,
      });
    }
    return { memory, entries };
  }

  async #read(name: string): Promise<MemberMemory> {
    const { record, store } = this.#house;
    const entries = await record.transcripts.read(name);
    const foreign = foreignMemory(this.#house.team, name, entries);
    if (foreign !== undefined) throw foreign;
    const { upto, beforeWait } = memberOf(store, name);
    if (upto !== '' && !entries.some((entry) => entry.id === upto)) {
      throw new FatalError(
        'transcript-lost',
        `the transcript of ${name} ends before ${upto}: part of it is lost`,
      );
    }
    const memory = new MemberMemory(entries, upto, beforeWait.turn);
    this.#memories.set(name, memory);
    return memory;
  }

  /** @param ends what ends the turn before its time */
  async #loop(work: TurnAtWork, ends: readonly AbortSignal[]): Promise<TurnEnd> {
    const { store } = this.#house;
    const run = store.state.run;
    if (run === null) throw new BugError('no-run', 'a turn runs in a team that was never started');
    const most = Math.ceil(run.limits.turn_minutes * 60_000);
    return doWithin(ends, most, async (signal) => {
      // Before the calls that wait as well: one that was confirmed while nobody looked is not run.
      if (!(await this.#house.mayGoOn(work.name))) return { kind: 'cancelled' };
      const end = await runTurn(turnPorts(this.#house, work), signal);
      const isLate = signal.aborted && !ends.some(({ aborted }) => aborted);
      return end.kind === 'cancelled' && isLate ? { kind: 'limit', detail: 'turn_minutes' } : end;
    });
  }

  /** Records the end of the turn; false when it was over already: lost, or ended with its member. */
  async #end({ name, turn, memory }: TurnAtWork, end: TurnEnd): Promise<boolean> {
    const { store } = this.#house;
    if (memberOf(store, name).life.kind === 'stopped') return false; // That ended its turn as well.
    const { calls } = memory; // As the turn ended: results that are made up for what it left open are none of its calls.
    if (end.kind === 'limit') await this.#closeOpen(name, memory, end.detail);
    const of = { member: name, turn, upto: memory.lastId, calls };
    const ended = await store.send(scoped(name, `end/${turn}`), this.#ending(of, memory, end));
    if (end.kind === 'waiting' || end.kind === 'no_room') memory.divided();
    else memory.ended();
    return ended.kind === 'accepted';
  }

  #ending(of: EndOf, memory: MemberMemory, end: TurnEnd): Command {
    const { member: name } = of;
    switch (end.kind) {
      case 'failed':
        return { ...end, kind: 'turn.fail', ...of };
      case 'waiting':
        return { ...end, kind: 'turn.wait', ...of, ...this.#told(name, memory) };
      case 'no_room': {
        const wait = { why: 'budget', waitMs: 0, asked: false, need: end.need } as const;
        const detail = `${end.need.tokens} tokens are needed`;
        return { kind: 'turn.wait', ...of, ...wait, detail, ...this.#told(name, memory) };
      }
      default:
        return {
          kind: 'turn.end',
          ...of,
          outcome: end.kind,
          request: end.kind === 'parked' ? end.request : null,
          text: memory.text,
          cut: memory.cut,
          detail: end.kind === 'limit' ? end.detail : null,
          ...(end.kind === 'limit' && isTurnLimit(end.detail) ? { limit: end.detail } : {}),
        };
    }
  }

  /** The calls that a limit of the turn has left open get a result: what the next turn goes on with is whole. */
  async #closeOpen(name: string, memory: MemberMemory, limit: string): Promise<void> {
    const text = `not run: the turn is over (limits.${limit}); ask for it again if you still need it`;
    for (const { place } of [...memory.conversation.pending]) {
      const result = { kind: 'result' as const, place, text, outcome: 'cancelled' as const };
      const entry = { id: memory.nextId(), ...result };
      await this.#append(name, [entry]);
      memory.wrote(entry);
      memory.conversation.add(result);
    }
  }

  /** What a wait says of the member: whose provider it is that waits, and what it said before. */
  #told(name: string, memory: MemberMemory): { readonly provider: string; readonly text: string | null } {
    const { id } = this.#house.seats.model(name);
    return { provider: id.slice(0, id.indexOf('/')), text: memory.text };
  }

  async #append(name: string, entries: readonly TranscriptEntry[]): Promise<void> {
    if (this.#cut.has(name)) throw new CancelledError(FENCED, `the turn of ${name} was cut off`);
    const outcome = await this.#house.record.transcripts.append(name, entries);
    if (outcome.kind === 'fenced') {
      throw new CancelledError(FENCED, `a newer turn of ${name} was opened: ${outcome.newest}`);
    }
    for (const entry of entries) this.#house.onTranscript(name, entry);
  }
}
