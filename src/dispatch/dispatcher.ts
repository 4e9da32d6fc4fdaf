/**
 * The dispatcher port: who runs a job, and where. Jobs are hints with ids only (spec/engine.md §2): what is to
 * be done stands in the team's state, so a lost, doubled or stale job does no harm.
 *
 * Promises of every implementation, held by `test/contracts/dispatcher.ts`:
 *  D1 no enqueue is swallowed: the job runs, or the answer says why it does not (C76);
 *  D2 an id is known from its enqueue until its handler has settled, and no longer (C75);
 *  D3 jobs start in the order of their enqueues, never more than `concurrency` at once;
 *  D4 a handler that fails costs its own job only, and `onError` hears of it after the id is free again;
 *  D5 after `close` nothing starts, and nothing of the dispatcher holds the process.
 */

/** "Go and look": a member may be due for a turn. */
export interface Job {
  /** Says what is due and why, so that the same reason is not run twice at once; at most one line of text. */
  readonly id: string;
  readonly kind: 'turn';
  /** Team id. */
  readonly team: string;
  readonly member: string;
  /** Number of the fact that made the member due. */
  readonly cause: number;
}

/**
 * `queued` it will run · `coalesced` a job of this id waits or runs, which stands for this one too · `closed`
 * the dispatcher takes no more. Whoever is told `coalesced` looks at the state again once that job has ended:
 * it may have looked before the newest change.
 */
export type Enqueued = 'queued' | 'coalesced' | 'closed';

export interface DispatcherOptions {
  /** Most handlers at once; a whole number from 1. */
  readonly concurrency: number;
  /** Runs one job. Must end soon after its signal fires. */
  readonly handler: (job: Job, signal: AbortSignal) => Promise<void>;
  /**
   * Hears of a handler that threw; the id is free by then, so it may enqueue the job again. Must not throw.
   * A job that `close` called off and that ends as `CancelledError` is no failure and is not told here.
   */
  readonly onError: (job: Job, error: unknown) => void;
}

export interface Dispatcher {
  /** Takes a job. Never runs the handler before returning. */
  enqueue(job: Job): Enqueued;
  /** How many handlers run now. */
  running(): number;
  /** Resolves when no job waits or runs; rejects with `CancelledError` when the signal fires first. */
  idle(signal: AbortSignal): Promise<void>;
  /**
   * Starts nothing more, fires the signals of what runs and waits for it, at most `deadlineMs`. May be called
   * again, with another deadline. `unfinished` are the jobs whose handler has not settled, oldest first, then
   * those that never started.
   */
  close(deadlineMs: number): Promise<{ readonly unfinished: readonly Job[] }>;
}
