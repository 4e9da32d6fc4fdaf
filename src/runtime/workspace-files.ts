/** Artifacts as they are now: regular files of the workspace, by the same guard as the file tools. */

import type { FactOf } from '../events/event.js';
import type { MissingArtifact } from '../team/command.js';
import type { TeamState } from '../team/show/view.js';
import { fileAccess } from '../tools/files/file-access.js';

/** How many bytes the file at a path of a run's workspace has; null where there is no such file. */
export type FileBytes = (path: string) => Promise<number | null>;

/** The look into the workspace of a run; read roots do not count, artifacts are made here. */
export function workspaceFiles(run: FactOf<'run.started'>): FileBytes {
  const files = fileAccess({ workspace: run.workspace.path, reads: [] });
  return async (path) => {
    const opened = await files.file(path);
    if ('kind' in opened) return null;
    try {
      return (await opened.handle.stat()).size;
    } finally {
      await opened.handle.close();
    }
  };
}

/**
 * Every artifact of a completed task that is not there now, in the order of the board.
 * @param look into the workspace of the run
 */
export async function missingArtifacts(state: TeamState, look: FileBytes): Promise<MissingArtifact[]> {
  const named = [...state.tasks.values()].flatMap((task) =>
    task.state.kind === 'completed' ? task.state.artifacts.map((path) => ({ task: task.id, path })) : [],
  );
  const missing: MissingArtifact[] = [];
  for (const artifact of named) if ((await look(artifact.path)) === null) missing.push(artifact);
  return missing;
}

/** What is missing of a report that the operator is asked about by a gate; nothing for another request. */
export async function missingOfGate(
  state: TeamState,
  request: string,
  look: FileBytes,
): Promise<readonly string[]> {
  const task = [...state.tasks.values()].find(({ gate }) => gate === request);
  if (task?.state.kind !== 'in_review') return [];
  const missing: string[] = [];
  for (const path of task.state.artifacts) if ((await look(path)) === null) missing.push(path);
  return missing;
}
