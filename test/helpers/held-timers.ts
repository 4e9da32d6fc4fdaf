/** Timers that a library leaves behind: each would hold a process that has nothing more to do. */

import { createHook } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

/** One that was cleared, or has fired, says so at once; Node tells it to hooks only later. */
type Timer = NodeJS.Timeout & { readonly _destroyed: boolean };

/**
 * Watches from now on to the end of the test. Gives how many timers are open that were set by files below
 * `node_modules/<library>` and hold the process.
 */
export function heldTimers(library: string): () => number {
  const set: Timer[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      const from = new Error('where it was set').stack ?? '';
      if (type === 'Timeout' && from.includes(`/node_modules/${library}/`)) set.push(resource as Timer);
    },
  }).enable();
  onTestFinished(() => void hook.disable());
  return () => set.filter((timer) => !timer._destroyed && timer.hasRef()).length;
}
