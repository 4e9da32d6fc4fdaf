/** A command that writes nothing half: a signal to stop calls it off, and it cleans up before it ends. */

import type { Program, StopCause } from './call.js';

const EXITS: Readonly<Record<StopCause, number>> = { hangup: 129, interrupt: 130, terminate: 143 };

/**
 * Runs a command with a signal that fires when the program is told to stop.
 * @returns its exit code, or that of the signal when it did not come through in spite of it
 */
export async function interruptible(
  program: Program,
  command: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const called = new AbortController();
  let exit: number | null = null;
  const stop = program.onStop((cause) => {
    exit ??= EXITS[cause];
    called.abort();
  });
  try {
    const code = await command(called.signal);
    return code === 0 ? code : (exit ?? code);
  } finally {
    stop();
  }
}
