/**
 * The due turns of one team, as this process has asked for them: a look with nothing new asks for nothing, a member
 * that is still due a sweep later without a turn is asked for again under a counted id, and one that was asked for
 * three times is named (spec/engine.md §2). So a job that the queue lost costs one sweep, and one that nobody takes is
 * seen. Nothing here is recorded: after a restart the count begins again, which does no harm.
 */

import type { Clock } from '../shared/clock.js';
import type { Enqueued, JobQueue } from './dispatcher.js';
import { askedAgain, type TurnJob } from './job.js';

export interface DueTurnsOptions {
  readonly queue: JobQueue<TurnJob>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** How long a job may take to become a turn before it is asked for again: the interval of sweeps, in milliseconds. */
  readonly againMs: number;
  /**
   * Hears of a job that was asked for so many times, from the third on, and what the queue answered; from the fourth on
   * that says where its job stands: `queued` that it had ended without a turn. Must not throw.
   */
  readonly onOverdue: (job: TurnJob, times: number, answer: Enqueued) => void;
}

/** From this time of asking on a due member is named. */
export const NAMED_FROM = 3;

interface Asked {
  readonly job: TurnJob;
  times: number;
  atMs: number;
  /** The queue has not answered yet. */
  pending: boolean;
}

export class DueTurns {
  readonly #options: DueTurnsOptions;
  /** By the id of the first time of asking. */
  readonly #asked = new Map<string, Asked>();

  constructor(options: DueTurnsOptions) {
    this.#options = options;
  }

  /**
   * Sees to it that each of these jobs was asked for.
   * @param due every turn of the team that should exist now; what stands in it no more has its turn and is forgotten
   * @returns what the queue answered to those that were asked for now
   */
  async look(due: readonly TurnJob[]): Promise<readonly Enqueued[]> {
    const ids = new Set(due.map(({ id }) => id));
    for (const id of this.#asked.keys()) if (!ids.has(id)) this.#asked.delete(id);
    const now = this.#options.clock.monotonicMs();
    const answers: Promise<Enqueued>[] = [];
    for (const job of due) {
      const asked = this.#asked.get(job.id);
      if (asked === undefined) {
        const first = { job, times: 0, atMs: now, pending: false };
        this.#asked.set(job.id, first);
        answers.push(this.#ask(first, now));
      } else if (!asked.pending && now - asked.atMs >= this.#options.againMs) {
        answers.push(this.#ask(asked, now));
      }
    }
    return Promise.all(answers);
  }

  async #ask(asked: Asked, now: number): Promise<Enqueued> {
    const { queue, onOverdue } = this.#options;
    asked.pending = true;
    asked.atMs = now;
    asked.times++;
    // Never more jobs than this for one cause: a queue that is merely slow is not filled with copies.
    const answer = await queue.enqueue(askedAgain(asked.job, Math.min(asked.times, NAMED_FROM)));
    asked.pending = false;
    // Not known to have arrived: that was no time of asking, and the next look asks again.
    if (answer.kind === 'failed') this.#asked.delete(asked.job.id);
    else if (answer.kind !== 'closed' && asked.times >= NAMED_FROM) onOverdue(asked.job, asked.times, answer);
    return answer;
  }
}
