/**
 * The side of the queue that takes jobs, over BullMQ: one queue per pool.
 *
 * An add whose id exists in any state is silently nothing there. So each add asks just before whether the id is free, on
 * the same line; whoever comes between the two asks for the same turn. What has settled under it (failed jobs are kept a day for people to look at) never stands for
 * the new one: that gets the id of the next time of asking.
 */

import { type JobsOptions, Queue, Job as QueuedJob, type QueueOptions, SpanKind } from 'bullmq';
import { deadlineAfter } from '../shared/abort.js';
import type { Clock } from '../shared/clock.js';
import { RetryableError } from '../shared/errors.js';
import type { RedisNames } from '../shared/redis-names.js';
import { byDeadline } from './by-deadline.js';
import type { Enqueued, JobQueue, JobState } from './dispatcher.js';
import { askedAgain, type Job, jobData, jobName, timesAsked } from './job.js';
import { type Connect, QueueLink, queueOf } from './queue-link.js';
import { jobAttributes, type QueueTracing } from './tracing.js';
import { TroubleLines } from './trouble-lines.js';

export interface BullMqQueueOptions {
  readonly connect: Connect;
  readonly names: RedisNames;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Hears one line per trouble, for people. Must not throw. */
  readonly onTrouble: (line: string) => void;
  /** How long an enqueue may take before it is answered `failed`, in milliseconds. */
  readonly answerMs?: number;
  /** Left out: nobody has asked for spans. */
  readonly tracing?: QueueTracing | undefined;
}

const ANSWER_MS = 5_000;
/** Handlers fail in passing at most this often before the job is given up; the state says anew what is due. */
const ATTEMPTS = 5;
const FAILED_KEPT = { age: 24 * 3600, count: 1000 };
/** BullMQ's stream of events is for dashboards; each entry names a job, so this bounds its bytes (case Q25). */
const EVENTS_KEPT = 1000;

const JOB_OPTIONS: JobsOptions = {
  attempts: ATTEMPTS,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: FAILED_KEPT,
  // Texts of errors, and so their traces, may hold what must not stand in Redis (invariant 8).
  stackTraceLimit: 0,
};

export class BullMqQueue implements JobQueue {
  readonly #names: RedisNames;
  readonly #link: QueueLink;
  readonly #trouble: TroubleLines;
  readonly #answerMs: number;
  readonly #telemetry: Pick<QueueOptions, 'telemetry'>;
  /** By pool. */
  readonly #queues = new Map<string, Queue>();
  #closed = false;

  constructor({ connect, names, clock, onTrouble, answerMs = ANSWER_MS, tracing }: BullMqQueueOptions) {
    this.#names = names;
    this.#trouble = new TroubleLines(onTrouble, clock);
    this.#link = new QueueLink(connect, names, (error) => this.#trouble.hear(error));
    this.#answerMs = answerMs;
    this.#telemetry = tracing === undefined ? {} : { telemetry: tracing.telemetry };
  }

  async enqueue(job: Job): Promise<Enqueued> {
    if (this.#closed) return { kind: 'closed' };
    try {
      const answer = await this.#asked(() => this.#add(job));
      this.#trouble.answered();
      return answer;
    } catch (error) {
      if (this.#closed) return { kind: 'closed' };
      this.#link.heard(error);
      return { kind: 'failed', error };
    }
  }

  /** How many jobs of a pool wait, are put off or are with a worker. Rejects when Redis is away. */
  async counts(pool: string): Promise<Readonly<Record<JobState, number>>> {
    await this.#link.ready(deadlineAfter(this.#answerMs));
    const {
      waiting = 0,
      delayed = 0,
      active = 0,
    } = await this.#queue(pool).getJobCounts('waiting', 'delayed', 'active');
    return { waiting, delayed, active };
  }

  /** Ends its connections at once: an enqueue without an answer by now has nobody who would use it. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#link.disconnect();
    await Promise.allSettled([...this.#queues.values()].map((queue) => queue.close()));
  }

  /** Waits for the server first: nothing is asked of a client that would keep the question for later. */
  #asked<T>(ask: () => Promise<T>): Promise<T> {
    return byDeadline(this.#answerMs, async (deadline) => {
      await this.#link.ready(deadline);
      return ask();
    });
  }

  async #add(job: Job): Promise<Enqueued> {
    const queue = this.#queue(job.pool);
    for (let times = timesAsked(job); times < timesAsked(job) + FAILED_KEPT.count; times++) {
      const asked = askedAgain(job, times);
      if (await addNew(queue, asked)) return { kind: 'queued' };
      const state = await queue.getJobState(asked.id);
      if (state === 'waiting' || state === 'delayed' || state === 'active') {
        return { kind: 'coalesced', existing: state };
      }
      // It has ended between the two questions, without a trace: the id is free.
      if (state === 'unknown') times--;
    }
    throw new RetryableError('job-fails', `${job.id} has failed ${FAILED_KEPT.count} times within a day`);
  }

  #queue(pool: string): Queue {
    const known = this.#queues.get(pool);
    if (known !== undefined) return known;
    const streams = { events: { maxLen: EVENTS_KEPT } };
    const options = { ...this.#link.options(), ...this.#telemetry, streams };
    const queue = new Queue(queueOf(this.#names, pool), options, this.#link.backend);
    queue.on('error', (error) => this.#trouble.hear(error));
    this.#queues.set(pool, queue);
    return queue;
  }
}

/**
 * Adds a job unless its id exists in any state; says which. One round trip, of two commands: a transaction costs twice that.
 * Where spans are asked for, that of the job's run is a child of the one here, by what the job says of it.
 */
async function addNew(queue: Queue, job: Job): Promise<boolean> {
  const client = await queue.getBackend().client;
  const name = jobName(job);
  return queue.trace(SpanKind.PRODUCER, 'add', `${queue.name}.${name}`, async (span, metadata) => {
    span?.setAttributes(jobAttributes(job));
    const options = metadata === undefined ? JOB_OPTIONS : { ...JOB_OPTIONS, telemetry: { metadata } };
    const queued = new QueuedJob(queue, name, jobData(job), options, job.id);
    const [exists] = await Promise.all([
      client.runCommand('exists', [queue.toKey(job.id)]),
      queued.addJob(client, {}),
    ]);
    return exists === 0;
  });
}
