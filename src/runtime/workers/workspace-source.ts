/**
 * What the record of a run says of its workspace where several machines serve the team: on which it is, and what another
 * makes the same from (spec/engine.md §3). Looked at once, before the first entry.
 */

import type { FactOf } from '../../events/event.js';
import { deadlineAfter } from '../../shared/abort.js';
import { workspaceGit } from '../briefs/open-desk.js';
import type { House } from '../house.js';
import type { OpenTeam } from '../open-team.js';

type Workspace = FactOf<'run.started'>['workspace'];

/** The look may take no longer. */
const LOOK_MS = 60_000;

/**
 * Its machine and source. A directory can be made anew elsewhere when it is the tree of a repository, as its commit has it,
 * and the commit was pushed; one of the run's own when it is empty. What else the run reads is on this machine alone.
 * @param copied whether a directory of the run's own begins with files of another
 */
export async function sharedWorkspace(
  house: Pick<House, 'toolEnvironment' | 'hostname'>,
  team: Pick<OpenTeam, 'id' | 'folder'>,
  { workspace, reads }: Pick<FactOf<'run.started'>, 'workspace' | 'reads'>,
  copied: boolean,
): Promise<Workspace> {
  const here = { ...workspace, host: house.hostname };
  if (reads.length > 0 || copied) return here;
  if (workspace.kind === 'temp') return { ...here, source: 'empty' };
  const { git } = await workspaceGit(house, team, { workspace, reads });
  const source = await git.published(deadlineAfter(LOOK_MS));
  return source === null ? here : { ...here, source };
}
