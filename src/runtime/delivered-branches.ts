/** Branches that briefs were delivered on, looked for where they were made: in the repository of the team's workspace. */

import { ourGit } from '../delegate/workspace/our-git.js';
import type { Fact } from '../events/event.js';
import { deadlineAfter } from '../shared/abort.js';
import { gitDirectory } from '../shared/git-directory.js';

/** How long one look may take, in milliseconds. */
const LOOK_MS = 10_000;

/**
 * A line per branch that is gone or stands elsewhere; nobody need keep one once it is merged.
 * @param path `PATH` to find git in
 */
export async function goneBranches(facts: readonly Fact[], path: string): Promise<readonly string[]> {
  const delivered = facts.filter((fact) => fact.type === 'brief.delivered');
  const workspace = facts.find((fact) => fact.type === 'run.started')?.workspace.path;
  if (delivered.length === 0 || workspace === undefined) return [];
  const heads = await headsOf(workspace, path);
  if (heads === undefined)
    return [
      `whether the branches that were delivered are still there cannot be seen: ${workspace} is no repository that git reads`,
    ];
  return delivered.flatMap(({ brief, branch, head }) => {
    const found = heads.get(`refs/heads/${branch}`);
    if (found === head) return [];
    const now = found === undefined ? 'is not there any more' : `stands at ${found} now`;
    return [`brief ${brief}: branch ${branch}, delivered at ${head}, ${now}`];
  });
}

async function headsOf(workTree: string, path: string): Promise<ReadonlyMap<string, string> | undefined> {
  const found = await gitDirectory(workTree);
  if (found.kind !== 'found') return undefined;
  const tools = { path, timeoutMs: LOOK_MS, signal: deadlineAfter(LOOK_MS) };
  const listed = await ourGit(tools, { gitDir: found.gitDir, workTree }, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads/bnerd/',
  ]);
  if (listed.kind !== 'done' || listed.cut) return undefined;
  return new Map(
    listed.output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ') as [string, string]),
  );
}
