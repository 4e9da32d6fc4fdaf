/**
 * A runner that stands (spec/runner.md §3, §5): takes briefs of its pool from Redis, as many at once as it has slots, and brings
 * what comes of them to their teams. It reads no record: what it knows of a team is the signed brief and what it is told of it.
 *
 * This file is its life: it begins, looks each beat, is drained, and ends. Beside it
 *  - `runner-registration.ts` says who it is, and that no other process is it;
 *  - `brief-choice.ts` leaves to others what it may not take;
 *  - `running-briefs.ts` takes a brief and works on it, and tells of it through `runner-voice.ts`;
 *  - `deliveries.ts` brings the results;
 *  - `folder-upkeep.ts` removes what was kept long enough.
 */

import type { RunnerHouse } from '../../delegate/runner/runner-house.js';
import { BullMqWorkers } from '../../dispatch/bullmq-workers.js';
import { atMost } from '../../dispatch/by-deadline.js';
import { type BriefJob, isBriefJob, poolOfBriefs } from '../../dispatch/job.js';
import { leave } from '../../dispatch/presence.js';
import { type OfTeam, RunnerPost } from '../../dispatch/runner-post.js';
import { isDrained, undrain } from '../../dispatch/runners.js';
import { sleep } from '../../shared/abort.js';
import { CancelledError, errorText } from '../../shared/errors.js';
import { Releases } from '../../shared/releases.js';
import type { AcceptedKey } from '../../shared/signature.js';
import { openLink, type RedisLink } from '../engine/redis-link.js';
import type { House, RedisPlace } from '../house.js';
import { countedJobs } from '../operations/counted-jobs.js';
import { type Progress, progressOf } from '../operations/health.js';
import type { Operations } from '../operations/operations.js';
import { meterWorker } from '../workers/worker-meters.js';
import { BriefChoice } from './brief-choice.js';
import { Deliveries } from './deliveries.js';
import { keepInOrder } from './folder-upkeep.js';
import { type LastDone, poolOf, registerAs } from './runner-registration.js';
import { STOPPED } from './runner-voice.js';
import { RunningBriefs } from './running-briefs.js';
import { keysForBrief } from './team-keys.js';

export interface StandingOptions {
  /** What operators see of this process; left out: they have not asked. */
  readonly operations?: Operations;
  /** Briefs at once; a whole number from 1. */
  readonly concurrency: number;
  /** What runs gets when it is told to stop, to come to its end or to be ended, in milliseconds. */
  readonly graceMs: number;
  /** What was kept of a brief goes after so long, in milliseconds. */
  readonly keepMs: number;
  readonly version: string;
  /** Engineers that can be started here, by kind, with their versions. */
  readonly engineers: Readonly<Record<string, string | null>>;
  /** Whose briefs are taken, as it is said now. */
  keys(): Promise<readonly AcceptedKey[]>;
  /** For people; must not throw. */
  note(text: string): void;
  /** It is not to begin after all. */
  readonly stopped: AbortSignal;
}

/** How long its registration may take to go, in milliseconds: the server may not answer. */
const LEAVE_MS = 300;
/** How long results may take to be taken when it is told to stop; what is not then, waits in the outbox. */
const TAKE_MS = 800;
/** Behind the grace: for what has ended to be written down, and for all that is said to a server. */
const REPORT_MS = 500;
const AFTER_MS = 1_500;

/** As long as one timer holds. */
const LONGEST_MS = 2 ** 31 - 1;

export class StandingRunner {
  readonly id: string;
  /** Resolves when it was drained and has nothing to do any more. */
  readonly drained: Promise<void>;
  readonly #runner: RunnerHouse;
  readonly #options: StandingOptions;
  readonly #link: RedisLink;
  readonly #deliveries: Deliveries;
  readonly #choice: BriefChoice;
  readonly #briefs: RunningBriefs;
  readonly #releases = new Releases();
  /** Fires when what runs is to come to its end. */
  readonly #stop = new AbortController();
  #workers: BullMqWorkers<BriefJob> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When it last looked whether it was drained, on the monotonic clock. */
  #lookedAt: number;
  #lastDone: LastDone | null = null;
  #draining = false;
  #closing: Promise<number> | undefined;
  /** What earlier processes have died over is reported. */
  #reportedLeft = false;
  #setDrained: () => void = () => {};

  /**
   * Registers, takes up what was left, and begins to take briefs. Rejects as `openLink` does, and with `FatalError`
   * `runner-lives` when a process lives under this identity.
   */
  static async start(
    house: Pick<House, 'clock' | 'hostname'>,
    place: RedisPlace,
    runner: RunnerHouse,
    options: StandingOptions,
  ): Promise<StandingRunner> {
    const link = await openLink(house, place, { onTrouble: options.note, stopped: options.stopped });
    const standing = new StandingRunner(link, runner, options);
    try {
      await standing.#begin();
      return standing;
    } catch (error) {
      await standing.#releases.run();
      throw error;
    }
  }

