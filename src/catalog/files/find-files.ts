/**
 * Finding the files of a place. What cannot be looked into is a finding and hides nothing else.
 *
 * Always true: the order is by code units of the path, so that it is the same on every machine; a folder is
 * walked once, also when links make circles; folders and files whose name begins with a dot are not looked at.
 */

import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText, systemCode } from '../../shared/errors.js';
import { type Finding, firstOf } from '../../shared/findings.js';
import { isInside } from '../../shared/inner-path.js';
import { type CataloguePlace, RECIPE_FILE } from '../tiers.js';
import { isSlug, SLUG_RULE } from './names.js';

/** A file of the catalogue that was found and not yet read. */
export interface FoundFile extends CataloguePlace {
  readonly path: string;
}

/** A recipe that was found; its slug is the name of its folder. */
export interface FoundRecipe extends FoundFile {
  readonly slug: string;
}

/**
 * Bounds of one place, far beyond what people write by hand: a tree of strangers is looked through at every start.
 * What lies beyond is a finding, and the files that are kept are the same on every machine.
 */
const MAX_FILES = 5_000;
const MAX_FOLDERS = 5_000;
const MAX_DEPTH = 16;

/** Every `<slug>/team.md` of a place. A folder with such a file and a name that is no slug is a finding. */
export async function findRecipeFiles(
  place: CataloguePlace,
): Promise<{ files: FoundRecipe[]; findings: Finding[] }> {
  const { entries, findings } = await lookInto(place.folder, place);
  const files: FoundRecipe[] = [];
  if (entries.length > MAX_FOLDERS) findings.push(tooMany(place, `${MAX_FOLDERS} folders`));
  for (const entry of entries.slice(0, MAX_FOLDERS)) {
    const path = join(place.folder, entry.name, RECIPE_FILE);
    if (entry.isFile() || !(await exists(path))) continue;
    if (isSlug(entry.name)) files.push({ ...place, path, slug: entry.name });
    else findings.push(notASlug(path, entry.name));
  }
  return { files, findings: told(findings, place) };
}

/**
 * Every Markdown file below a place, but for `README.md`, which tells people about the folder. Folders are walked
 * level by level, so that what is left out beyond a bound lies deepest.
 */
export async function findRoleFiles(
  place: CataloguePlace,
): Promise<{ files: FoundFile[]; findings: Finding[] }> {
  const files: FoundFile[] = [];
  const findings: Finding[] = [];
  const walked = new Set<string>();
  let level = [place.folder];
  let foldersLeft = false;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) {
      findings.push(
        tooMany({ ...place, folder: level[0] ?? place.folder }, `${MAX_DEPTH} levels of folders`),
      );
      break;
    }
    const below: string[] = [];
    for (const folder of level) {
      const real = (await realFolder(folder)) ?? folder;
      if (walked.has(real)) continue;
      foldersLeft ||= walked.size === MAX_FOLDERS;
      if (foldersLeft || files.length > MAX_FILES) break;
      walked.add(real);
      const listed = await lookInto(folder, place);
      findings.push(...listed.findings);
      for (const entry of listed.entries) {
        const path = join(folder, entry.name);
        if (await isFolder(entry, path)) below.push(path);
        else if (/\.md$/i.test(entry.name) && !/^readme\.md$/i.test(entry.name))
          files.push({ ...place, path });
      }
    }
    level = below;
  }
  if (foldersLeft) findings.push(tooMany(place, `${MAX_FOLDERS} folders`));
  if (files.length > MAX_FILES) findings.push(tooMany(place, `${MAX_FILES} files`));
  const kept = files.slice(0, MAX_FILES);
  return {
    files: kept.sort((one, other) => byCodeUnits(one.path, other.path)),
    findings: told(findings, place),
  };
}

/** Remarks on one place that are given one by one. */
const TOLD = 50;

function told(findings: readonly Finding[], { folder }: CataloguePlace): Finding[] {
  const rest = (count: number): Finding => ({
    code: 'more-findings',
    severity: 'warning',
    path: folder,
    message: `${count} more remarks on this place`,
    remedy: 'see to those that are told first',
  });
  return [...firstOf(findings, TOLD, rest)];
}

/** The order of every listing: by code units, never by locale. */
function byCodeUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The entries of a folder, unless a link leads out of the root of its tier. */
async function lookInto(
  folder: string,
  place: CataloguePlace,
): Promise<{ entries: Dirent[]; findings: Finding[] }> {
  const [real, root] = await Promise.all([realFolder(folder), realFolder(place.root)]);
  const leads = real !== undefined && root !== undefined && !isInside(real, root);
  return leads ? { entries: [], findings: [leadsOut(folder, place.root)] } : listFolder(folder, place);
}

async function listFolder(
  folder: string,
  place: CataloguePlace,
): Promise<{ entries: Dirent[]; findings: Finding[] }> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const seen = entries.filter((entry) => !entry.name.startsWith('.'));
    return { entries: seen.sort((one, other) => byCodeUnits(one.name, other.name)), findings: [] };
  } catch (error) {
    return { entries: [], findings: await folderFindings(folder, place, error) };
  }
}

/** A tier without such a folder is as good as an empty one; a tier whose root is missing is a mistake. */
async function folderFindings(folder: string, place: CataloguePlace, error: unknown): Promise<Finding[]> {
  if (systemCode(error) !== 'ENOENT') {
    const message = `the folder cannot be read: ${systemCode(error) ?? errorText(error)}`;
    const remedy = 'make it a folder that you may read (ls -ld shows its kind and permissions)';
    return [{ code: 'unreadable-folder', severity: 'error', path: folder, message, remedy }];
  }
  // Who has no such folder in the home directory has no roles there.
  if (place.tier === 'global' || (await exists(place.root))) return [];
  const message = `the folder of the ${place.tier} tier does not exist`;
  return [{ code: 'missing-place', severity: 'error', path: place.root, message, remedy: 'check the path' }];
}

/** Whether to walk into an entry. Links are followed; whether one leads out is judged before its target is read. */
async function isFolder(entry: Dirent, path: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // a dangling link: its file name decides whether it is read, and reading says what is wrong
  }
}

async function realFolder(folder: string): Promise<string | undefined> {
  try {
    return await realpath(folder);
  } catch {
    return undefined; // listing it says what is wrong
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    // Anything but absence is reported by whoever reads it.
    return systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR';
  }
}

function leadsOut(folder: string, root: string): Finding {
  const message = `the folder is a link that leads out of ${root}`;
  const remedy = 'replace the link by the folder itself';
  return { code: 'link-leads-out', severity: 'error', path: folder, message, remedy };
}

/** The code of the finding that not all of a place was looked at: what was left out may have been approved. */
export const TOO_MANY_FILES = 'too-many-files';

function tooMany({ folder }: CataloguePlace, bound: string): Finding {
  const message = `the place holds more than ${bound}; what lies beyond is not looked at`;
  const remedy = 'move what is no recipe or role to another folder';
  return { code: TOO_MANY_FILES, severity: 'warning', path: folder, message, remedy };
}

function notASlug(path: string, name: string): Finding {
  const message = `the folder name "${name}" is no slug; a slug is ${SLUG_RULE}, at most 64 characters`;
  return { code: 'bad-slug', severity: 'error', path, message, remedy: 'rename the folder' };
}
