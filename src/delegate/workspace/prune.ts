/**
 * What of a runner's folder may go (spec/runner.md §3 "Workspace"): briefs that were kept, when they are old or when room is
 * needed; what a killed process left half made. First it is listed, then what was listed is removed: the list is all that a
 * dry run needs.
 *
 * Always true: only what is ours by its mark, and whose brief has ended, is listed; a folder that has changed its mark since
 * is left alone.
 */

import { lstat, readdir, rename, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../../shared/errors.js';
import { folderBytes } from '../../shared/folder-bytes.js';
import { mirrorsFolder, UNFINISHED } from './mirror.js';
import { keptBriefs } from './places.js';
import { removeTree } from './remove-tree.js';

export interface PruneRule {
  /** The time, in milliseconds since the epoch: ages are for people, nothing is decided by them but what to remove. */
  readonly nowMs: number;
  /** What was kept for longer than this goes. */
  readonly keepMs: number;
  /** While less than this is free, the oldest goes, whatever its age. */
  readonly minFreeBytes: number;
  /** What is free, unless the file system is to be asked. */
  readonly freeBytes?: number;
}

export interface Prunable {
  readonly path: string;
  /** Null: something half made. */
  readonly brief: string | null;
  readonly bytes: number;
  /** Since when and why it was kept, for people; null where nobody said. */
  readonly keptAt: string | null;
  readonly keptFor: string | null;
  readonly because: 'age' | 'space' | 'unfinished';
}

export interface Pruned {
  readonly removed: readonly Prunable[];
  /** What could not be removed, with the reason. */
  readonly left: readonly (Prunable & { readonly reason: string })[];
}

/** What makes a mirror has given up by then, whatever its size. */
const UNFINISHED_MS = 24 * 3_600_000;

/** Bytes that can still be written below a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** What may go, the oldest first. */
export async function prunable(workdir: string, rule: PruneRule): Promise<readonly Prunable[]> {
  const found = await unfinished(workdir, rule.nowMs);
  const kept = [...(await keptBriefs(workdir))].sort(
    (one, other) => Date.parse(one.at) - Date.parse(other.at),
  );
  let free =
    (rule.freeBytes ?? (await freeBytes(workdir))) + found.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { brief, root, at, why } of kept) {
    const isOld = rule.nowMs - Date.parse(at) > rule.keepMs;
    if (!isOld && free >= rule.minFreeBytes) continue;
    const bytes = await folderBytes(root);
    free += bytes;
    found.push({ path: root, brief, bytes, keptAt: at, keptFor: why, because: isOld ? 'age' : 'space' });
  }
  return found;
}

/** Removes what was listed. */
export async function prune(workdir: string, listed: readonly Prunable[]): Promise<Pruned> {
  const removed: Prunable[] = [];
  const left: (Prunable & { reason: string })[] = [];
  for (const each of listed) {
    try {
      const still = (await keptBriefs(workdir)).some(
        ({ root, at }) => root === each.path && at === each.keptAt,
      );
      if (each.brief !== null && !still) {
        left.push({ ...each, reason: 'it is not kept any more' });
        continue;
      }
      // Out of the way first: half of a folder must not be met as a whole one.
      const going = `${each.path}${GOING}`;
      await rename(each.path, going);
      await removeTree(going);
      removed.push(each);
    } catch (error) {
      left.push({ ...each, reason: errorText(error) });
    }
  }
  return { removed, left };
}

/** Ends the name of what is being removed. */
const GOING = '.going';

/** Mirrors that nobody finished, and removals that nobody finished. */
async function unfinished(workdir: string, nowMs: number): Promise<Prunable[]> {
  const found: Prunable[] = [];
  const look = async (folder: string, isOne: (name: string) => boolean, ageMs: number): Promise<void> => {
    for (const name of (await readdir(folder).catch(() => [])).filter(isOne).sort()) {
      const path = join(folder, name);
      const stats = await lstat(path).catch(() => null);
      if (stats === null || !stats.isDirectory() || nowMs - stats.mtimeMs < ageMs) continue;
      const bytes = await folderBytes(path);
      found.push({ path, brief: null, bytes, keptAt: null, keptFor: null, because: 'unfinished' });
    }
  };
  await look(mirrorsFolder(workdir), (name) => name.startsWith(UNFINISHED), UNFINISHED_MS);
  await look(join(workdir, 'briefs'), (name) => name.endsWith(GOING), 0);
  return found;
}
