/**
 * Moves a team on: after every durable entry it asks which turns should exist, hands them to the queue, and
 * looks whether the run has come to an end (architecture "The wheel"). It decides nothing itself.
 *
 *  K1 a job is a hint: the same due member may be enqueued twice, the state lets one turn happen;
 *  K2 a job that the state refused is not tried again before the state has changed;
 *  K3 nothing is looked at on a clock but what `nextTimer` names: an idle team costs nothing,
 *     and facts that make nobody due are not looked at;
 *  K4 nothing moves before `go`: a team that could not be opened whole has run no turn.
 */

import { ANYWHERE, poolOfHost, type TurnJob, turnJob } from '../dispatch/job.js';
import type { TeamStore } from '../state/team-store.js';
import type { MissingArtifact } from '../team/command.js';
import { decide } from '../team/decide.js';
import type { Decision } from '../team/decision.js';
import { nextJobs, nextTimer, type TurnJob as Wanted } from '../team/next-jobs.js';
import { areQuiet } from '../team/quiet-facts.js';
import type { TeamState } from '../team/show/view.js';

export interface CoordinatorHouse {
  readonly team: string;
  readonly store: TeamStore;
  /** Sees to it that these turns come to be: all that should exist now. What was asked for before may be asked again. */
  ask(jobs: readonly TurnJob[]): void;
  /** Whether the end of the run is this process's to see to; of several that serve a team it is one's. */
  maySweep(): Promise<boolean>;
  /** Whether somebody is there to answer requests. */
  operatorPresent(): boolean;
  /** What a model's script still holds when the team is about to end well; each line says where. */
  leftover(): Promise<readonly string[]>;
  /** Artifacts of completed tasks that are not there now; asked when the team is about to end well. */
  missingArtifacts(): Promise<readonly MissingArtifact[]>;
  /** The store cannot be written: the team cannot go on here. */
  onFailure(error: unknown): void;
}

/** The longest a timer of Node can wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Coordinator {
  readonly #house: CoordinatorHouse;
  readonly #stopListening: () => void;
  /** By member, the cause of a job that was refused, and the state number at which that was. */
  readonly #refused = new Map<string, { readonly cause: number; readonly at: number }>();
  /** By member, as it was asked for last: most looks find the same members due. */
  #asked: ReadonlyMap<string, TurnJob> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #scheduled = false;
  #moving = false;
  #closed = false;

  constructor(house: CoordinatorHouse) {
    this.#house = house;
    this.#stopListening = house.store.onEntry(
      ({ facts }) => {
        if (!areQuiet(house.store.state, facts)) this.look();
      },
      (error) => house.onFailure(error),
    );
  }

  /** Begins to move the team. */
  go(): void {
    this.#moving = true;
    this.look();
  }

  /** Looks soon, once, however often it is asked. */
  look(): void {
    if (!this.#moving || this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#closed) this.#lookNow();
    });
  }

  /** A job has ended; `ran` is false when the state refused it. */
  jobEnded(job: TurnJob, ran: boolean): void {
    if (!ran) this.#refused.set(job.member, { cause: job.cause, at: this.#house.store.state.next });
    this.look();
  }

  close(): void {
    this.#closed = true;
    this.#stopListening();
    clearTimeout(this.#timer);
  }

  #lookNow(): void {
    const { store } = this.#house;
    const { state } = store;
    // One time for both questions: what became due between two would have neither a job nor a timer.
    const now = store.now();
    const due = new Map<string, TurnJob>();
    for (const wanted of nextJobs(state, now)) {
      const { member, cause } = wanted;
      // The clock alone makes a member due for another cause: what was refused before says nothing of that.
      const refused = this.#refused.get(member);
      if (refused?.at === state.next && refused.cause === cause) continue;
      due.set(member, this.#jobOf(wanted));
    }
    this.#asked = due;
    const jobs = [...due.values()];
    this.#house.ask(jobs);
    this.#setTimer(now);
    const { phase } = state;
    if (phase.kind === 'ended' || phase.kind === 'archived') return;
    // After the second word the end waits for nobody: a turn that does not obey its signal holds nothing up.
    const forced = phase.kind === 'stopping' && phase.forced;
    if (forced || (jobs.length === 0 && !somebodyWorks(state))) this.#sweep();
  }

  #jobOf({ member, cause, place }: Wanted): TurnJob {
    const { team, store } = this.#house;
    const pool = typeof place === 'object' ? poolOfHost(place.host) : ANYWHERE;
    const before = this.#asked.get(member);
    if (before?.cause === cause && before.pool === pool) return before;
    const role = store.state.members.get(member)?.seat.role ?? member;
    return turnJob({ team, member, role, cause, pool });
  }

  #sweep(): void {
    this.#sweepOnce().catch((error: unknown) => this.#house.onFailure(error));
  }

  async #sweepOnce(): Promise<void> {
    const { store } = this.#house;
    if (!(await this.#house.maySweep()) || this.#closed) return;
    const id = `sweep/${store.state.next}`;
    const operatorPresent = this.#house.operatorPresent();
    const sweep = { kind: 'run.sweep', operatorPresent, missingArtifacts: [] } as const;
    if (endsWell(decide(store.state, id, sweep, store.now()))) {
      // A script that was not played to its end is a failure of the run, whatever the board says (team.md §9).
      const left = await this.#house.leftover();
      if (left.length > 0) {
        const detail = `steps of the script were never used: ${left.join('; ')}`;
        await store.send(`${id}/leftover`, { kind: 'run.fail', cause: 'error', detail });
        return;
      }
      const missingArtifacts = await this.#house.missingArtifacts();
      await store.send(id, { ...sweep, missingArtifacts });
      return;
    }
    await store.send(id, sweep);
  }

  #setTimer(now: number): void {
    clearTimeout(this.#timer);
    const at = nextTimer(this.#house.store.state, now);
    if (at === undefined) return;
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(1, at - now));
    this.#timer = setTimeout(() => {
      this.#sweep();
      this.look();
    }, wait);
  }
}

function somebodyWorks({ members }: TeamState): boolean {
  for (const { life } of members.values()) if (life.kind === 'working') return true;
  return false;
}

function endsWell(decision: Decision): boolean {
  return (
    decision.kind === 'accepted' &&
    decision.facts.some(
      (fact) => fact.type === 'run.ended' && (fact.reason === 'done' || fact.reason === 'partial'),
    )
  );
}
