/** Which folder of entries a command is about that takes one, imports into one, or locks one (spec/skills.md §9). */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CataloguePlaces, newFileFolders, skillPlaces } from '../../catalog/tiers.js';
import { isInside } from '../../shared/inner-path.js';
import { type Dialect, dialectOf } from '../read/dialect.js';
import { missionMark } from '../read/mission-mark.js';
import type { WantedFolder } from './target-folder.js';

/**
 * The folder that was named, else that of the mission repository that was named, else `skills` in the working directory.
 * @param workingDirectory real path
 * @param written as it was typed; null: nobody said
 */
export function wantedFolder(
  { mission }: Pick<CataloguePlaces, 'mission'>,
  workingDirectory: string,
  written: string | null,
): WantedFolder {
  if (written === null && mission?.named === true) {
    return { path: newFileFolders('mission', mission.path).skills, root: mission.path, tier: 'mission' };
  }
  const path = resolve(workingDirectory, written ?? 'skills');
  if (mission !== null && isInside(path, mission.path)) return { path, root: mission.path, tier: 'mission' };
  const near = isInside(path, workingDirectory);
  return { path, root: near && written === null ? workingDirectory : null, tier: 'project' };
}

/** The dialect in which the entries of a folder are read when they are loaded; null: it is no place of the catalogue. */
export async function dialectAt(places: CataloguePlaces, folder: string): Promise<Dialect | null> {
  const real = await realOr(folder);
  for (const place of skillPlaces(places)) {
    if ((await realOr(place.folder)) !== real) continue;
    return dialectOf(place, (await missionMark(places.mission)).dialect);
  }
  return null;
}

async function realOr(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
