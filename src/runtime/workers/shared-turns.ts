/**
 * The turns of a team that several processes serve, as one of them sees to it: jobs are asked for through the queue, what
 * was asked for and did not come is asked for again, and a turn whose process is gone is taken over (spec/engine.md §2).
 * Every process that serves the team does the same; the record lets each thing happen once.
 */

import { Agenda } from '../../dispatch/agenda.js';
import type { BullMqQueue } from '../../dispatch/bullmq-queue.js';
import { DueTurns, NAMED_FROM } from '../../dispatch/due-turns.js';
import type { TurnJob } from '../../dispatch/job.js';
import { turnIsHeld } from '../../dispatch/leases.js';
import { isAttended, liveWorkers } from '../../dispatch/presence.js';
import { TroubleLines } from '../../dispatch/trouble-lines.js';
import { ulid } from '../../shared/ids.js';
import type { TeamStore } from '../../state/team-store.js';
import { unservedLine } from '../../team/show/status-processes.js';
import type { RedisLink } from '../engine/redis-link.js';
import { processesIn } from '../engine/served-folder.js';
import type { QueueHooks, TurnQueue } from '../turn-queue.js';
import { endProcessesFor, processesFor } from './old-processes.js';
import { unservedTurns } from './unserved.js';

export interface SharedTurnsParts extends QueueHooks {
  readonly team: string;
  readonly link: RedisLink;
  readonly store: TeamStore;
  /** Of the team on this machine: where processes of its tools are kept account of. */
  readonly folder: string;
  /** Ends processes of a turn that is about to be lost; gives those that it could not end. */
  readonly endProcesses?: typeof endProcessesFor;
  /** Of this process, for all teams it serves. */
  readonly queue: BullMqQueue;
}

export class SharedTurns implements TurnQueue {
  readonly #parts: SharedTurnsParts;
  readonly #due: DueTurns;
  readonly #agenda: Agenda;
  readonly #trouble: TroubleLines;
  #jobs: readonly TurnJob[] = [];
  /** Pools that a turn was asked for in: of each it is looked at once whether somebody is there. */
  readonly #pools = new Set<string>();
  /** What was told of turns that nobody takes. */
  #told: readonly string[] = [];
  #beat: NodeJS.Timeout | undefined;
  #lookedAt: number | undefined;
  #closed = false;

  constructor(parts: SharedTurnsParts) {
    this.#parts = parts;
    const { link, queue, team } = parts;
    this.#agenda = new Agenda(link);
    const tell = parts.tell ?? parts.trouble;
    this.#trouble = new TroubleLines((line) => tell(`${team}: ${line}`), link.clock);
    this.#due = new DueTurns({
      queue,
      clock: link.clock,
      againMs: link.place.timing.beatMs,
      onOverdue: ({ member }, times) => {
        if (times > NAMED_FROM) return; // It was said.
        tell(`${team}: ${member} is due, and no worker has taken its turn in ${times} tries`);
      },
    });
  }

  /** How many turns are due that nobody has begun, as it was asked last. */
  get asked(): number {
    return this.#jobs.length;
  }

  /** When it last looked after the team, on the monotonic clock; undefined before it is to. */
  get lookedAt(): number | undefined {
    return this.#lookedAt;
  }

  /** Looks after the team each beat from now on; who is told when to look does without. */
  go(): void {
    this.#lookedAt = this.#parts.link.clock.monotonicMs();
    this.#plan();
  }

  ask(jobs: readonly TurnJob[]): void {
    this.#jobs = jobs;
    void this.#due.look(jobs);
    const before = this.#pools.size;
    for (const { pool } of jobs) this.#pools.add(pool);
    if (this.#pools.size > before) void this.#tellUnserved();
  }

  /** Looks once: what others wrote, turns without a process, jobs that did not come. */
  async look(): Promise<void> {
    const { team, store, link } = this.#parts;
    await store.catchUp();
    await this.#loseTurns();
    if (this.#closed) return;
    await this.#due.look(this.#jobs);
    if (this.#jobs.length > 0) await this.#tellUnserved();
    await this.#parts.beat();
    const { phase } = store.state;
    // A team that has ended is still there, and is looked at no more.
    const over = phase.kind === 'ended' || phase.kind === 'archived';
    if (over) await this.#agenda.lookNever(team);
    // Others look only when nobody has for longer than it takes.
    else await this.#agenda.lookAfter(team, 2 * link.place.timing.beatMs);
  }

  isAttended(): Promise<boolean> {
    return isAttended(this.#parts.link, this.#parts.team);
  }

  async close(_deadlineMs: number): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#beat);
  }

  #plan(): void {
    if (this.#closed) return;
    this.#beat = setTimeout(() => {
      this.look()
        .then(() => {
          this.#lookedAt = this.#parts.link.clock.monotonicMs();
          this.#trouble.answered();
        })
        .catch((error: unknown) => this.#missed(error))
        .finally(() => this.#plan());
    }, this.#parts.link.place.timing.beatMs);
  }

  /** Says of turns that no live worker can take, once for as long as that is so. Never rejects. */
  async #tellUnserved(): Promise<void> {
    const { tell, link, store } = this.#parts;
    if (tell === undefined || this.#closed) return;
    try {
      const lines = unservedTurns(store.state, store.now(), await liveWorkers(link)).map(unservedLine);
      for (const line of lines) if (!this.#told.includes(line)) tell(line);
      this.#told = lines;
    } catch {
      // The server is away: whoever needs it says so.
    }
  }

  /** A look that came to nothing is made again at the next beat, as long as the record can be written. */
  #missed(error: unknown): void {
    if (this.#closed) return;
    if (this.#parts.store.failure === undefined) this.#trouble.hear(error);
    else this.#parts.failed(error);
  }

  /** A turn is lost when its lease is gone and it is older than one: so long a process may need to take it. */
  async #loseTurns(): Promise<void> {
    const { team, store, link } = this.#parts;
    const { leaseMs } = link.place.timing;
    for (const { name, life } of [...store.state.members.values()]) {
      if (life.kind !== 'working' || store.now() - life.startedAt < leaseMs) continue;
      if (await turnIsHeld(link, team, life.turn)) continue;
      if (this.#closed) return;
      await this.#loseTurn(name, life.turn);
    }
  }

  /**
   * What its tools have started on this machine is ended first: no two turns of a member work side by side where that can
   * be helped (case C58). What cannot be ended keeps its member from going on, and people are told.
   */
  async #loseTurn(member: string, turn: number): Promise<void> {
    const { store, link, folder, endProcesses = endProcessesFor } = this.#parts;
    const old = await processesFor(processesIn(folder), member);
    // Looked at after that: what was found there is of this turn, or of one before it, and of no later one.
    await store.catchUp();
    const life = store.state.members.get(member)?.life;
    if (life?.kind !== 'working' || life.turn !== turn) return;
    const left = await endProcesses(old);
    if (this.#closed) return;
    const of = { member, turn, olderThanMs: link.place.timing.leaseMs };
    if (left.length === 0) {
      const detail = 'no process has its lease any more';
      await store.send(`lose/${member}/${turn}`, { kind: 'turn.lose', ...of, detail });
      return;
    }
    const id = `defer/${member}/${turn}/${ulid(link.clock.wallMs())}`;
    const detail = `processes that it has started do not end: ${left.join(', ')}`;
    await store.send(id, { kind: 'turn.defer_reclaim', ...of, host: link.holder.host, detail });
  }
}
