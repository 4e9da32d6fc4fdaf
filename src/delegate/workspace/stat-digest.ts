/**
 * Whether anything below a folder has changed, told without reading a file: by names, kinds, sizes and the times of last
 * change, which the system sets and nobody can set back. No link is followed.
 */

import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../shared/errors.js';
import { inGroups } from '../../shared/in-groups.js';

/** How many entries may still be looked at; what is beyond is not told. */
export interface LookBudget {
  entries: number;
}

/** A digest of everything at and below a path; `missing` where there is nothing. */
export async function statDigest(path: string, budget: LookBudget, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const add = async (at: string, name: string): Promise<void> => {
    const line = await statLine(at);
    hash.update(`${name}\0${line}\n`);
    if (!line.startsWith('folder')) return;
    const names = (await readdir(at).catch(() => [])).sort();
    const looked = names.slice(0, Math.max(0, budget.entries));
    budget.entries -= looked.length;
    const lines = await inGroups(looked, (each) => statLine(join(at, each)), signal);
    for (const [index, each] of looked.entries()) {
      if (lines[index]?.startsWith('folder') === true) await add(join(at, each), `${name}/${each}`);
      else hash.update(`${name}/${each}\0${lines[index]}\n`);
    }
    if (looked.length < names.length) hash.update(`${names.length} entries\n`);
  };
  const first = await statLine(path);
  if (first === 'missing') return first;
  await add(path, '');
  return hash.digest('hex');
}

/** One entry, in a line that changes whenever it does. */
export async function statLine(path: string): Promise<string> {
  try {
    const stats = await lstat(path, { bigint: true });
    const kind = stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
    return `${kind} ${stats.ino} ${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'missing' : `unreadable: ${systemCode(error) ?? ''}`;
  }
}
