/** The end of an output whose program has ended: what is still in the pipe comes, and a grandchild may hold it open for ever. */

import type { Readable } from 'node:stream';

/** Resolves when the output has closed, or after so many milliseconds; leaves no listener behind. */
export function closedWithin(output: Readable, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      output.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, graceMs);
    output.once('close', done);
    if (output.closed) done();
  });
}
