/** Timers that a library leaves behind: each would hold a process that has nothing more to do. */

import { createHook } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

/**
 * Watches from now on to the end of the test. Gives how many timers are open that were set by files below
 * `node_modules/<library>` and hold the process.
 */
export function heldTimers(library: string): () => number {
  const open = new Map<number, NodeJS.Timeout>();
  const hook = createHook({
    init(id, type, _trigger, resource) {
      const from = new Error('where it was set').stack ?? '';
      if (type === 'Timeout' && from.includes(`/node_modules/${library}/`))
        open.set(id, resource as NodeJS.Timeout);
    },
    destroy: (id) => void open.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  return () => [...open.values()].filter((timer) => timer.hasRef()).length;
}
