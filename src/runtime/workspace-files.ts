/** Whether an artifact is there: a regular file of the workspace, by the same guard as the file tools. */

import type { FactOf } from '../events/event.js';
import { fileAccess } from '../tools/file-access.js';

/** The check for the workspace of a run; read roots do not count, artifacts are made here. */
export function workspaceFiles(run: FactOf<'run.started'>): (path: string) => Promise<boolean> {
  const files = fileAccess({ workspace: run.workspace.path, reads: [] });
  return async (path) => {
    const opened = await files.file(path);
    if ('kind' in opened) return false;
    await opened.handle.close();
    return true;
  };
}
