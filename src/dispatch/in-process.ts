/**
 * The dispatcher of the embedded engine: jobs run in this process, first come first served.
 *
 * A job is in exactly one of two maps, `#waiting` or `#running`, from its enqueue until its handler has settled;
 * both are keyed by id, and both empty is what *idle* means. Lost with the process, which is no loss: the state
 * says anew what is due.
 */

import { cancelled, orAborted, sleep } from '../shared/abort.js';
import { BugError, CancelledError } from '../shared/errors.js';
import type { Dispatcher, DispatcherOptions, Enqueued } from './dispatcher.js';
import type { Job } from './job.js';

interface Running<One> {
  readonly job: One;
  readonly control: AbortController;
}

/** Runs jobs on this process's event loop. Refuses a concurrency that is not a whole number from 1. */
export class InProcessDispatcher<One extends Job> implements Dispatcher<One> {
  readonly #options: DispatcherOptions<One>;
  readonly #waiting = new Map<string, One>();
  readonly #running = new Map<string, Running<One>>();
  readonly #idleWaiters = new Set<() => void>();
  /** Jobs that waited when `close` came; undefined until then. */
  #neverStarted: readonly One[] | undefined;

  constructor(options: DispatcherOptions<One>) {
    if (!Number.isInteger(options.concurrency) || options.concurrency < 1) {
      throw new BugError(
        'bad-concurrency',
        `concurrency ${options.concurrency} is not a whole number from 1`,
      );
    }
    this.#options = options;
  }

  /** The job is taken when this returns, whenever the answer is looked at. */
  enqueue(job: One): Promise<Enqueued> {
    return Promise.resolve(this.#take(job));
  }

  running(): number {
    return this.#running.size;
  }

  async idle(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw cancelled(signal);
    if (this.#isIdle()) return;
    await this.#whenIdle(signal);
  }

  async close(deadlineMs: number): Promise<{ readonly unfinished: readonly One[] }> {
    this.#neverStarted ??= [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { control } of this.#running.values()) {
      control.abort(new CancelledError('cancelled', 'the dispatcher closes'));
    }
    if (this.#isIdle()) this.#wakeIdle();
    await this.#idleWithin(deadlineMs);
    return { unfinished: [...[...this.#running.values()].map(({ job }) => job), ...this.#neverStarted] };
  }

  #take(job: One): Enqueued {
    if (this.#neverStarted !== undefined) return { kind: 'closed' };
    if (this.#waiting.has(job.id)) return { kind: 'coalesced', existing: 'waiting' };
    if (this.#running.has(job.id)) return { kind: 'coalesced', existing: 'active' };
    this.#waiting.set(job.id, job);
    // Not here and now: the caller may be in the middle of a change that the handler would look at.
    queueMicrotask(() => this.#startDue());
    return { kind: 'queued' };
  }

  #startDue(): void {
    for (const job of this.#waiting.values()) {
      if (this.#running.size >= this.#options.concurrency) return;
      this.#waiting.delete(job.id);
      void this.#run(job);
    }
  }

  async #run(job: One): Promise<void> {
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
