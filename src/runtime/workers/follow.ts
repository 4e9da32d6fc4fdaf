/**
 * Takes in what other processes write into a team's log, soon after they did: a word to stop, a turn that was taken over,
 * an answer. What is heard a moment late costs time and nothing else, for nothing is decided on old news.
 */

import type { TeamStore } from '../../state/team-store.js';

/** How often the log is looked at, in milliseconds. */
const LOOK_MS = 100;

/** Follows until it is called off. @param failed hears of a log that cannot be read any more */
export function follow(store: TeamStore, failed: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const look = (): void => {
    timer = setTimeout(() => {
      store
        .catchUp()
        .then(() => {
          if (!over) look();
        })
        .catch((error: unknown) => {
          if (!over) failed(error);
        });
    }, LOOK_MS);
  };
  look();
  return () => {
    over = true;
    clearTimeout(timer);
  };
}
