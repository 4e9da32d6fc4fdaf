/**
 * The side of the queue that does jobs, over BullMQ: the pools that one process serves, with one number of jobs at once
 * for all of them.
 *
 *  W1 a job of BullMQ runs at least once: what makes it one turn is the fence of the record, never this;
 *  W2 a lost lock of BullMQ aborts nothing by itself: the owner proves its own lease, and only its loss aborts;
 *  W3 what this process cannot do goes back to the queue without spending a retry;
 *  W4 closing needs no answer of Redis.
 */

import { DelayedError, type Job as QueuedJob, UnrecoverableError, WaitingError } from 'bullmq';
import { cancelled } from '../shared/abort.js';
import type { Clock } from '../shared/clock.js';
import { BugError, CancelledError } from '../shared/errors.js';
import type { RedisNames } from '../shared/redis-names.js';
import { atMost } from './by-deadline.js';
import type { DispatcherOptions, JobRunner } from './dispatcher.js';
import { type Job, jobData, readJob } from './job.js';
import { delayBeforeRetry, isElsewhere, storedFailure } from './job-failure.js';
import { PoolWorker } from './pool-worker.js';
import { type Connect, QueueLink, queueOf } from './queue-link.js';
import { SharedSlots } from './shared-slots.js';
import type { QueueTracing } from './tracing.js';
import { TroubleLines } from './trouble-lines.js';

/** In milliseconds, all of them settable; what fits each other is said at each. */
export interface QueueTiming {
  /** How long a job belongs to a worker that does not answer; renewed at a quarter to half of it. */
  readonly lockMs: number;
  /** How long a job that this process cannot serve stays put off: one beat. */
  readonly beatMs: number;
  /** How often jobs of dead workers are looked for. */
  readonly stalledMs: number;
  /** How long an idle worker waits for a job before it asks again. */
  readonly idleMs: number;
  /** What the first retry waits, about; each further one twice as long. */
  readonly retryMs: number;
}

export const QUEUE_TIMING: QueueTiming = {
  lockMs: 60_000,
  beatMs: 10_000,
  stalledMs: 30_000,
  idleMs: 5_000,
  retryMs: 1_000,
};

export interface BullMqWorkersOptions<One extends Job> extends DispatcherOptions<One> {
  readonly connect: Connect;
  readonly names: RedisNames;
  readonly clock: Clock;
  /** At least one; a job of another pool is never seen. */
  readonly pools: readonly string[];
  /** Which jobs the handler takes; any other is failed. */
  readonly takes: (job: Job) => job is One;
  /**
   * Why this process cannot serve a job that its pool may: a label, a provider key, a version. Asked before the handler.
   * The job then goes back for one beat, without spending a retry.
   */
  readonly mismatch?: (job: One, signal: AbortSignal) => Promise<string | undefined>;
  /** Hears of a job that has gone back `times` times, from the third on. Must not throw. */
  readonly onMismatch?: (job: One, why: string, times: number) => void;
  /** BullMQ's lock of a running job is lost: whether its owner can prove its own lease. Should be quick. */
  readonly stillHeld: (job: One) => Promise<boolean>;
  /** Hears one line per trouble, for people. Must not throw. */
  readonly onTrouble: (line: string) => void;
  readonly timing?: Partial<QueueTiming>;
  /** Left out: nobody has asked for spans. */
  readonly tracing?: QueueTracing | undefined;
}

/** From this time on a job that goes back is named. */
const NAMED_FROM = 3;
/** A job whose workers died so often is given up; the state says anew what is due, and counts lost turns itself. */
const MOST_STALLED = 3;
/** How long the queue may take to hear of what has ended, once nothing runs any more. */
const SAY_GOODBYE_MS = 500;

/** The code of the reason with which a job is called off whose owner could not prove its lease. */
const LEASE_LOST = 'lease-lost';

interface Running<One> {
  readonly pool: string;
  readonly job: One;
  readonly control: AbortController;
}

type Ended =
  | { readonly kind: 'done' }
  | { readonly kind: 'called-off'; readonly lost: boolean }
  | { readonly kind: 'mismatch'; readonly why: string }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Begins to work at once. Refuses a concurrency that is not a whole number from 1, and no pool. */
