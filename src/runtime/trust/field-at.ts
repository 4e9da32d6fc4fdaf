/** Where in a file of the catalogue a line stands, in the words of a finding. */

import { splitFrontmatter } from '../../shared/frontmatter.js';

/** Names the place of a line: the key of the frontmatter it belongs to, or the body. */
export function placeNames(text: string): (line: number) => string {
  const split = splitFrontmatter(text);
  const bodyLine = split.kind === 'split' ? split.bodyLine : 1;
  const lines = text.split('\n');
  return (line) => (line < bodyLine ? fieldAt(lines, line) : 'the body');
}

/** The key at or above a line of the frontmatter. */
function fieldAt(lines: readonly string[], line: number): string {
  for (let at = line - 1; at >= 0; at--) {
    const key = /^["']?([A-Za-z_][\w-]*)["']? *:/.exec(lines[at] ?? '')?.[1];
    if (key !== undefined) return `the field "${key}"`;
  }
  return 'the frontmatter';
}
