/**
 * Visits a directory and everything below it, links never followed, within bounds of entries and depth. Every
 * directory is opened below the open one before it, so a link swapped in meanwhile is not followed either.
 */

import { cancelled } from '../../shared/abort.js';
import type { OpenFolder } from './confinement.js';
import type { Directory } from './descriptor-walk.js';
import { openBelow } from './descriptor-walk.js';
import { folderEntries } from './folder-entries.js';
import type { Location } from './roots.js';
import { below } from './roots.js';

/** One directory with the names of its regular files. `directory` is open until the next one is asked for. */
export interface TreeFolder {
  readonly location: Location;
  readonly directory: Directory;
  /** Path from where the visit began, '' or ending in a slash. */
  readonly prefix: string;
  readonly files: readonly string[];
}

/** Why a visit is not complete; shared by the visit and whoever tells of it. */
export interface TreeBounds {
  entries: number;
  /** Set when entries or depth ran out. */
  cut: boolean;
  /** Directories below the first that are wanted at all, in levels; what lies deeper is not missed. */
  readonly levels: number;
}

const MAX_DEPTH = 64;

/** Never entered: git's own, and what others wrote. A path that names one is visited. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** Said in the descriptions of tools that visit. */
export const SKIPPED_TEXT = 'Directories named .git and node_modules are left out, links are not followed.';

/** The bounds of one visit. */
export function treeBounds(entries: number, levels = Number.POSITIVE_INFINITY): TreeBounds {
  return { entries, cut: false, levels };
}

/** Depth first, a directory's own files before those below it, names in order. Closes what it opens itself. */
export async function* visit(
  start: OpenFolder,
  bounds: TreeBounds,
  signal: AbortSignal,
): AsyncGenerator<TreeFolder> {
  yield* visitFolder(start.location, start.directory, [], bounds, signal);
}

async function* visitFolder(
  start: Location,
  directory: Directory,
  path: readonly string[],
  bounds: TreeBounds,
  signal: AbortSignal,
): AsyncGenerator<TreeFolder> {
  if (signal.aborted) throw cancelled(signal);
  const { entries, cut } = await folderEntries(directory, bounds.entries);
  bounds.entries -= entries.length;
  if (cut || path.length >= MAX_DEPTH) bounds.cut = true;
  const files = entries.filter((entry) => entry.kind === 'file').map((entry) => entry.name);
  const prefix = path.map((name) => `${name}/`).join('');
  if (files.length > 0) yield { location: below(start, path), directory, prefix, files };
  if (bounds.cut || path.length >= bounds.levels) return;
  for (const { name, kind } of entries) {
    if (kind !== 'directory' || SKIPPED.has(name)) continue;
    const outcome = await openBelow(directory, name).catch(() => undefined); // no permission: left out
    if (outcome?.kind !== 'open') continue;
    try {
      yield* visitFolder(start, outcome.directory, [...path, name], bounds, signal);
    } finally {
      await outcome.directory.close();
    }
    if (bounds.cut) return;
  }
}
