/**
 * Briefs that no live runner can take (spec/runner.md §5): their pool has none, or those that serve it lack what they ask
 * for. Said once to whoever delegates, so that nobody waits for what does not come.
 */

import { BriefPost, type PostHouse } from '../../dispatch/brief-post.js';
import { briefsPool, poolOfBriefs } from '../../dispatch/job.js';
import { type LiveRunner, liveRunners } from '../../dispatch/runners.js';
import type { AcceptedKey } from '../../shared/signature.js';
import { type LiveBrief, liveBriefs } from '../../team/brief.js';
import type { Unserved } from '../../team/show/status-processes.js';
import type { TeamState } from '../../team/show/view.js';
import type { RedisLink } from '../engine/redis-link.js';
import type { BriefWords } from './brief-words.js';
import type { TakingParts } from './take-result.js';

/** Which runners there are does not change from one moment to the next: between two looks, in milliseconds. */
const LOOK_MS = 1_000;

export interface UnservedParts extends Pick<TakingParts, 'runners' | 'store'> {
  readonly link: RedisLink;
}

export class UnservedBriefs {
  readonly #parts: UnservedParts;
  readonly #words: BriefWords;
  /** Those that were told. */
  readonly #told = new Set<string>();
  #lookAt = 0;

  constructor(parts: UnservedParts, words: BriefWords) {
    this.#parts = parts;
    this.#words = words;
  }

  /** A brief has ended. */
  over(brief: string): void {
    this.#told.delete(brief);
  }

  /** @param waiting briefs that no runner has */
  async look(waiting: readonly LiveBrief[]): Promise<void> {
    const unknown = waiting.filter(({ sent }) => !this.#told.has(sent.brief));
    const now = this.#parts.link.clock.monotonicMs();
    if (unknown.length === 0 || now < this.#lookAt) return;
    this.#lookAt = now + LOOK_MS;
    const { link, store } = this.#parts;
    const runners = await liveRunners(link);
    const labels = store.state.run?.engineer?.labels ?? [];
    const accepted = (await this.#parts.runners()).filter(({ retired }) => !retired);
    const keyIds = accepted.map(({ id }) => id);
    for (const brief of unknown) {
      const unserved = unservedBrief(brief.sent, labels, runners, keyIds);
      if (unserved === null) continue;
      this.#told.add(brief.sent.brief);
      const { why, detail } = unserved;
      const pool = briefsPool(brief.sent);
      await this.#words.unserved(brief.sent.brief, {
        pool,
        why: why === 'not_taken' ? why : 'no_runner',
        detail,
      });
    }
  }
}

/** The briefs of a team that no live runner can take, for who looks at it; none where nothing waits. */
export async function waitingBriefs(
  house: PostHouse,
  team: string,
  state: TeamState,
  accepted: () => Promise<readonly AcceptedKey[]>,
): Promise<readonly Unserved[]> {
  const sent = liveBriefs(state).filter(({ status }) => status.kind === 'sent');
  if (sent.length === 0) return [];
  const takers = await new BriefPost(house, team).takers(sent.map((brief) => brief.sent.brief));
  const runners = await liveRunners(house);
  const keyIds = (await accepted()).filter(({ retired }) => !retired).map(({ id }) => id);
  const labels = state.run?.engineer?.labels ?? [];
  return sent.flatMap((brief, place) => {
    const unserved =
      (takers[place] ?? null) === null ? unservedBrief(brief.sent, labels, runners, keyIds) : null;
    return unserved === null ? [] : [unserved];
  });
}

/**
 * Why nobody takes a brief, as far as runners say what they serve; null: somebody may. Pure.
 * @param labels what the recipe asks of a runner
 * @param keyIds ids of the keys of runners whose word counts here
 */
export function unservedBrief(
  { brief, pool, engineer }: Pick<LiveBrief['sent'], 'brief' | 'pool' | 'engineer'>,
  labels: readonly string[],
  runners: readonly LiveRunner[],
  keyIds: readonly string[],
): Unserved | null {
  const name = briefsPool({ pool });
  const serving = runners.filter((runner) => runner.pools.includes(name) && !runner.draining);
  if (serving.length === 0) return { what: brief, pool: poolOfBriefs(name), why: 'no_runner', detail: null };
  const missing = serving.map((runner) => missingAt(runner, engineer.kind, labels, keyIds));
  if (missing.some((one) => one.length === 0)) return null;
  const detail = [...new Set(missing.flat())].join('; ');
  return { what: brief, pool: poolOfBriefs(name), why: 'not_taken', detail };
}

function missingAt(
  runner: LiveRunner,
  kind: string,
  labels: readonly string[],
  keyIds: readonly string[],
): readonly string[] {
  const { id, key, keyId } = runner;
  return [
    ...labels.filter((label) => !runner.labels.includes(label)).map((label) => `${id} has no label ${label}`),
    ...(kind in runner.engineers ? [] : [`${id} has no engineer ${kind}`]),
    ...(keyIds.includes(keyId)
      ? []
      : [`the key of ${id} is not accepted here: bnerd keys accept ${key} --name ${id}`]),
  ];
}
