/** What is missing of a report when the operator decides about it, as this machine can tell. */

import { workspaceGit } from './briefs/open-desk.js';
import type { House } from './house.js';
import type { OpenTeam } from './open-team.js';
import { workspaceHere } from './workers/local-workspace.js';
import { missingOfGate, workspaceFiles } from './workspace-files.js';

/** Artifacts that are not there, of the task that a gate's request is about; nothing for another request. */
export async function missingOfRequest(
  house: House,
  team: Pick<OpenTeam, 'id' | 'folder' | 'store'>,
  request: string,
): Promise<readonly string[]> {
  const { state } = team.store;
  const { run, workspace } = state;
  if (run === null) return [];
  const { git } = await workspaceGit(house, team, run);
  const files = workspaceFiles(workspaceHere(house, team.id, run, workspace), git);
  return missingOfGate(state, request, files, house.hostname);
}
