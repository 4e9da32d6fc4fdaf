/**
 * A runner that stands (spec/runner.md §3, §5): takes briefs of its pool from Redis, as many at once as it has slots, and brings
 * what comes of them to their teams. It reads no record: what it knows of a team is the signed brief and what it is told of it.
 *
 *  S1 a brief is taken by one runner, and begun when the record has its promise (`runner-voice.ts`);
 *  S2 what this runner may not take goes back to the queue for a beat and costs nothing;
 *  S3 a slot is free again when the result lies in the outbox: what is still on its way holds none (case F145);
 *  S4 a brief that a process of this runner has died over is reported as crashed when it comes back;
 *  S5 under an identity there is one process: the folder is held, and so is the registration.
 */

import { BRIEF_BYTES, teamOfBrief } from '../../delegate/brief/brief.js';
import { acceptBrief, type RefusalCode } from '../../delegate/runner/accept.js';
import { runBrief } from '../../delegate/runner/run-brief.js';
import type { RunnerHouse } from '../../delegate/runner/runner-house.js';
import { keptBriefs } from '../../delegate/workspace/places.js';
import { freeBytes } from '../../delegate/workspace/prune.js';
import { BullMqWorkers } from '../../dispatch/bullmq-workers.js';
import { atMost } from '../../dispatch/by-deadline.js';
import { type BriefJob, DEFAULT_POOL, isBriefJob, poolOfBriefs } from '../../dispatch/job.js';
import { leave } from '../../dispatch/presence.js';
import { type OfTeam, RunnerPost } from '../../dispatch/runner-post.js';
import { isDrained, type RunnerSays, registerRunner, undrain } from '../../dispatch/runners.js';
import { sleep } from '../../shared/abort.js';
import { CancelledError, errorText, FatalError } from '../../shared/errors.js';
import { lookAtProcess } from '../../shared/process-identity.js';
import { Releases } from '../../shared/releases.js';
import type { AcceptedKey } from '../../shared/signature.js';
import { openLink, type RedisLink } from '../engine/redis-link.js';
import type { House, RedisPlace } from '../house.js';
import { countedJobs } from '../operations/counted-jobs.js';
import { type Progress, progressOf } from '../operations/health.js';
import type { Operations } from '../operations/operations.js';
import { meterWorker } from '../workers/worker-meters.js';
import { cancelWords } from './cancel-words.js';
import { Deliveries } from './deliveries.js';
import { RunnerVoice, STOPPED } from './runner-voice.js';
import { keysForBrief } from './team-keys.js';

