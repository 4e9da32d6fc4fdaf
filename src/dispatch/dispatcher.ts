/**
 * The dispatcher port: who runs a job, and where. It has two sides, `JobQueue` for whoever knows what is due and
 * `JobRunner` for whoever does it; in process one object is both, over Redis they are in different processes.
 *
 * Promises of every implementation, held by `test/contracts/dispatcher.ts`:
 *  D1 no enqueue is swallowed: the job runs, or the answer says why it does not (C76);
 *  D2 an id is known from its enqueue until its end is written down, and no longer: what has settled never stands
 *     for a new job (C75);
 *  D3 jobs of a pool start in the order of their enqueues, never more than `concurrency` at once in a process;
 *  D4 a handler that fails costs its own job only, and `onError` hears of it when the job may be enqueued again;
 *  D5 after `close` nothing starts, and nothing of the dispatcher holds the process.
 *
 * The folder: `job.ts` what a job is · `in-process.ts` both sides in one process · over Redis `bullmq-queue.ts` and
 * `bullmq-workers.ts` (with `queue-link.ts` their connections, `pool-worker.ts`, `shared-slots.ts`, `job-failure.ts`,
 * `trouble-lines.ts`), `due-turns.ts` what was asked for already · `lease-keeper.ts`, `leases.ts` who may go on ·
 * `presence.ts` who is there · `agenda.ts` which teams to look at.
 */

import type { Job } from './job.js';

/**
 * `queued` it will run · `coalesced` a job of this id is there already, in the state named, which stands for this one
 * too · `closed` this side takes no more · `failed` the queue did not answer in time: nobody knows whether the job is
 * there, so it is to be enqueued again, which does no harm. Whoever is told `coalesced` looks at the state again once
 * that job has ended: it may have looked before the newest change.
 */
export type Enqueued =
  | { readonly kind: 'queued' }
  | { readonly kind: 'coalesced'; readonly existing: JobState }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Where a job is that has not settled: in the queue, put off for a while, or with a worker. */
export type JobState = 'waiting' | 'delayed' | 'active';

export interface JobQueue<One extends Job = Job> {
  /** Takes a job. Never runs a handler before returning, never rejects. */
  enqueue(job: One): Promise<Enqueued>;
  /** Takes no more; settles within `deadlineMs`. */
  close(deadlineMs: number): Promise<unknown>;
}

export interface JobRunner<One extends Job = Job> {
  /** How many handlers run now. */
  running(): number;
  /**
   * Starts nothing more, fires the signals of what runs and waits for it, at most `deadlineMs`. May be called again,
   * with another deadline. `unfinished` are the jobs whose handler has not settled, oldest first, then those that
   * only this process knew of and never started.
   */
  close(deadlineMs: number): Promise<{ readonly unfinished: readonly One[] }>;
}

export interface DispatcherOptions<One extends Job = Job> {
  /** Most handlers at once; a whole number from 1. */
  readonly concurrency: number;
  /** Runs one job. Must end soon after its signal fires. */
  readonly handler: (job: One, signal: AbortSignal) => Promise<void>;
  /**
   * Hears of a handler that threw, when the job will not be tried again by itself; it may enqueue the job again. Must
   * not throw. A job that `close` called off and that ends as `CancelledError` is no failure and is not told here.
   */
  readonly onError: (job: One, error: unknown) => void;
}

/** Both sides in one process. */
export interface Dispatcher<One extends Job = Job> extends JobQueue<One>, JobRunner<One> {
  /** Resolves when no job waits or runs; rejects with `CancelledError` when the signal fires first. */
  idle(signal: AbortSignal): Promise<void>;
  close(deadlineMs: number): Promise<{ readonly unfinished: readonly One[] }>;
}
