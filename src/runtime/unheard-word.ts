/**
 * A word to stop that no server takes: this process ends all the same, within its grace. From the word on it looks again and
 * again whether the record can be reached, until the end is there (case Q3).
 */

import { sleep } from '../shared/abort.js';
import type { TeamParts } from './team-parts.js';

/**
 * How long a word may go unheard by a server before it is asked, and how long that may take, in milliseconds. A server that
 * is only slow must not be taken for one that is away: the end would be missing from the record. Both together leave what is
 * beyond the grace (two seconds, spec/engine.md §3) half unused.
 */
const UNHEARD_MS = 250;
const ANSWER_MS = 750;

/**
 * Watches from now on; does nothing where the record is this process's own.
 * @param unheard called once when the server does not answer; `late`: the grace is over by then
 * @returns the way to stop that
 */
export function watchUnheard(
  { store, clock }: Pick<TeamParts, 'store' | 'clock'>,
  unheard: (late: boolean) => void,
): () => void {
  if (!store.isShared) return () => {};
  const saidAt = clock.monotonicMs();
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = setTimeout(async () => {
      const answers = await answersWithin(store, ANSWER_MS);
      if (over) return;
      if (answers) look();
      else unheard(clock.monotonicMs() - saidAt >= (store.state.run?.grace_ms ?? 0));
    }, UNHEARD_MS);
  };
  look();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}

/** Whether the record can be read now. */
async function answersWithin(store: TeamParts['store'], ms: number): Promise<boolean> {
  const read = store.catchUp().then(
    () => true,
    () => false, // Told by who writes it.
  );
  const late = new AbortController();
  // Where this process itself was kept from running, the answer may be there by now: it is read before the next check.
  const timeout = sleep(ms, late.signal)
    .then(() => new Promise((resolve) => setImmediate(resolve)))
    .then(
      () => false,
      () => false,
    );
  const answers = await Promise.race([read, timeout]);
  late.abort();
  return answers;
}
