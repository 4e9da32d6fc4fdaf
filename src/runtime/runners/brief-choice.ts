/**
 * Which briefs of its pool a runner leaves to others (spec/runner.md §3 "Accept"): what it may not take goes back to the queue
 * for a beat and costs nothing, and so does what it has lost before, while others may have it.
 */

import { BRIEF_BYTES } from '../../delegate/brief/brief.js';
import { acceptBrief, type RefusalCode } from '../../delegate/runner/accept.js';
import type { RunnerHouse } from '../../delegate/runner/runner-house.js';
import { freeBytes } from '../../delegate/workspace/prune.js';
import type { OfTeam, RunnerPost } from '../../dispatch/runner-post.js';
import type { Clock } from '../../shared/clock.js';
import type { AcceptedKey } from '../../shared/signature.js';

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

export interface ChoiceHouse {
  readonly runner: Pick<RunnerHouse, 'limits' | 'clock' | 'minFreeBytes' | 'workdir'>;
  readonly post: Pick<RunnerPost, 'text' | 'isAfterOthers'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly leaseMs: number;
  /** Whose word counts about a brief, as it is said now. */
  keys(of: OfTeam): Promise<readonly AcceptedKey[]>;
}

export class BriefChoice {
  readonly #house: ChoiceHouse;
  /** Briefs that are none for this runner, by id: why, and until when that is not asked again, on the monotonic clock. */
  readonly #notMine = new Map<string, { readonly why: string; readonly until: number }>();
  /** Briefs that others are to take first, by id: how often they were left. */
  readonly #left = new Map<string, number>();

  constructor(house: ChoiceHouse) {
    this.#house = house;
  }

  /** Why a brief is for others though it is in this pool; undefined: it is not, or it is not to be begun any more. */
  async lacks(of: OfTeam): Promise<string | undefined> {
    const { post, clock, keys } = this.#house;
    const { brief } = of;
    const known = this.#notMine.get(brief);
    const text = await post.text(of, BRIEF_BYTES);
    if (text === null) {
      this.#notMine.delete(brief);
      this.#left.delete(brief);
      return undefined; // Whoever has its job finds that out.
    }
    if (known !== undefined && clock.monotonicMs() < known.until) return known.why;
    if (typeof text !== 'string')
      return `its text has ${text.tooLong} bytes; a brief has at most ${BRIEF_BYTES}`;
    const { limits, clock: wall, minFreeBytes, workdir } = this.#house.runner;
    const acceptance = acceptBrief(text, limits, await keys(of), wall.wallMs());
    if (acceptance.kind === 'refused' && OF_OTHERS.includes(acceptance.code)) return acceptance.message;
    if ((await freeBytes(workdir)) < minFreeBytes)
      return `less than ${minFreeBytes} bytes are free (min-free)`;
    const times = this.#left.get(brief) ?? 0;
    if (times >= OTHERS_FIRST_BEATS || !(await post.isAfterOthers(of))) return undefined;
    this.#left.set(brief, times + 1);
    return 'it was lost here before: others are to have it first';
  }

  /** It was taken, and is none for this runner: for a lease that is not asked again. */
  notMine(brief: string, why: string): void {
    const { clock, leaseMs } = this.#house;
    const now = clock.monotonicMs();
    // Most are never asked for again: another has them.
    for (const [other, { until }] of this.#notMine) if (until <= now) this.#notMine.delete(other);
    this.#notMine.set(brief, { why, until: now + leaseMs });
  }
}
