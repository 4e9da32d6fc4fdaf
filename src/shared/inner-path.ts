/**
 * Paths that a recipe writes and that may not lead out of the folder they are relative to: `workspace`,
 * `reads`, task artifacts (spec/team.md §1). This judges the words; links are judged where a path is opened.
 */

import { posix, sep } from 'node:path';

/** What such a path may be, in words, for messages. */
export const INNER_PATH_RULE =
  'a relative path that stays inside (no leading "/" or "~", no ".." that leads out)';

/**
 * The normal form of a relative path (`./a//b/` is `a/b`, the folder itself is `.`), or undefined when it is
 * empty, absolute in the manner of any system, or leads out. A backslash counts as a separator, since the
 * path may be read on a system where it is one.
 */
export function innerPath(written: string): string | undefined {
  const text = written.replaceAll('\\', '/');
  if (text.trim() === '' || text.includes('\0')) return undefined;
  if (text.startsWith('/') || text.startsWith('~') || /^[A-Za-z]:/.test(text)) return undefined;
  const normal = posix.normalize(text).replace(/(.)\/$/, '$1');
  return normal === '..' || normal.startsWith('../') ? undefined : normal;
}

/** Whether a path lies in a folder or is it; both with links already followed. */
export function isInside(real: string, folder: string): boolean {
  return real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
