/**
 * Where a finding points, as a report shows it. Most findings are about files; some are about a flag, a variable, a
 * word of the command line or the settings file of the home directory, which no report of a repository can point to.
 */

import { isAbsolute, relative, resolve, sep } from 'node:path';

/** The two folders that paths are shown from. Absolute. */
export interface ReportFolders {
  readonly workingDirectory: string;
  /** The repository around it, or the working directory itself: what annotations are relative to. */
  readonly root: string;
}

export type FilePlace =
  /** Relative to the root, in normal form. */
  | { readonly kind: 'inside'; readonly path: string }
  /** Absolute. */
  | { readonly kind: 'outside'; readonly path: string };

/** The file of a finding; null when what it names is no file of this machine's tree. */
export function fileOf(path: string, { workingDirectory, root }: ReportFolders): FilePlace | null {
  if (!namesFile(path)) return null;
  const full = resolve(workingDirectory, path);
  const inner = within(full, root);
  return inner === undefined ? { kind: 'outside', path: full } : { kind: 'inside', path: inner };
}

/** As a person in the working directory would type it: relative when it lies there, else as it is. */
export function shownFrom(path: string, workingDirectory: string): string {
  return isAbsolute(path) ? (within(path, workingDirectory) ?? path) : path;
}

/** A path and not the name of a flag, a variable or a recipe; `~` is no folder to a program. */
function namesFile(path: string): boolean {
  if (path.startsWith('--') || path.startsWith('~')) return false;
  return path.includes(sep) || /\.(md|ya?ml)$/i.test(path);
}

function within(full: string, folder: string): string | undefined {
  const inner = relative(folder, full);
  return inner === '' || inner === '..' || inner.startsWith(`..${sep}`) ? undefined : inner;
}
