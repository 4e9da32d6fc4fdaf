/**
 * Where a member's tools find the files that lie beside an entry (spec/skills.md §5 "Support badge").
 *
 * Always true: a path that is given is relative to the workspace, so that a prompt holds no path of a machine, and leads
 * into the workspace; a member that cannot read files is given none.
 */

import { basename, dirname, relative, sep } from 'node:path';
import { SKILL_FILE } from '../../catalog/tiers.js';
import { isInside } from '../../shared/inner-path.js';
import type { BundlePathOf } from '../../skills/render.js';

/** No name that a tool would be given so, and nothing to put into a sentence. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * @param workspace real path; null for one that is made when the run starts, which holds no bundle
 * @param tools names of the tools that the member has
 */
export function bundlePathIn(workspace: string | null, tools: readonly string[]): BundlePathOf {
  if (workspace === null || !tools.includes('fs_read_file')) return () => null;
  return ({ path }) => {
    const folder = dirname(path);
    // A file that stands alone has no bundle; a bundle that is the workspace itself has no name in it.
    if (basename(path) !== SKILL_FILE || folder === workspace || !isInside(folder, workspace)) return null;
    const inner = relative(workspace, folder).split(sep).join('/');
    return UNSEEN.test(inner) ? null : inner;
  };
}
