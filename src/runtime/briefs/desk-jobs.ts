/**
 * Jobs for briefs: asked for in the queue of their pool, again at each beat while no runner has the brief (spec/engine.md §2).
 * One that waits there already stands for the new one; one that a runner had and did not take the brief by is counted on.
 */

import { BullMqQueue } from '../../dispatch/bullmq-queue.js';
import { askedAgain, briefJob, briefsPool, poolOfBriefs } from '../../dispatch/job.js';
import type { RedisLink } from '../engine/redis-link.js';

/** Never more jobs than this for one brief. */
const COPIES = 3;

export class DeskJobs {
  readonly #link: RedisLink;
  readonly #team: string;
  #queue: BullMqQueue | undefined;
  /** By brief: how often its job was with a runner when it was asked for. */
  readonly #met = new Map<string, number>();

  constructor(link: RedisLink, team: string) {
    this.#link = link;
    this.#team = team;
  }

  /** Asks for a runner. Rejects when the queue does not answer. */
  async ask({ brief, pool }: { readonly brief: string; readonly pool: string | null }): Promise<void> {
    const job = briefJob({ team: this.#team, brief, pool: poolOfBriefs(briefsPool({ pool })) });
    const met = this.#met.get(brief) ?? 0;
    const answer = await this.#open().enqueue(askedAgain(job, Math.min(COPIES, 1 + Math.floor(met / 2))));
    if (answer.kind === 'failed') throw answer.error;
    if (answer.kind === 'coalesced' && answer.existing === 'active') this.#met.set(brief, met + 1);
  }

  async close(): Promise<void> {
    await this.#queue?.close();
  }

  #open(): BullMqQueue {
    const { link } = { link: this.#link };
    this.#queue ??= new BullMqQueue({
      connect: () => link.connect('queue'),
      names: link.names,
      clock: link.clock,
      tracing: link.tracing,
      onTrouble: (line) => link.trouble.hear(new Error(line)),
    });
    return this.#queue;
  }
}
