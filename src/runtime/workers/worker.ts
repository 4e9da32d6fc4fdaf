/**
 * A worker: takes turns of any team from the queue, and looks after the teams that are due on the agenda (spec/engine.md
 * §2, §3). It holds nothing that is lost with it: its turns are taken over when their leases have lapsed.
 */

import { Agenda } from '../../dispatch/agenda.js';
import { BullMqQueue } from '../../dispatch/bullmq-queue.js';
import { BullMqWorkers, QUEUE_TIMING, type QueueTiming } from '../../dispatch/bullmq-workers.js';
import { atMost } from '../../dispatch/by-deadline.js';
import { removeQueues } from '../../dispatch/clear-queues.js';
import { ANYWHERE, isTurnJob, poolOfHost, type TurnJob } from '../../dispatch/job.js';
import type { Holder } from '../../dispatch/leases.js';
import { leave, registerWorker } from '../../dispatch/presence.js';
import { TroubleLines } from '../../dispatch/trouble-lines.js';
import { accessTo } from '../../models/choice/access.js';
import { PROVIDER_NAMES } from '../../models/choice/model-name.js';
import { errorText } from '../../shared/errors.js';
import { Releases } from '../../shared/releases.js';
import { openLink, type RedisLink, type RedisPlace, redisFolder } from '../engine/redis-link.js';
import type { House } from '../house.js';
import { type Progress, progressOf } from '../operations/health.js';
import { unfitWhy, type WorkerBounds } from './fit.js';
import { isGone, isOfAnother, takeOff } from './gone-team.js';
import type { OwnTeam } from './own-team.js';
import { ServedTeam } from './served-team.js';
import { UnfitTeams } from './unfit-teams.js';
import type { WorkedTeam } from './worked-team.js';
import { WorkerKeys } from './worker-keys.js';
import { meterWorker } from './worker-meters.js';

export interface WorkerOptions {
  /** Turns at once, of all teams; a whole number from 1. */
  readonly concurrency: number;
  /** How long tools get when the worker stops, in milliseconds. */
  readonly graceMs: number;
  /** What it takes turns from: any of the two. `any`: turns that any machine may take; `host`: those bound to this one. */
  readonly pools: readonly ('any' | 'host')[];
  readonly bounds: WorkerBounds;
  /** The team whose run this process coordinates: it has the operator's trust files, and the team open. */
  readonly coordinates?: OwnTeam;
  /** Who this process is for others, where it was somebody before it became a worker. */
  readonly holder?: Holder;
  /** Hears one line for people; must not throw. */
  readonly onTrouble: (text: string) => void;
  /** It is not to begin after all. */
  readonly stopped?: AbortSignal;
}

/** A team that nothing was done for in this time is let go, in milliseconds. */
const LET_GO_MS = 60_000;

/** How long its registration may take to go, in milliseconds: it expires by itself. */
const LEAVE_MS = 500;

/** Beyond the grace, how long the server may take to hear that this worker ends, in milliseconds: it may not answer. */
const GOODBYE_MS = 1_000;

/** A team that could not be looked at is looked at again after so many beats. */
const LATER_BEATS = 6;

/** Teams that one look takes from the agenda. */
const TEAMS_A_LOOK = 100;

/** How long a worker that is well may be without an answer of its queue or a look, in milliseconds: an idle queue is asked seldom. */
export function progressWithin({ leaseMs }: RedisPlace['timing']): number {
  return Math.max(leaseMs, 3 * QUEUE_TIMING.idleMs);
}

/** A job of a worker that died is given to another as soon as its turn may be taken over as well. */
function queueTiming({ beatMs, leaseMs }: RedisPlace['timing']): Partial<QueueTiming> {
  return { beatMs, lockMs: leaseMs, stalledMs: Math.max(beatMs, Math.floor(leaseMs / 2)) };
}

