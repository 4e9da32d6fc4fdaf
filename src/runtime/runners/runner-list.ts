/** The runners that live under the prefix of a Redis, as they say it of themselves, and the word to drain one (spec/runner.md §5). */

import { drainRunner, type LiveRunner, liveRunners } from '../../dispatch/runners.js';
import { openLink } from '../engine/redis-link.js';
import type { House, RedisPlace } from '../house.js';

/** snake_case, JSON-serialisable, fields only added within v1. */
export interface RunnerView {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly pools: readonly string[];
  readonly labels: readonly string[];
  readonly slots: number;
  readonly running: number;
  /** By kind, with their versions; null: found, and its version is not known. */
  readonly engineers: Readonly<Record<string, string | null>>;
  readonly max_safety: string;
  readonly repos: readonly string[];
  readonly version: string;
  readonly key_id: string;
  readonly key: string;
  readonly draining: boolean;
  /** How far its clock is ahead of the server's, in milliseconds. */
  readonly skew_ms: number;
  /** Milliseconds since its queue last answered it, as it said with its last beat. */
  readonly silent_ms: number;
  /** What was last done there, and how many milliseconds ago; null: nothing yet. */
  readonly progress: { readonly text: string; readonly ago_ms: number } | null;
}

/** Looks who is there. Rejects as `openLink` does. */
export async function listRunners(
  house: Pick<House, 'clock' | 'hostname'>,
  place: RedisPlace,
): Promise<readonly RunnerView[]> {
  const link = await openLink(house, place);
  try {
    return (await liveRunners(link)).map(runnerView);
  } finally {
    await link.close();
  }
}

export type Drained =
  | { readonly kind: 'told'; readonly id: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Tells a runner that lives to take no more and to end. @param typed its id, or the beginning of one */
export async function drain(
  house: Pick<House, 'clock' | 'hostname'>,
  place: RedisPlace,
  typed: string,
): Promise<Drained> {
  const link = await openLink(house, place);
  try {
    const runners = await liveRunners(link);
    const meant = runners.filter(({ id }) => typed !== '' && id.startsWith(typed));
    const [runner] = meant;
    const ids = (some: readonly LiveRunner[]): string => some.map(({ id }) => id).join(', ') || 'none';
    if (runner === undefined)
      return {
        kind: 'refused',
        code: 'no-runner',
        message: `no runner ${typed} lives; there are: ${ids(runners)}`,
      };
    if (meant.length > 1)
      return {
        kind: 'refused',
        code: 'ambiguous',
        message: `${typed} begins the ids of ${ids(meant)}: write more of it`,
      };
    await drainRunner(link, runner.id);
    return { kind: 'told', id: runner.id };
  } finally {
    await link.close();
  }
}

function runnerView(runner: LiveRunner): RunnerView {
  const { maxSafety, keyId, skewMs, silentMs, progress, process: _, ...same } = runner;
  return {
    ...same,
    max_safety: maxSafety,
    key_id: keyId,
    skew_ms: skewMs,
    silent_ms: silentMs,
    progress: progress === null ? null : { text: progress.text, ago_ms: progress.agoMs },
  };
}
