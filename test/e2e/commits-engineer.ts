/** The engineer of the tests that delegate: it does what lines of its brief say, one deed each. */

import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '../fixtures/runners/commits.mjs');

/** As the settings of a runner name it, under the kind `command`. */
export const COMMITS = { command: { path: process.execPath, args: [PROGRAM] } };

/** The same, told where the workspace of the team is: for deeds in it, which are nobody's to do. */
export function commitsBeside(workspace: string): typeof COMMITS {
  const { path, args } = COMMITS.command;
  return { command: { path, args: [...args, workspace] } };
}