export class Worker {
  readonly id: string;
  readonly #house: House;
  readonly #place: RedisPlace;
  readonly #options: WorkerOptions;
  readonly #link: RedisLink;
  readonly #keys: WorkerKeys;
  readonly #queue: BullMqQueue;
  readonly #agenda: Agenda;
  readonly #trouble: TroubleLines;
  readonly #releases = new Releases();
  /** By id; of one that is being opened its promise. */
  readonly #teams = new Map<string, { readonly team: Promise<WorkedTeam>; usedAt: number }>();
  readonly #unfit: UnfitTeams;
  /** What people were told of teams whose turns go back, by id. */
  readonly #told = new Map<string, string>();
  /** Those that are open, by id. */
  readonly #open = new Map<string, WorkedTeam>();
  #workers: BullMqWorkers<TurnJob> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When it last looked for teams that are due, on the monotonic clock. */
  #lookedAt: number;
  #closing: Promise<void> | undefined;

  /** Registers, and begins to take turns. Rejects as `openLink` does. */
  static async start(house: House, place: RedisPlace, options: WorkerOptions): Promise<Worker> {
    const { onTrouble, stopped, holder } = options;
    const keys = await WorkerKeys.open(house, place.signed);
    for (const problem of keys.ring.problems) onTrouble(problem);
    const link = await openLink(house, place, { onTrouble, stopped, holder });
    const worker = new Worker(house, place, options, link, keys);
    try {
      await worker.#begin();
      return worker;
    } catch (error) {
      await worker.close();
      throw error;
    }
  }

