/**
 * The folder of a team on Redis on a machine that serves it: notes about processes of its tools, and what only the machine
 * has that runs it: its mirror, a workspace of its own, what a server has lost. Whoever is the last to leave takes away what
 * is empty; several processes may have it, so nobody counts on its being there.
 */

import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../shared/errors.js';
import type { House, RedisPlace } from '../house.js';
import { endOld } from '../open-team.js';
import { redisFolder, servedHere } from './redis-link.js';

/** Where processes of its tools are kept account of. @param folder of the team */
export function processesIn(folder: string): string {
  return join(folder, 'processes');
}

/** Takes away what is empty of it. Rejects as the disk does. */
export async function leaveFolder(folder: string): Promise<void> {
  for (const path of [processesIn(folder), folder]) {
    try {
      await rmdir(path);
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
    }
  }
}

/**
 * Clears away the folders that killed workers have left of teams that are there no more. What holds more than notes about
 * processes stays.
 * @param there the teams that are there, or that this machine has the mirror of
 */
export async function clearFolders(
  house: Pick<House, 'home'>,
  place: RedisPlace,
  there: readonly string[],
): Promise<void> {
  for (const id of await servedHere(house, place)) {
    const folder = redisFolder(house, place, id);
    if (there.includes(id) || (await readdir(folder)).some((name) => name !== 'processes')) continue;
    await endOld(processesIn(folder));
    await leaveFolder(folder);
  }
}
