/**
 * Where an entry is to be written, and what lies there already (spec/skills.md §9).
 *
 * Always true: nothing is written through a link. The folder stays inside its repository with links followed; the
 * directory of an entry and its file are a directory and a file.
 */

import type { Stats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { readSource } from '../../catalog/files/source-file.js';
import { SKILL_FILE, type Tier } from '../../catalog/tiers.js';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { isInside } from '../../shared/inner-path.js';

/** A folder of entries, as it was named. */
export interface WantedFolder {
  /** Absolute; need not exist. */
  readonly path: string;
  /** Absolute: what it must stay in; null: the repository around it, or the folder it lies in. */
  readonly root: string | null;
  readonly tier: Tier;
}

export type TargetFolder =
  /** `path` is real. */
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'refused'; readonly finding: Finding };

/** Follows what exists of a folder. */
export async function openTarget(wanted: WantedFolder): Promise<TargetFolder> {
  const path = resolve(wanted.path);
  if (path.split(sep).includes('.git'))
    return refused(path, 'bad-folder', 'lies in a git directory', 'name another');
  try {
    const nearest = await nearestThere(path);
    const real = await realpath(nearest);
    const root = await realpath(wanted.root ?? (await repositoryAround(path)));
    if (!isInside(real, root)) {
      return refused(path, 'link-leads-out', `is a link that leads out of ${root}`, 'name the folder itself');
    }
    if (!(await stat(real)).isDirectory()) {
      return refused(path, 'bad-folder', 'is no folder', 'name the folder that holds the entries');
    }
    return { kind: 'folder', path: join(real, relative(nearest, path)) };
  } catch (error) {
    const reason = `cannot be looked at: ${systemCode(error) ?? errorText(error)}`;
    return refused(path, 'bad-folder', reason, 'name a folder that you may read');
  }
}

/** What lies under the name of an entry; `text` null: nothing. */
export type Standing =
  | { readonly kind: 'standing'; readonly text: string | null }
  | { readonly kind: 'refused'; readonly finding: Finding };

/** Looks at `<name>/SKILL.md` of a folder. @param folder real path */
export async function standingEntry(folder: string, name: string): Promise<Standing> {
  const directory = join(folder, name);
  const file = join(directory, SKILL_FILE);
  const flat = join(folder, `${name}.md`);
  if ((await look(flat)) !== null) {
    return refused(
      flat,
      'name-taken',
      'has this name already',
      'remove it, or make it a directory of its own',
    );
  }
  const there = await look(directory);
  if (there === null) return { kind: 'standing', text: null };
  if (!there.isDirectory()) {
    return refused(
      directory,
      'name-taken',
      'is a link or a file, where the directory of the entry belongs',
      'remove it',
    );
  }
  const inside = await look(file);
  if (inside === null) {
    if ((await readdir(directory)).length === 0) return { kind: 'standing', text: null };
    return refused(directory, 'name-taken', `holds files and no ${SKILL_FILE}`, 'move them away');
  }
  if (!inside.isFile()) return refused(file, 'name-taken', 'is a link or a folder, no file', 'remove it');
  const source = await readSource(file, folder);
  return source.kind === 'read'
    ? { kind: 'standing', text: source.text }
    : { kind: 'refused', finding: source.finding };
}

async function nearestThere(path: string): Promise<string> {
  let at = path;
  while ((await look(at)) === null && dirname(at) !== at) at = dirname(at);
  return at;
}

/** The folder with `.git` above a path, by its words; else what the path lies in. */
async function repositoryAround(path: string): Promise<string> {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    if ((await look(join(at, '.git'))) !== null) return at;
  }
  return nearestThere(dirname(path));
}

/** Without following a link; null: there is nothing. */
async function look(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
    throw error;
  }
}

function refused(
  path: string,
  code: string,
  found: string,
  remedy: string,
): { readonly kind: 'refused'; readonly finding: Finding } {
  const message = `${basename(path)} ${found}; nothing was written`;
  return { kind: 'refused', finding: { code, severity: 'error', path, message, remedy } };
}