export interface StandingOptions {
  /** What operators see of this process; left out: they have not asked. */
  readonly operations?: Operations;
  /** Briefs at once; a whole number from 1. */
  readonly concurrency: number;
  /** What runs gets when it is told to stop, to come to its end or to be ended, in milliseconds. */
  readonly graceMs: number;
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

/** What another runner of the pool may have. */
const OF_OTHERS: readonly RefusalCode[] = [
  'missing_labels',
  'no_engineer',
  'no_room',
  'unknown_key',
  'retired_key',
  'wrong_role',
  'bad_signature',
];

/** So often a runner that has lost the offer before leaves a brief to others, in beats. */
const OTHERS_FIRST_BEATS = 2;
/** How long the last lines of a brief may take, and its registration to go: the server may not answer. */
const LINES_MS = 500;
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
  readonly #post: RunnerPost;
  readonly #deliveries: Deliveries;
  readonly #releases = new Releases();
  readonly #atWork = new Set<string>();
  /** Briefs that are none for this runner, by id: why, and until when that is not asked again, on the monotonic clock. */
  readonly #notMine = new Map<string, { readonly why: string; readonly until: number }>();
  /** Briefs that others are to take first, by id: how often they were left. */
  readonly #left = new Map<string, number>();
  /** Fires when what runs is to come to its end. */
  readonly #stop = new AbortController();
  #workers: BullMqWorkers<BriefJob> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When it last looked whether it was drained, on the monotonic clock. */
  #lookedAt: number;
  #progress: { readonly text: string; readonly at: number } | null = null;
  #draining = false;
  #closing: Promise<number> | undefined;
  /** What earlier processes have died over is reported (S4). */
  #reconciled = false;
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
    this.#post = new RunnerPost(link, this.id);
    const { leaseMs, beatMs } = link.place.timing;
    this.#deliveries = new Deliveries({
      runner,
      post: this.#post,
      clock: link.clock,
      leaseMs,
      beatMs,
      note: options.note,
      onTrouble: (error) => link.trouble.hear(error),
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
    const isGone = async (pid: number): Promise<boolean> => (await lookAtProcess(pid)).kind === 'gone';
    const registered = await registerRunner(link, this.id, () => this.#says(), isGone, this.#options.stopped);
    if (registered.kind === 'held') {
      const { host, pid } = registered.by;
      const text = `${this.id} lives already, as process ${pid} on ${host}: one identity is one process; give this one a workdir of its own`;
      throw new FatalError('runner-lives', text);
    }
    this.#releases.add('registration', () => atMost(LEAVE_MS, leave(link, registered.lease)));
    await undrain(link, this.id);
    await this.#deliveries.begin();
    const { concurrency, note, operations } = this.#options;
    const { beatMs, leaseMs } = link.place.timing;
    this.#workers = new BullMqWorkers<BriefJob>({
      connect: () => link.connect('blocking'),
      names: link.names,
      clock: link.clock,
      pools: [poolOfBriefs(this.#pool())],
      concurrency,
      takes: isBriefJob,
      ...countedJobs<BriefJob>(operations, {
        mismatch: (job) => this.#lacks(job),
        handler: ({ team, brief }) => this.#run({ team, brief }),
        onError: ({ brief }, error) => note(`${brief}: ${errorText(error)}`),
      }),
      onMismatch: ({ brief }, why) => note(`${brief} goes back to the queue: ${why}`),
      // Who has a brief is said by a key of ours, not by the queue.
      stillHeld: async () => true,
      onTrouble: note,
      timing: { beatMs, lockMs: leaseMs, stalledMs: Math.max(beatMs, Math.floor(leaseMs / 2)) },
    });
    meterWorker(operations?.meters, link, 'bnerd_briefs_running', {
      running: () => this.#atWork.size,
      progress: () => this.progress(),
      isOver: () => this.#closing !== undefined,
    });
    this.#reconcile();
    this.#plan();
  }

