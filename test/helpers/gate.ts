/**
 * A gate that a member's tool call waits at until the test opens it: a named pipe in the workspace. So a call can be
 * in flight for exactly as long as a test needs, with no sleeping.
 */

import { execFile } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

export interface Gate {
  /** Lets one caller through, the one that waits or the next. */
  open(): Promise<void>;
}

/** The call of a script that waits at the gate of this name. Write-class: the member needs `base: write`. */
export function waitAt(name: string): { tool: string; args: { command: string } } {
  return { tool: 'shell_exec', args: { command: `read word < ${name}.gate && echo "$word"` } };
}

/** Makes the gate of this name in a workspace. */
export async function gate(workspace: string, name: string): Promise<Gate> {
  const path = join(workspace, `${name}.gate`);
  await mkdir(dirname(path), { recursive: true });
  await promisify(execFile)('mkfifo', [path]);
  // Open for both ways, so that neither side waits for the other to open it.
  const pipe = await open(path, 'r+');
  onTestFinished(() => pipe.close());
  return {
    open: async () => {
      await pipe.write('open\n');
    },
  };
}
