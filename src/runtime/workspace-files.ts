/**
 * Artifacts as they are now: regular files of the workspace, by the same guard as the file tools; of a task whose work an
 * engineer has delivered, those of the delivered commit as well.
 */

import { deadlineAfter } from '../shared/abort.js';
import { deliveredHead } from '../team/brief.js';
import type { MissingArtifact } from '../team/command.js';
import type { TeamState } from '../team/show/view.js';
import { isOn } from '../team/workspace.js';
import { fileAccess } from '../tools/files/file-access.js';
import type { WorkspaceGit } from './briefs/workspace-git.js';

/**
 * How many bytes the file at a path of a run's workspace has, or of a commit in its repository; null where there is no such
 * file in either.
 */
export type FileBytes = (path: string, head: string | null) => Promise<number | null>;

/** A look into a commit takes no longer. */
const LOOK_MS = 60_000;

/**
 * The look into the workspace of a run; read roots do not count, artifacts are made here.
 * @param workspace where it is on this machine
 * @param git reader of its repository; null: nothing is delivered there
 */
export function workspaceFiles(workspace: string, git: WorkspaceGit | null): FileBytes {
  const files = fileAccess({ workspace, reads: [] });
  return async (path, head) => {
    const opened = await files.file(path);
    if ('kind' in opened)
      return head === null || git === null ? null : git.fileBytes(head, path, deadlineAfter(LOOK_MS));
    try {
      return (await opened.handle.stat()).size;
    } finally {
      await opened.handle.close();
    }
  };
}

/**
 * Every artifact of a completed task that is not there now, in the order of the board. None where the files are on another
 * machine: there they were looked at when the task was reported.
 * @param look into the workspace of the run
 * @param host this machine
 */
export async function missingArtifacts(
  state: TeamState,
  look: FileBytes,
  host: string,
): Promise<MissingArtifact[]> {
  if (!isOn(state, host)) return [];
  const named = [...state.tasks.values()].flatMap((task) =>
    task.state.kind === 'completed'
      ? task.state.artifacts.map((path) => ({ task: task.id, path, head: deliveredHead(task) }))
      : [],
  );
  const missing: MissingArtifact[] = [];
  for (const { task, path, head } of named)
    if ((await look(path, head)) === null) missing.push({ task, path });
  return missing;
}

/** What is missing of a report that the operator is asked about by a gate; nothing for another request, and as above. */
export async function missingOfGate(
  state: TeamState,
  request: string,
  look: FileBytes,
  host: string,
): Promise<readonly string[]> {
  if (!isOn(state, host)) return [];
  const task = [...state.tasks.values()].find(({ gate }) => gate === request);
  if (task?.state.kind !== 'in_review') return [];
  const missing: string[] = [];
  for (const path of task.state.artifacts)
    if ((await look(path, deliveredHead(task))) === null) missing.push(path);
  return missing;
}
