/**
 * What a runner that stands has kept goes by itself when it is old (spec/runner.md §3 "Workspace"): nobody calls
 * `bnerd runner prune` on a machine for months, and every brief that is kept is looked at while another is at work
 * (`fingerprint.ts`). Where room is short nothing goes by itself: what was kept for people is theirs to give up.
 */

import type { RunnerHouse } from '../../delegate/runner/runner-house.js';
import { prunable, prune } from '../../delegate/workspace/prune.js';
import { sleep } from '../../shared/abort.js';
import { errorText } from '../../shared/errors.js';

export interface UpkeepHouse {
  readonly runner: Pick<RunnerHouse, 'workdir' | 'clock'>;
  /** What was kept for longer than this goes, in milliseconds. */
  readonly keepMs: number;
  /** For people; must not throw. */
  note(text: string): void;
}

/** How often it looks: often enough that little is kept beside its time, and not more than a small thing should cost. */
const PARTS = 8;
const LEAST_MS = 1_000;
const MOST_MS = 3_600_000;

/** Looks now, and now and then. Gives what ends it, which resolves when nothing is being removed any more. */
export function keepInOrder(house: UpkeepHouse): () => Promise<void> {
  const over = new AbortController();
  const looking = lookUntil(over.signal, house);
  return () => {
    over.abort();
    return looking;
  };
}

/** Never rejects. */
async function lookUntil(over: AbortSignal, house: UpkeepHouse): Promise<void> {
  const everyMs = Math.min(MOST_MS, Math.max(LEAST_MS, Math.floor(house.keepMs / PARTS)));
  while (!over.aborted) {
    await look(house).catch((error: unknown) =>
      house.note(`what was kept could not be looked through: ${errorText(error)}`),
    );
    await sleep(everyMs, over).catch(() => {}); // looked at above
  }
}

async function look({ runner: { workdir, clock }, keepMs, note }: UpkeepHouse): Promise<void> {
  const listed = await prunable(workdir, { nowMs: clock.wallMs(), keepMs, minFreeBytes: 0 });
  if (listed.length === 0) return;
  const { removed, left } = await prune(workdir, listed);
  const bytes = removed.reduce((sum, each) => sum + each.bytes, 0);
  if (removed.length > 0)
    note(`${removed.length} folders were kept long enough and are removed: ${bytes} bytes`);
  for (const { path, reason } of left) note(`${path} was kept long enough and is not removed: ${reason}`);
}
