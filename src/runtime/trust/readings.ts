/**
 * What the frontmatter of a text says to those who read it, for whoever has to see what a reviewer does not.
 *
 * Always true: a value that any reader takes from a file stands in one of the readings; readers mend a file that is no
 * YAML in ways of their own, so each is asked.
 */

import type { WrittenMapping } from '../../catalog/files/written-mapping.js';
import { readRoleMapping } from '../../catalog/roles/role-mapping.js';
import { splitFrontmatter } from '../../shared/frontmatter.js';
import { readOpenMapping } from '../../skills/parse/open-mapping.js';

/** The readings of a text; none where nobody can read it. Recipes and governed files are read as strict YAML or less. */
export function readingsOf(path: string, text: string): readonly WrittenMapping[] {
  const split = splitFrontmatter(text);
  const readings = [
    readRoleMapping(path, text),
    ...(split.kind === 'split' ? [readOpenMapping(path, split.frontmatter)] : []),
  ];
  return readings.flatMap((reading) => (reading.kind === 'read' ? [reading.mapping] : []));
}
