/**
 * What is always true of the processes that serve a team: whose turns are taken over and when, how often, and where the
 * workspace is (P: the rules of `src/team/workspace.ts` and `decide/lost-turn.ts`). It keeps its own books and asks nothing
 * of the code that it judges.
 */

import type { Fact, FactOf } from '../../../src/events/event.js';
import type { Command } from '../../../src/team/command.js';
import type { Decision } from '../../../src/team/decision.js';
import type { TeamState } from '../../../src/team/state.js';

interface Turn {
  readonly number: number;
  readonly at: number;
  readonly host: string | undefined;
  deferred: number;
}

type Run = FactOf<'run.started'>;

/** Sees every entry once, in order, and every command with its answer. */
export class ProcessWatch {
  #run: Run | undefined;
  #number = 1;
  readonly #turns = new Map<string, Turn>();
  /** Turns in a row of each member that were lost with nothing to show for them. */
  readonly #lost = new Map<string, number>();
  /** Members that take no more turns. */
  readonly #out = new Set<string>();
  #host: string | null = null;
  /** Of the last machine that was lost; undefined: none was. */
  #lostAt: string | null | undefined;
  readonly broken: string[] = [];

  /** @param at team time of the entry, milliseconds */
  see(facts: readonly Fact[], at: number): void {
    for (const fact of facts) {
      this.#see(fact, at);
      this.#number++;
    }
    const most = this.#run?.limits.lost_turns ?? 0;
    for (const [name, lost] of this.#lost)
      if (lost >= most && !this.#out.has(name))
        this.#break('P', `${name} has lost ${lost} turns of ${most} and goes on`);
  }

  /** What was answered to a word about a turn or a machine. */
  heard(command: Command, decision: Decision, state: TeamState): void {
    if (command.kind !== 'workspace.lose' || decision.kind === 'refused' || state.phase.kind !== 'running')
      return;
    for (const { task } of command.missingArtifacts)
      if (state.tasks.get(task)?.state.kind === 'completed')
        this.#break('P', `${task} is completed and its files are lost`);
  }

  #see(fact: Fact, at: number): void {
    switch (fact.type) {
      case 'run.started':
        this.#run = fact;
        break;
      case 'run.resumed':
        this.#resumed(fact);
        break;
      case 'turn.started':
        this.#turns.set(fact.member, { number: this.#number, at, host: fact.host, deferred: 0 });
        if (fact.host !== undefined) this.#servedOn(fact.member, fact.host);
        break;
      case 'turn.ended':
        this.#turns.delete(fact.member);
        break;
      case 'turn.lost':
        this.#takenOver(fact, at, LEASE_MS);
        this.#turns.delete(fact.member);
        this.#lose(fact.member);
        break;
      case 'turn.reclaim_deferred':
        this.#deferred(fact, at);
        break;
      case 'tool.started':
      case 'member.restarted':
        this.#lost.delete(fact.member);
        this.#out.delete(fact.member);
        break;
      case 'budget.spent':
        if (!fact.estimated) this.#lost.delete(fact.member);
        break;
      case 'task.released':
        if (fact.reason === 'crashed') this.#lost.delete(fact.member);
        break;
      case 'member.failed':
      case 'member.stopped':
        this.#out.add(fact.member);
        this.#turns.delete(fact.member);
        break;
      case 'workspace.bound':
        if (this.#host !== null && this.#host !== fact.host)
          this.#break('P', `the workspace is on ${this.#host} and was bound to ${fact.host}`);
        if (this.#host === null && (this.#lostAt ?? null) !== null && this.#lostAt !== fact.commit)
          this.#break('P', `the workspace goes on from ${fact.commit}, it was lost at ${this.#lostAt}`);
        this.#host = fact.host;
        break;
      case 'workspace.lost':
        this.#machineLost(fact);
        break;
      default:
        break;
    }
  }

  #resumed({ kept = [] }: FactOf<'run.resumed'>): void {
    for (const [member, turn] of [...this.#turns]) {
      if (kept.includes(turn.number)) continue;
      this.#turns.delete(member);
      this.#lose(member);
    }
    for (const name of this.#out) this.#lost.delete(name);
    this.#out.clear();
  }

  /** A turn is left alone for as long as its holder may be late. */
  #takenOver(
    { member, turn }: { readonly member: string; readonly turn: number },
    at: number,
    lease: number,
  ): Turn | undefined {
    const live = this.#turns.get(member);
    if (live?.number !== turn) this.#break(2, `turn ${turn} of ${member} was taken over and was not live`);
    else if (at - live.at < lease)
      this.#break(2, `turn ${turn} of ${member} was taken over after ${at - live.at} ms`);
    return live;
  }

  #deferred(fact: FactOf<'turn.reclaim_deferred'>, at: number): void {
    const live = this.#takenOver(fact, at, LEASE_MS);
    if (live === undefined) return;
    live.deferred++;
    if (fact.count !== live.deferred || fact.count > 3)
      this.#break('P', `turn ${fact.turn} was found alive ${live.deferred} times, told is ${fact.count}`);
  }

  #lose(member: string): void {
    this.#lost.set(member, (this.#lost.get(member) ?? 0) + 1);
  }

  /** Who writes is where the workspace is, and who reads what others write. */
  #servedOn(member: string, host: string): void {
    const use = this.#useOf(member);
    if (use === 'none' || !this.#isWritten() || (use === 'reads' && this.#host === null)) return;
    if (this.#host !== host)
      this.#break('P', `${member} ${use} on ${host}, the workspace is on ${this.#host}`);
  }

  #machineLost({ host, commit }: FactOf<'workspace.lost'>): void {
    if (this.#host !== host) this.#break('P', `${host} was lost and the workspace is on ${this.#host}`);
    for (const [member, turn] of this.#turns)
      if (turn.host === host && this.#useOf(member) !== 'none')
        this.#break('P', `${host} was lost while ${member} has a turn there`);
    this.#host = null;
    this.#lostAt = commit;
  }

  #isWritten(): boolean {
    return this.#run?.seats.some((seat) => this.#useOf(seat.member) === 'writes') === true;
  }

  #useOf(member: string): 'none' | 'reads' | 'writes' {
    const names =
      this.#run?.seats.find((seat) => seat.member === member)?.tools.map(({ name }) => name) ?? [];
    if (names.includes('fs_write_file') && this.#run?.safety !== 'read-only') return 'writes';
    return names.some((name) => name.startsWith('fs_')) ? 'reads' : 'none';
  }

  #break(invariant: number | 'P', what: string): void {
    this.broken.push(`${invariant}: ${what} (fact ${this.#number})`);
  }
}

/** As the moves say it (`process-moves.ts`). */
const LEASE_MS = 60_000;