  private constructor(link: RedisLink, runner: RunnerHouse, options: StandingOptions) {
    this.#link = link;
    this.#runner = runner;
    this.#options = options;
    this.id = runner.identity.name;
    this.#lookedAt = link.clock.monotonicMs();
    this.drained = new Promise((resolve) => {
      this.#setDrained = resolve;
    });
    const { clock } = link;
    const { leaseMs, beatMs } = link.place.timing;
    const { note, graceMs } = options;
    const post = new RunnerPost(link, this.id);
    const onTrouble = (error: unknown): void => link.trouble.hear(error);
    const keys = async (of: OfTeam): Promise<readonly AcceptedKey[]> =>
      keysForBrief(post, of, await options.keys());
    this.#deliveries = new Deliveries({ runner, post, clock, leaseMs, beatMs, note, onTrouble });
    this.#choice = new BriefChoice({ runner, post, clock, leaseMs, keys });
    this.#briefs = new RunningBriefs({
      runner,
      post,
      deliveries: this.#deliveries,
      stop: this.#stop.signal,
      finishMs: Math.floor(graceMs / 2),
      keys,
      notMine: (brief, why) => this.#choice.notMine(brief, why),
      onProgress: (text) => {
        this.#lastDone = { text, at: clock.monotonicMs() };
      },
      onTrouble,
      note,
    });
    this.#releases.add('connection', () => link.close());
  }

  /** What it does again and again, and since when it has not; one that is drained asks its queue for nothing more. */
  progress(): readonly Progress[] {
    const queue = this.#draining ? undefined : this.#workers?.progressAt();
    return progressOf(this.#link.clock.monotonicMs(), { queue, look: this.#lookedAt });
  }

  /**
   * Ends: nothing new is taken, what runs gets its grace and is called off, what has come of it is brought as far as that can
   * be.
   * @returns how many results wait in the outbox, and how many briefs have none
   */
  close(): Promise<number> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #begin(): Promise<void> {
    const link = this.#link;
    const { concurrency, keepMs, version, engineers, operations, note, stopped } = this.#options;
    const registration = {
      ...{ link, runner: this.#runner, slots: concurrency, version, engineers },
      now: () => ({
        running: this.#briefs.size,
        draining: this.#draining,
        answeredAt: this.#workers?.progressAt(),
        lastDone: this.#lastDone,
      }),
    };
    const lease = await registerAs(registration, stopped);
    this.#releases.add('registration', () => atMost(LEAVE_MS, leave(link, lease)));
    await undrain(link, this.id);
    await this.#deliveries.begin();
    this.#workers = this.#takeBriefs();
    meterWorker(operations?.meters, link, 'bnerd_briefs_running', {
      running: () => this.#briefs.size,
      progress: () => this.progress(),
      isOver: () => this.#closing !== undefined,
    });
    const endUpkeep = keepInOrder({ runner: this.#runner, keepMs, note });
    this.#releases.add('upkeep', () => atMost(LEAVE_MS, endUpkeep()));
    this.#reportLeft();
    this.#plan();
  }

  #takeBriefs(): BullMqWorkers<BriefJob> {
    const link = this.#link;
    const { concurrency, note, operations } = this.#options;
    const { beatMs, leaseMs } = link.place.timing;
    return new BullMqWorkers<BriefJob>({
      connect: () => link.connect('blocking'),
      names: link.names,
      clock: link.clock,
      tracing: operations?.tracing,
      pools: [poolOfBriefs(poolOf(this.#runner))],
      concurrency,
      takes: isBriefJob,
      ...countedJobs<BriefJob>(operations, {
        mismatch: ({ team, brief }) => this.#choice.lacks({ team, brief }),
        handler: ({ team, brief }) => this.#briefs.run({ team, brief }),
        onError: ({ brief }, error) => note(`${brief}: ${errorText(error)}`),
      }),
      onMismatch: ({ brief }, why) => note(`${brief} goes back to the queue: ${why}`),
      // Who has a brief is said by a key of ours, not by the queue.
      stillHeld: async () => true,
      onTrouble: note,
      timing: { beatMs, lockMs: leaseMs, stalledMs: Math.max(beatMs, Math.floor(leaseMs / 2)) },
    });
  }

  /** Looks each beat whether it was drained. */
  #plan(): void {
    this.#timer = setTimeout(() => {
      this.#reportLeft();
      isDrained(this.#link, this.id)
        .then((drained) => {
          if (drained && !this.#draining) void this.#drain();
          this.#lookedAt = this.#link.clock.monotonicMs();
          this.#link.trouble.answered();
        })
        .catch((error: unknown) => this.#link.trouble.hear(error))
        .finally(() => {
          if (this.#closing === undefined) this.#plan();
        });
    }, this.#link.place.timing.beatMs);
  }

  /** What cannot be reported since the server is away is tried again at the next beat. */
  #reportLeft(): void {
    if (this.#reportedLeft) return;
    this.#reportedLeft = true;
    this.#briefs.reportLeft().catch((error: unknown) => {
      this.#link.trouble.hear(error);
      this.#reportedLeft = false;
    });
  }

  /** What runs comes to its end by itself; then it has nothing to do any more. */
  async #drain(): Promise<void> {
    this.#draining = true;
    this.#options.note('it is drained: it takes no more briefs, and ends when those that it has have ended');
    await this.#workers?.close(LONGEST_MS);
    while (this.#deliveries.size > 0 && this.#closing === undefined)
      await sleep(this.#link.place.timing.beatMs, this.#stop.signal).catch(() => {}); // looked at above
    await undrain(this.#link, this.id).catch((error: unknown) => this.#link.trouble.hear(error));
    this.#setDrained();
  }

  async #close(): Promise<number> {
    clearTimeout(this.#timer);
    const { graceMs, note } = this.#options;
    const { clock } = this.#link;
    const over = clock.monotonicMs() + graceMs + AFTER_MS;
    this.#link.leaveWithin(graceMs + AFTER_MS);
    this.#stop.abort(new CancelledError(STOPPED, 'the runner was told to stop'));
    const { unfinished = [] } = (await this.#workers?.close(graceMs + REPORT_MS)) ?? {};
    for (const { brief } of unfinished) note(`${brief} did not come to its end here in time`);
    await this.#deliveries.close(Math.max(0, Math.min(TAKE_MS, over - clock.monotonicMs())));
    const left = this.#deliveries.size;
    if (left > 0)
      note(`${left} results lie in the outbox; they are brought when this runner is started again`);
    await this.#releases.run();
    return left + unfinished.length;
  }
}
