/** The `PATH` for programs that are started for a call of class Read: outside of every root of the run. */

import { programPath } from '../shared/program-path.js';
import type { Roots } from './files/roots.js';
import { locate } from './files/roots.js';

/** The entries of a `PATH` that are absolute and lie, links resolved, outside every root. */
export function pathOutsideRoots(path: string, roots: Roots): Promise<string> {
  return programPath(path, (folder) => locate(roots, folder).kind !== 'refused');
}
