/**
 * What of a runner's folder may go (spec/runner.md §3 "Workspace"): briefs that were kept, when they are old or when room is
 * needed; mirrors that no brief has asked for in a month; what a killed process left half made. First it is listed, then what was listed is removed: the list is all that a
 * dry run needs.
 *
 * Always true: only what is ours by its mark, and whose brief has ended, is listed; a folder that has changed its mark since
 * is left alone, and so is a mirror that is used again, or that a brief still there may have been made from.
 */

import { lstat, readdir, rename, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isoStamp } from '../../shared/clock.js';
import { errorText } from '../../shared/errors.js';
import { folderBytes } from '../../shared/folder-bytes.js';
import { mirrorsFolder } from './mirror.js';
import { forgetUse, lastUse } from './mirror-use.js';
import { briefsFolder, keptBrief, keptBriefs, UNFINISHED } from './places.js';
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
  readonly what: 'brief' | 'mirror' | 'unfinished';
  /** Null: no brief. */
  readonly brief: string | null;
  readonly bytes: number;
  /** Since when and why it was kept, for people; of a mirror its last use; null where nobody said. */
  readonly keptAt: string | null;
  readonly keptFor: string | null;
  readonly because: 'age' | 'space' | 'unfinished';
}

export interface Pruned {
  readonly removed: readonly Prunable[];
  /** What could not be removed, with the reason. */
  readonly left: readonly (Prunable & { readonly reason: string })[];
}

/** What makes a mirror or a folder has given up by then, whatever its size. */
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
    const because = isOld ? 'age' : 'space';
    found.push({ path: root, what: 'brief', brief, bytes, keptAt: at, keptFor: why, because });
  }
  return [...found, ...(await unusedMirrors(workdir, rule.nowMs, found))];
}

/** Mirrors that nobody has asked for in so long; the next brief makes one anew. */
const MIRROR_MS = 30 * 24 * 3_600_000;

async function unusedMirrors(
  workdir: string,
  nowMs: number,
  going: readonly Prunable[],
): Promise<readonly Prunable[]> {
  const before = nowMs - MIRROR_MS;
  const remaining = await briefFolders(workdir);
  for (const root of remaining.filter((path) => going.every((each) => each.path !== path))) {
    // One that began so long ago may have been made from any of them, and its objects may lie there.
    const began = (await stat(join(root, 'brief.json')).catch(() => null))?.mtimeMs ?? 0;
    if (began <= before) return [];
  }
  const found: Prunable[] = [];
  const folder = mirrorsFolder(workdir);
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.git'));
  for (const path of names.sort().map((name) => join(folder, name))) {
    const used = await lastUse(workdir, path);
    if (used === null || used > before || !(await lstat(path)).isDirectory()) continue;
    const keptAt = isoStamp(used);
    const keptFor = 'a mirror, last asked for then';
    found.push({
      path,
      what: 'mirror',
      brief: null,
      bytes: await folderBytes(path),
      keptAt,
      keptFor,
      because: 'age',
    });
  }
  return found;
}

async function briefFolders(workdir: string): Promise<readonly string[]> {
  const folder = briefsFolder(workdir);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => !name.startsWith(UNFINISHED) && !name.endsWith(GOING))
    .map((name) => join(folder, name));
}

/** Removes what was listed. */
export async function prune(workdir: string, listed: readonly Prunable[]): Promise<Pruned> {
  const removed: Prunable[] = [];
  const left: (Prunable & { reason: string })[] = [];
  for (const each of listed) {
    try {
      if (each.brief !== null && (await keptBrief(workdir, each.brief))?.at !== each.keptAt) {
        left.push({ ...each, reason: 'it is not kept any more' });
        continue;
      }
      // Out of the way first: half of a folder must not be met as a whole one.
      const going =
        each.what === 'mirror'
          ? join(dirname(each.path), `${UNFINISHED}${basename(each.path)}${GOING}`)
          : `${each.path}${GOING}`;
      await rename(each.path, going);
      if (each.what === 'mirror' && (await isUsedAgain(workdir, each, going))) {
        await rename(going, each.path).catch(() => removeTree(going)); // made anew by then
        left.push({ ...each, reason: 'it is used again' });
        continue;
      }
      await removeTree(going);
      if (each.what === 'mirror') await forgetUse(workdir, each.path);
      removed.push(each);
    } catch (error) {
      left.push({ ...each, reason: errorText(error) });
    }
  }
  return { removed, left };
}

/** Whether a brief has asked for a mirror since it was listed: it says so before it looks. */
async function isUsedAgain(workdir: string, { path, keptAt }: Prunable, going: string): Promise<boolean> {
  const used = await lastUse(workdir, path, going);
  return used !== null && isoStamp(used) !== keptAt;
}

/** Ends the name of what is being removed. */
const GOING = '.going';

/** What nobody has finished to make, and what nobody has finished to remove. */
async function unfinished(workdir: string, nowMs: number): Promise<Prunable[]> {
  const found: Prunable[] = [];
  const look = async (folder: string, isOne: (name: string) => boolean, ageMs: number): Promise<void> => {
    for (const name of (await readdir(folder).catch(() => [])).filter(isOne).sort()) {
      const path = join(folder, name);
      const stats = await lstat(path).catch(() => null);
      if (stats === null || !stats.isDirectory() || nowMs - stats.mtimeMs < ageMs) continue;
      const bytes = await folderBytes(path);
      found.push({
        ...{ path, what: 'unfinished', brief: null, bytes },
        ...{ keptAt: null, keptFor: null, because: 'unfinished' },
      });
    }
  };
  await look(mirrorsFolder(workdir), (name) => name.startsWith(UNFINISHED), UNFINISHED_MS);
  await look(briefsFolder(workdir), (name) => name.startsWith(UNFINISHED), UNFINISHED_MS);
  await look(briefsFolder(workdir), (name) => name.endsWith(GOING), 0);
  return found;
}