export class BullMqWorkers<One extends Job> implements JobRunner<One> {
  readonly #options: BullMqWorkersOptions<One>;
  readonly #timing: QueueTiming;
  readonly #trouble: TroubleLines;
  readonly #link: QueueLink;
  readonly #slots: SharedSlots;
  /** By pool. */
  readonly #workers = new Map<string, PoolWorker>();
  /** By pool, when its worker last got an answer of the queue, on the monotonic clock. */
  readonly #progress = new Map<string, number>();
  /** Oldest first. An id alone names none: a member whose pool has changed may have the same job in both. */
  readonly #running = new Set<Running<One>>();
  readonly #failures = new WeakMap<QueuedJob, unknown>();
  readonly #settled = new Set<() => void>();
  #closing = false;

  constructor(options: BullMqWorkersOptions<One>) {
    const { concurrency, pools, clock, names } = options;
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new BugError('bad-concurrency', `concurrency ${concurrency} is not a whole number from 1`);
    }
    if (pools.length === 0) throw new BugError('no-pool', 'a worker without a pool would wait for ever');
    this.#options = options;
    this.#timing = { ...QUEUE_TIMING, ...options.timing };
    this.#trouble = new TroubleLines(options.onTrouble, clock);
    this.#link = new QueueLink(options.connect, names, (error) => this.#trouble.hear(error));
    this.#slots = new SharedSlots(concurrency);
    for (const pool of new Set(pools)) this.#workers.set(pool, this.#open(pool));
  }

  running(): number {
    return this.#running.size;
  }

  /**
   * When the queue last answered, on the monotonic clock: of the pools that are served now the one that is silent for
   * longest. An idle worker asks every `idleMs`, one with jobs at half of `lockMs` at least: whoever is silent for
   * much longer is stuck (case Q31).
   */
  progressAt(): number {
    const busy = new Set([...this.#running].map(({ pool }) => pool));
    const served = [...this.#progress].filter(([pool]) => busy.has(pool) || !this.#slots.isResting(pool));
    return Math.min(...served.map(([, at]) => at));
  }

  async close(deadlineMs: number): Promise<{ readonly unfinished: readonly One[] }> {
    this.#closing = true;
    this.#slots.close();
    for (const worker of this.#workers.values()) void worker.pause(true);
    for (const { control } of this.#running) {
      control.abort(new CancelledError('cancelled', 'the worker closes'));
    }
    await this.#quietWithin(deadlineMs);
    const unfinished = [...this.#running].map(({ job }) => job);
    // What has ended is told to the queue, when it listens. What has not is left to the check for stalled jobs.
    const forced = unfinished.length > 0;
    const goodbye = Promise.all([...this.#workers.values()].map((worker) => worker.close(forced)));
    await atMost(SAY_GOODBYE_MS, goodbye);
    this.#link.disconnect();
    await atMost(SAY_GOODBYE_MS, goodbye);
    return { unfinished: [...this.#running].map(({ job }) => job) };
  }

  #open(pool: string): PoolWorker {
    const { clock, concurrency, names, tracing } = this.#options;
    const { lockMs, stalledMs, idleMs, retryMs } = this.#timing;
    // The third parameter must be there by name: without it BullMQ makes no signal.
    const process = (queued: QueuedJob, token?: string, signal?: AbortSignal): Promise<void> =>
      this.#process(pool, queued, token ?? '', signal);
    const worker = new PoolWorker(
      queueOf(names, pool),
      process,
      {
        ...this.#link.options(),
        ...(tracing === undefined ? {} : { telemetry: tracing.telemetry }),
        concurrency,
        lockDuration: lockMs,
        stalledInterval: stalledMs,
        maxStalledCount: MOST_STALLED,
        drainDelay: idleMs / 1_000,
        // After an outage: how long a fetch or a report waits before it tries again.
        runRetryDelay: Math.min(idleMs, 1_000),
        settings: { backoffStrategy: (made, _type, error) => delayBeforeRetry(made, error, retryMs) },
      },
      this.#link.backend,
    );
    const progressed = (): void => {
      this.#progress.set(pool, clock.monotonicMs());
      this.#trouble.answered();
    };
    this.#progress.set(pool, clock.monotonicMs());
    worker.onProgress = progressed;
    worker.on('locksRenewed', progressed);
    worker.on('error', (error) => {
      if (!isElsewhere(error)) this.#trouble.hear(error);
    });
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) void this.#lockLost(pool, worker, id);
    });
    worker.on('failed', (queued, error) => this.#failed(queued, error));
    return worker;
  }

  async #process(pool: string, queued: QueuedJob, token: string, signal?: AbortSignal): Promise<void> {
    const id = queued.id ?? '';
    const read = readJob(id, queued.data);
    if (read === undefined || !this.#options.takes(read.job)) throw new UnrecoverableError('not-a-job');
    const { job } = read;
    if (this.#closing || !this.#slots.take(pool)) return this.#putBack(pool, queued, token);
    const control = new AbortController();
    const lost = (): void => control.abort(new CancelledError(LEASE_LOST, 'the lease of the job is lost'));
    signal?.addEventListener('abort', lost, { once: true });
    const running = { pool, job, control };
    this.#running.add(running);
    let ended: Ended;
    try {
      ended = await this.#run(job, control.signal);
    } finally {
      this.#running.delete(running);
      this.#slots.release();
      if (this.#running.size === 0) for (const wake of this.#settled) wake();
    }
    if (ended.kind === 'done') return;
    if (ended.kind === 'mismatch') return this.#giveBack(job, ended.why, read.givenBack + 1, queued, token);
    if (ended.kind === 'called-off') {
      // Without its lock the job is somebody else's already, or will be.
      if (!ended.lost) await queued.moveToWait(token);
      throw new WaitingError();
    }
    this.#failures.set(queued, ended.error);
    throw storedFailure(ended.error);
  }

  async #run(job: One, signal: AbortSignal): Promise<Ended> {
    const { handler, mismatch, tracing } = this.#options;
    const over = tracing?.began(job);
    try {
      const why = await mismatch?.(job, signal);
      if (why !== undefined) return { kind: 'mismatch', why };
      await handler(job, signal);
      return { kind: 'done' };
    } catch (error) {
      const calledOff = signal.aborted && error instanceof CancelledError;
      if (!calledOff) return { kind: 'failed', error };
      return { kind: 'called-off', lost: cancelled(signal).code === LEASE_LOST };
    } finally {
      over?.();
    }
  }

  /** There is no slot for a job of this pool: it is the next in the queue again, and the pool rests. */
  async #putBack(pool: string, queued: QueuedJob, token: string): Promise<never> {
    const worker = this.#workers.get(pool);
    if (!this.#closing && worker !== undefined) {
      void worker.pause(true);
      this.#slots.rest(pool, () => this.#wake(worker));
    }
    await queued.moveToWait(token);
    throw new WaitingError();
  }

  #wake(worker: PoolWorker): void {
    void worker.resume();
    // Its loop may have been about to end: then nobody else starts it again.
    setImmediate(() => {
      if (this.#closing || worker.isRunning() || worker.isPaused()) return;
      worker.run().catch((error: unknown) => this.#trouble.hear(error));
    });
  }

  async #giveBack(job: One, why: string, times: number, queued: QueuedJob, token: string): Promise<never> {
    if (times >= NAMED_FROM) this.#options.onMismatch?.(job, why, times);
    await queued.updateData({ ...jobData(job), givenBack: times });
    await queued.moveToDelayed(this.#options.clock.wallMs() + this.#timing.beatMs, token);
    throw new DelayedError();
  }

  async #lockLost(pool: string, worker: PoolWorker, id: string): Promise<void> {
    const running = [...this.#running].find((one) => one.pool === pool && one.job.id === id);
    if (running === undefined) return;
    let held = false;
    try {
      held = await this.#options.stillHeld(running.job);
    } catch (error) {
      this.#trouble.hear(error); // Not proved is not held.
    }
    if (!held) worker.cancelJob(id);
  }

  #failed(queued: QueuedJob | undefined, stored: Error): void {
    if (queued === undefined || queued.finishedOn === undefined) return; // It will be tried again.
    const read = readJob(queued.id ?? '', queued.data);
    if (read !== undefined && this.#options.takes(read.job)) {
      this.#options.onError(read.job, this.#failures.get(queued) ?? stored);
      return;
    }
    this.#trouble.hear(new BugError('not-a-job', `${queued.queueName} held a job that is none of ours`));
  }

  async #quietWithin(deadlineMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    let wake = (): void => {};
    const quiet = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#settled.add(wake);
    await atMost(deadlineMs, quiet);
    this.#settled.delete(wake);
  }
}
