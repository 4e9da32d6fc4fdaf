/**
 * Results of a runner on their way to their teams (spec/runner.md §3 "Report"): brought up again and again, through restarts and
 * outages, until the record has them, or there is no such team any more, or they are too old; each of which is told.
 *
 *  D1 what lies in the outbox is brought, whoever has put it there: a process that died as much as this one;
 *  D2 a brief whose result waits stays this runner's: nobody takes it for lost while it is on its way;
 *  D3 a team counts as gone when its inbox was not there for a whole lease: its record may be about to be put back;
 *  D4 the word of a team is put away when the outbox is in order: who dies before that asks for it again.
 */

import { readFile } from 'node:fs/promises';
import type { Result } from '../../delegate/brief/result.js';
import { Outbox, type Waiting } from '../../delegate/runner/outbox.js';
import { type BriefEnd, settleBrief } from '../../delegate/runner/run-brief.js';
import type { RunnerHouse } from '../../delegate/runner/runner-house.js';
import { briefPlaces, isMarked } from '../../delegate/workspace/places.js';
import type { Lease } from '../../dispatch/lease-keeper.js';
import type { OfTeam, RunnerPost } from '../../dispatch/runner-post.js';
import { sleep } from '../../shared/abort.js';
import type { Clock } from '../../shared/clock.js';
import { errorText } from '../../shared/errors.js';

export interface DeliveriesHouse {
  readonly runner: Pick<RunnerHouse, 'workdir' | 'clock'>;
  readonly post: RunnerPost;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly leaseMs: number;
  readonly beatMs: number;
  /** For people; must not throw. */
  note(text: string): void;
  /** The server does not answer; must not throw. */
  onTrouble(error: unknown): void;
}

/** How often the word of a team is looked for, in milliseconds. */
const LOOK_MS = 250;

/** In how many beats a result that nobody has taken is brought again. */
const AGAIN_BEATS = 6;

/** A result that nobody has taken for so long is for nobody any more, in milliseconds. */
const OLD_MS = 30 * 24 * 3_600_000;

interface OnItsWay {
  readonly of: OfTeam;
  lease: Lease | null;
  /** When it was brought last, and since when its team was not found, on the monotonic clock. */
  broughtAt: number | null;
  goneSince: number | null;
}

export class Deliveries {
  readonly #house: DeliveriesHouse;
  readonly #outbox: Outbox;
  readonly #onWay = new Map<string, OnItsWay>();
  readonly #closed = new AbortController();
  #wake: () => void = () => {};
  #looked: (() => void)[] = [];

  constructor(house: DeliveriesHouse) {
    this.#house = house;
    this.#outbox = new Outbox(house.runner.workdir);
  }

  /** Takes up what earlier processes have left (D1), and begins. */
  async begin(): Promise<void> {
    const { note, runner } = this.#house;
    for (const { result } of await this.#outbox.expire(runner.clock.wallMs(), OLD_MS))
      note(`${result.brief}: its result was never taken and is older than 30 days: it is removed`);
    const { waiting, findings } = await this.#outbox.list();
    for (const { path, message } of findings) note(`${path ?? 'outbox'}: ${message}`);
    for (const { result } of waiting) this.#add(result, null);
    if (waiting.length > 0) note(`${waiting.length} results of before wait to be taken`);
    void this.#run(); // never rejects
  }

  /** A result lies in the outbox. @param lease of its brief, from now on this one's */
  add(result: Result, lease: Lease): void {
    this.#add(result, lease);
    this.#wake();
  }

  /** Whether a result of this brief waits. */
  has(brief: string): boolean {
    return this.#onWay.has(brief);
  }

  /** How many wait. */
  get size(): number {
    return this.#onWay.size;
  }

  /** Ends; what is on its way gets so long to be brought and taken. What is not stays in the outbox. */
  async close(ms: number): Promise<void> {
    const late = new AbortController();
    const out = sleep(ms, late.signal).catch(() => {});
    const taken = async (): Promise<void> => {
      while (this.#onWay.size > 0 && !late.signal.aborted)
        await new Promise<void>((resolve) => this.#looked.push(resolve));
    };
    await Promise.race([taken(), out]);
    late.abort();
    this.#closed.abort();
    this.#wake();
    for (const wake of this.#looked) wake();
    for (const { lease } of this.#onWay.values()) lease?.drop();
  }

  #add({ team, brief }: Pick<Result, 'team' | 'brief'>, lease: Lease | null): void {
    this.#onWay.set(brief, { of: { team, brief }, lease, broughtAt: null, goneSince: null });
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      for (const one of [...this.#onWay.values()]) {
        try {
          await this.#look(one);
        } catch (error) {
          this.#house.onTrouble(error);
          one.broughtAt = null; // the server may have lost it
        }
      }
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      for (const wake of this.#looked.splice(0)) wake();
      const ms = this.#onWay.size > 0 ? LOOK_MS : this.#house.beatMs;
      await sleep(ms, AbortSignal.any([woken.signal, this.#closed.signal])).catch(() => {}); // there is more
    }
  }

  async #look(one: OnItsWay): Promise<void> {
    const { post, clock, beatMs, leaseMs, note } = this.#house;
    const { brief, team } = one.of;
    const { end } = await post.told(one.of);
    if (end !== null) {
      await this.#over(one, end === 'taken' ? 'acknowledged' : 'none');
      return post.forget(one.of, end); // D4
    }
    if (one.lease === null) {
      const taken = await post.take(one.of);
      if (taken.kind === 'taken') one.lease = taken.lease; // D2; where another has it, the record says what counts
    }
    const now = clock.monotonicMs();
    if (one.broughtAt !== null && now - one.broughtAt < AGAIN_BEATS * beatMs) return;
    const read = await this.#outbox.read(brief);
    if (read.kind !== 'result') {
      if (read.kind === 'damaged') note(`${read.finding.path ?? brief}: ${read.finding.message}`);
      return this.#forget(one);
    }
    const { text, bundle } = read.waiting;
    const bytes = bundle === null ? null : await readFile(bundle);
    if ((await post.bring(one.of, text, bytes)) === 'gone') {
      one.goneSince ??= now;
      if (now - one.goneSince < leaseMs) return;
      note(`${brief}: there is no team ${team} any more: its result is given up`);
      return this.#over(one, 'none', read.waiting);
    }
    one.goneSince = null;
    const at = new Date(this.#house.runner.clock.wallMs()).toISOString();
    await post.report(team, { v: 1, brief, type: 'result', at });
    one.broughtAt = now;
  }

  /** It is on its way no more: outbox and folder are put in order. */
  async #over(one: OnItsWay, word: 'acknowledged' | 'none', known?: Waiting): Promise<void> {
    const { runner, note } = this.#house;
    const { brief } = one.of;
    const read = known ?? (await this.#outbox.read(brief));
    const waiting = 'kind' in read ? (read.kind === 'result' ? read.waiting : null) : read;
    await this.#outbox.acknowledge(brief);
    if (waiting !== null) {
      const places = (await isMarked(runner.workdir, brief)) ? briefPlaces(runner.workdir, brief) : null;
      const end: Extract<BriefEnd, { kind: 'result' }> = { kind: 'result', result: waiting.result, places };
      await settleBrief(end, word, runner).catch((error: unknown) =>
        note(`${brief}: its folder could not be put in order: ${errorText(error)}`),
      );
    }
    this.#forget(one);
  }

  #forget(one: OnItsWay): void {
    one.lease?.drop();
    this.#onWay.delete(one.of.brief);
  }
}