  #pool(): string {
    return this.#runner.limits.pool ?? DEFAULT_POOL;
  }

  #says(): RunnerSays {
    const { limits, identity, clock } = this.#runner;
    const { concurrency, version, engineers } = this.#options;
    const { holder, clock: server } = this.#link;
    const now = server.monotonicMs();
    const progress = this.#progress;
    return {
      pools: [this.#pool()],
      labels: limits.labels,
      slots: concurrency,
      running: this.#atWork.size,
      version,
      key: identity.pair.key,
      keyId: identity.pair.id,
      engineers,
      maxSafety: limits.maxSafety,
      repos: limits.repos,
      host: holder.host,
      pid: holder.pid,
      process: holder.id,
      skewMs: Math.round(clock.wallMs() - server.wallMs()),
      silentMs: Math.max(0, Math.round(now - (this.#workers?.progressAt() ?? now))),
      progress: progress === null ? null : { text: progress.text, agoMs: Math.round(now - progress.at) },
      draining: this.#draining,
    };
  }

  /** Looks each beat whether it was drained. */
  #plan(): void {
    this.#timer = setTimeout(() => {
      this.#reconcile();
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

  /** S4. What cannot be reported since the server is away is tried again at the next beat. */
  #reconcile(): void {
    if (this.#reconciled) return;
    this.#reconciled = true;
    const over = async (): Promise<void> => {
      for (const { brief, marked } of await keptBriefs(this.#runner.workdir)) {
        const team = teamOfBrief(brief);
        if (!marked && team !== null) await this.#run({ team, brief });
      }
    };
    over().catch((error: unknown) => {
      this.#link.trouble.hear(error);
      this.#reconciled = false;
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

  /** Why a brief is for others though it is in this pool (S2). */
  async #lacks({ team, brief }: BriefJob): Promise<string | undefined> {
    const of = { team, brief };
    const known = this.#notMine.get(brief);
    const text = await this.#post.text(of, BRIEF_BYTES);
    if (text === null) {
      this.#notMine.delete(brief);
      this.#left.delete(brief);
      return undefined; // It is not to be begun any more: whoever has its job finds that out.
    }
    if (known !== undefined && this.#link.clock.monotonicMs() < known.until) return known.why;
    if (typeof text !== 'string')
      return `its text has ${text.tooLong} bytes; a brief has at most ${BRIEF_BYTES}`;
    const { limits, clock, minFreeBytes, workdir } = this.#runner;
    const acceptance = acceptBrief(text, limits, await this.#keys(of), clock.wallMs());
    if (acceptance.kind === 'refused' && OF_OTHERS.includes(acceptance.code)) return acceptance.message;
    if ((await freeBytes(workdir)) < minFreeBytes)
      return `less than ${minFreeBytes} bytes are free (min-free)`;
    const times = this.#left.get(brief) ?? 0;
    if (times >= OTHERS_FIRST_BEATS || !(await this.#post.isAfterOthers(of))) return undefined;
    this.#left.set(brief, times + 1);
    return 'it was lost here before: others are to have it first';
  }

  /** Whose word counts about this brief. */
  async #keys(of: OfTeam): Promise<readonly AcceptedKey[]> {
    return keysForBrief(this.#post, of, await this.#options.keys());
  }

  async #run(of: OfTeam): Promise<void> {
    const { brief } = of;
    if (this.#atWork.has(brief) || this.#deliveries.has(brief)) return; // asked for twice
    this.#atWork.add(brief);
    try {
      await this.#take(of);
    } finally {
      this.#atWork.delete(brief);
    }
  }

  async #take(of: OfTeam): Promise<void> {
    const { note } = this.#options;
    const text = await this.#post.text(of, BRIEF_BYTES);
    if (typeof text !== 'string') return;
    const taken = await this.#post.take(of);
    if (taken.kind === 'others') return;
    const { lease } = taken;
    const cancel = new AbortController();
    const over = new AbortController();
    const lost = (): void =>
      cancel.abort(new CancelledError(STOPPED, 'another runner has the brief: this one was not heard of'));
    lease.signal.addEventListener('abort', lost, { once: true });
    this.#callsOffInTime(cancel, over.signal);
    const keys = await this.#keys(of);
    void cancelWords({ post: this.#post, of, keys, over: over.signal, note }, cancel);
    const voice = new RunnerVoice(
      {
        post: this.#post,
        runner: this.id,
        onTrouble: (error) => this.#link.trouble.hear(error),
        onProgress: (done) => {
          this.#progress = { text: done, at: this.#link.clock.monotonicMs() };
        },
      },
      of,
    );
    try {
      const end = await runBrief(text, { ...this.#runner, keys }, voice, cancel.signal);
      await voice.close(this.#stop.signal.aborted ? 0 : LINES_MS);
      if (end.kind === 'result') return this.#deliveries.add(end.result, lease); // S3
      note(`${of.brief}: ${end.message}`);
      const until = this.#link.clock.monotonicMs() + this.#link.place.timing.leaseMs;
      this.#notMine.set(of.brief, { why: end.message, until });
      lease.drop();
      await this.#post.letGo(of);
    } catch (error) {
      lease.drop();
      throw new FatalError('brief', `the result could not be written: ${errorText(error)}`, { cause: error });
    } finally {
      over.abort();
    }
  }

  /** When this runner is told to stop, what runs has half of the grace to come to its end by itself. */
  #callsOffInTime(cancel: AbortController, over: AbortSignal): void {
    const { signal } = this.#stop;
    const stopped = (): void => {
      sleep(Math.floor(this.#options.graceMs / 2), over).then(
        () => cancel.abort(new CancelledError(STOPPED, 'the runner was told to stop')),
        () => {}, // it has ended by itself
      );
    };
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true });
    over.addEventListener('abort', () => signal.removeEventListener('abort', stopped), { once: true });
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
