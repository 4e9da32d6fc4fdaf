/**
 * The dispatcher of the embedded engine: jobs run in this process, first come first served.
 *
 * A job is in exactly one of two maps, `#waiting` or `#running`, from its enqueue until its handler has settled;
 * both are keyed by id, and both empty is what *idle* means. Lost with the process, which is no loss: the state
 * says anew what is due.
 */

import { cancelled, orAborted, sleep } from '../shared/abort.js';
import { BugError, CancelledError } from '../shared/errors.js';
import type { Dispatcher, DispatcherOptions, Enqueued, Job } from './dispatcher.js';

interface Running {
  readonly job: Job;
  readonly control: AbortController;
}

/** Runs jobs on this process's event loop. Refuses a concurrency that is not a whole number from 1. */
export class InProcessDispatcher implements Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #waiting = new Map<string, Job>();
  readonly #running = new Map<string, Running>();
  readonly #idleWaiters = new Set<() => void>();
  /** Jobs that waited when `close` came; undefined until then. */
  #neverStarted: readonly Job[] | undefined;

  constructor(options: DispatcherOptions) {
    if (!Number.isInteger(options.concurrency) || options.concurrency < 1) {
      throw new BugError(
        'bad-concurrency',
        `concurrency ${options.concurrency} is not a whole number from 1`,
      );
    }
    this.#options = options;
  }

  enqueue(job: Job): Enqueued {
    if (this.#neverStarted !== undefined) return 'closed';
    if (this.#waiting.has(job.id) || this.#running.has(job.id)) return 'coalesced';
    this.#waiting.set(job.id, job);
    // Not here and now: the caller may be in the middle of a change that the handler would look at.
    queueMicrotask(() => this.#startDue());
    return 'queued';
  }

  running(): number {
    return this.#running.size;
  }

  async idle(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw cancelled(signal);
    if (this.#isIdle()) return;
    await this.#whenIdle(signal);
  }

  async close(deadlineMs: number): Promise<{ readonly unfinished: readonly Job[] }> {
    this.#neverStarted ??= [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { control } of this.#running.values()) {
      control.abort(new CancelledError('cancelled', 'the dispatcher closes'));
    }
    if (this.#isIdle()) this.#wakeIdle();
    await this.#idleWithin(deadlineMs);
    return { unfinished: [...[...this.#running.values()].map(({ job }) => job), ...this.#neverStarted] };
  }

  #startDue(): void {
    for (const job of this.#waiting.values()) {
      if (this.#running.size >= this.#options.concurrency) return;
      this.#waiting.delete(job.id);
      void this.#run(job);
    }
  }

  async #run(job: Job): Promise<void> {
    const control = new AbortController();
    this.#running.set(job.id, { job, control });
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.#options.handler(job, control.signal);
    } catch (error) {
      const calledOff = control.signal.aborted && error instanceof CancelledError;
      if (!calledOff) failure = { error };
    }
    this.#running.delete(job.id);
    try {
      if (failure !== undefined) this.#options.onError(job, failure.error);
    } finally {
      this.#startDue();
      if (this.#isIdle()) this.#wakeIdle();
    }
  }

  #isIdle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  #wakeIdle(): void {
    for (const wake of this.#idleWaiters) wake();
    this.#idleWaiters.clear();
  }

  async #whenIdle(signal: AbortSignal): Promise<void> {
    let wake = (): void => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#idleWaiters.add(wake);
    try {
      await orAborted(woken, signal);
    } finally {
      this.#idleWaiters.delete(wake);
    }
  }

  /** Whichever comes first; the loser's timer or listener goes with it. */
  async #idleWithin(deadlineMs: number): Promise<void> {
    if (this.#isIdle()) return;
    const decided = new AbortController();
    const both = [this.#whenIdle(decided.signal), sleep(deadlineMs, decided.signal)];
    await Promise.race(both);
    decided.abort();
    await Promise.allSettled(both);
  }
}
