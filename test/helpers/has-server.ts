/** Which servers this machine has. */

import { execFileSync } from 'node:child_process';

export type ServerProgram = 'redis-server' | 'valkey-server';

/** Whether this machine has the program. */
export function hasServer(program: ServerProgram): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // not installed, or not runnable: the tests that need it say so by name
  }
}