  private constructor(
    house: House,
    place: RedisPlace,
    options: WorkerOptions,
    link: RedisLink,
    keys: WorkerKeys,
  ) {
    this.#keys = keys;
    this.#house = house;
    this.#place = place;
    this.#options = options;
    this.#link = link;
    this.id = link.holder.id;
    this.#unfit = new UnfitTeams(link.clock);
    this.#agenda = new Agenda(link);
    this.#lookedAt = link.clock.monotonicMs();
    this.#trouble = new TroubleLines(options.onTrouble, link.clock);
    this.#releases.add('connection', () => link.close());
    // Whoever is the last to go, behind the last team; where the server is away nothing is lost by leaving it.
    this.#releases.add('queues of nobody', () => removeQueues(link).catch(() => undefined));
    this.#queue = new BullMqQueue({
      connect: () => link.connect('queue'),
      names: link.names,
      clock: link.clock,
      tracing: link.tracing,
      onTrouble: options.onTrouble,
    });
    this.#releases.add('queue', async () => {
      await this.#queue.close();
    });
  }

  /** What it does again and again, and since when it has not: the queue has answered, teams that are due were looked for. */
  progress(): readonly Progress[] {
    const queue = this.#workers?.progressAt();
    return progressOf(this.#link.clock.monotonicMs(), { queue, look: this.#lookedAt });
  }

  /** Kills at once what tools of a team have started here. */
  kill(id: string): void {
    this.#open.get(id)?.kill();
  }

  /** Stops taking turns; those that run get their grace, and are left to others where they do not end. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #begin(): Promise<void> {
    const { house, link, options } = { house: this.#house, link: this.#link, options: this.#options };
    const own = { any: ANYWHERE, host: poolOfHost(link.holder.host) };
    const pools = options.pools.map((pool) => own[pool]);
    const providers = PROVIDER_NAMES.filter((name) => accessTo(name, house.models).kind === 'open');
    const workers = new BullMqWorkers<TurnJob>({
      connect: () => link.connect('blocking'),
      names: link.names,
      clock: link.clock,
      tracing: link.tracing,
      pools,
      concurrency: options.concurrency,
      takes: isTurnJob,
      mismatch: async ({ team, member }, signal) => {
        const why = await this.#lacks(team, member, signal);
        if (why !== undefined) house.operations?.job('given_back');
        return why;
      },
      onMismatch: ({ team }, why) => this.#tellUnfit(team, why),
      handler: (job, signal) => this.#run(job, signal),
      onError: (job, error) => {
        house.operations?.job('failed');
        options.onTrouble(`${job.team}: the turn of ${job.member}: ${errorText(error)}`);
      },
      // The lease of the turn decides: its own signal ends the turn when it is lost.
      stillHeld: async () => true,
      onTrouble: options.onTrouble,
      timing: queueTiming(link.place.timing),
    });
    this.#workers = workers;
    const registered = await registerWorker(link, this.id, () => ({
      pools,
      providers,
      version: house.version,
      ...options.bounds,
      ...this.#keys.says(),
      slots: options.concurrency,
      running: workers.running(),
      host: link.holder.host,
      pid: link.holder.pid,
      silentMs: Math.max(0, link.clock.monotonicMs() - workers.progressAt()),
    }));
    const { meters } = house.operations ?? {};
    const isOver = (): boolean => this.#closing !== undefined;
    if (meters !== undefined)
      meterWorker(meters, link, 'bnerd_turns_running', {
        running: () => workers.running(),
        progress: () => this.progress(),
        isOver,
      });
    const unwatched = house.operations?.watch(() => this.progress());
    this.#releases.add('progress', async () => unwatched?.());
    this.#releases.add('registration', () => atMost(LEAVE_MS, leave(link, registered)));
    this.#plan();
  }

  async #run(job: TurnJob, signal: AbortSignal): Promise<void> {
    try {
      const team = await this.#team(job.team);
      await team.run(job, signal);
      this.#house.operations?.job('done');
    } catch (error) {
      await this.#letGoBroken(job.team);
      // A job of a team that was put away is done, and that of another record is asked for again: neither is kept for people.
      if (!isGone(error) && !isOfAnother(error)) throw error;
    }
  }

  /** A team whose record takes nothing more here is opened anew when there is something to do for it. */
  async #letGoBroken(id: string): Promise<void> {
    if (this.#open.get(id)?.place.broken === true) await this.#letGo(id);
  }

  #team(id: string): Promise<WorkedTeam> {
    const now = this.#link.clock.monotonicMs();
    const known = this.#teams.get(id);
    if (known !== undefined) {
      known.usedAt = now;
      return known.team;
    }
    const team = this.#opened(id);
    this.#teams.set(id, { team, usedAt: now });
    team.then(
      (open) => this.#open.set(id, open),
      () => this.#teams.delete(id), // Told to who asked for it.
    );
    return team;
  }

  async #opened(id: string): Promise<WorkedTeam> {
    const own = this.#options.coordinates;
    if (own?.id === id && !own.place.isOutdated) return own;
    return ServedTeam.open(id, {
      house: this.#house,
      link: this.#link,
      queue: this.#queue,
      folder: redisFolder(this.#house, this.#place, id),
      bounds: this.#options.bounds,
      asksTrust: id === own?.id,
      failed: (error) => {
        this.#options.onTrouble(`${id}: ${errorText(error)}`);
        void this.#letGo(id);
      },
      trouble: this.#options.onTrouble,
    });
  }

  /** Why a team cannot be served here; it is opened to find out, and kept when it can. */
  async #mismatch(id: string): Promise<string | undefined> {
    const known = this.#unfit.why(id);
    if (known !== undefined) return known;
    try {
      await this.#team(id);
      this.#unfit.forget(id);
      return undefined;
    } catch (error) {
      if (isGone(error)) return undefined; // Whoever asks for it next finds that out, and is done.
      const why = unfitWhy(error);
      if (why === undefined) throw error;
      this.#unfit.keep(id, why);
      return why;
    }
  }

  /** Why a turn cannot be run here: its team, or the files that its member works with. */
  async #lacks(id: string, member: string, signal: AbortSignal): Promise<string | undefined> {
    const unfit = await this.#mismatch(id);
    if (unfit !== undefined) return unfit;
    try {
      return await (await this.#team(id)).place.lacks(member, signal);
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  /** Its turns go back again and again. */
  #tellUnfit(id: string, why: string): void {
    if (this.#told.get(id) === why) return;
    this.#told.set(id, why);
    this.#options.onTrouble(`${id}: its turns go back to the queue: ${why}`);
  }

  /** @param graceMs what its tools get that run still, in milliseconds */
  async #letGo(id: string, graceMs = this.#options.graceMs): Promise<void> {
    const known = this.#teams.get(id);
    if (known === undefined) return;
    this.#teams.delete(id);
    this.#open.delete(id);
    this.#told.delete(id);
    try {
      await (await known.team).close(graceMs);
    } catch (error) {
      this.#options.onTrouble(`${id}: ${errorText(error)}`);
    }
  }

  #plan(): void {
    if (this.#closing !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#look()
        .then(() => {
          this.#lookedAt = this.#link.clock.monotonicMs();
          this.#trouble.answered();
        })
        .catch((error: unknown) => this.#trouble.hear(error))
        .finally(() => this.#plan());
    }, this.#place.timing.beatMs);
  }

  /** The teams whose time has come and that nobody else looks at now; those that are idle here are let go. */
  async #look(): Promise<void> {
    const { beatMs } = this.#place.timing;
    if (await this.#keys.look()) await this.#goByKeys();
    // Teams that this process cannot serve stay due: they take no place from those that it can.
    for (const id of await this.#agenda.due(TEAMS_A_LOOK + this.#unfit.size)) {
      if (this.#closing !== undefined) return;
      if (this.#unfit.why(id) !== undefined) continue;
      if (!(await this.#agenda.claimSweep(id, beatMs))) continue;
      try {
        const why = await this.#mismatch(id);
        if (why !== undefined) this.#tellUnfit(id, why);
        if (why !== undefined) continue;
        await (await this.#team(id)).look();
      } catch (error) {
        await this.#letGoBroken(id);
        if (isGone(error) && (await takeOff(this.#link, id))) continue;
        this.#options.onTrouble(`${id}: ${errorText(error)}`);
        await this.#agenda.lookAfter(id, Math.min(LET_GO_MS, LATER_BEATS * beatMs));
      }
    }
    const now = this.#link.clock.monotonicMs();
    const known = [...this.#teams];
    // Its end, and that it was put away, is written by others, and nobody asks for a turn of it here any more.
    const resting = await this.#agenda.resting(known.map(([id]) => id));
    for (const [id, { team, usedAt }] of known) {
      const opened = await team.catch(() => undefined);
      const done = resting.has(id) || opened?.place.over === true || opened?.place.isOutdated === true;
      if (now - usedAt < LET_GO_MS && !done) continue;
      if (opened === undefined || opened.idle) await this.#letGo(id);
    }
  }

  /** Other signatures count than before: teams that were strange may not be any more, and those that are open may be. */
  async #goByKeys(): Promise<void> {
    this.#unfit.clear();
    for (const problem of this.#keys.ring.problems) this.#options.onTrouble(problem);
    for (const [id, team] of [...this.#open]) {
      const why = team.strange(this.#keys.ring);
      if (why === undefined) continue;
      this.#unfit.keep(id, why);
      this.#options.onTrouble(`${id}: is served here no more: ${why}`);
      await this.#letGo(id);
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#timer);
    const { graceMs } = this.#options;
    const over = this.#link.clock.monotonicMs() + graceMs;
    this.#link.leaveWithin(graceMs + GOODBYE_MS);
    for (const { team } of this.#teams.values()) {
      void team.then((one) => one.callOff()).catch(() => {});
    }
    const closed = await this.#workers?.close(graceMs);
    for (const { team, member } of closed?.unfinished ?? []) {
      this.#options.onTrouble(
        `${team}: the turn of ${member} did not end here; it is taken over when its lease ends`,
      );
    }
    const left = Math.max(0, over - this.#link.clock.monotonicMs());
    await Promise.all([...this.#teams.keys()].map((id) => this.#letGo(id, left)));
    await this.#releases.run();
  }
}
