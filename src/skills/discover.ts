/**
 * Finds the files of entries in the folders of the tiers and remarks on what else lies there
 * (spec/skills.md §2 `extra-file`, §3). Reads names only, no file.
 *
 * Always true: the order does not depend on the file system; names that begin with a dot are not looked at; a
 * folder that cannot be read is a finding and hides no other folder; a folder that is missing holds nothing.
 */

import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isInside } from '../catalog/inner-path.js';
import { SKILL_FILE, type SkillPlace } from '../catalog/tiers.js';
import { errorText, systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { compareBytes } from './byte-order.js';

/** A file that should hold an entry. */
export interface FoundEntry {
  readonly place: SkillPlace;
  readonly path: string;
  /** The directory name of `<name>/SKILL.md`, the stem of `<name>.md`. */
  readonly expectedName: string;
}

export interface Discovery {
  /** In the order of the places, byte order of path within each. */
  readonly found: readonly FoundEntry[];
  readonly findings: readonly Finding[];
}

/** Looks through all places; several may share a folder, one for each layout. */
export async function discoverEntries(places: readonly SkillPlace[]): Promise<Discovery> {
  const folders = new Map<string, SkillPlace[]>();
  for (const place of places) folders.set(place.folder, [...(folders.get(place.folder) ?? []), place]);
  const looked = await Promise.all(
    [...folders.values()].map((sharing) => lookThrough(sharing, new Set(folders.keys()))),
  );
  const found = looked.flatMap((discovery) => discovery.found);
  return {
    found: places.flatMap((place) => found.filter((file) => file.place === place)),
    findings: looked.flatMap((discovery) => discovery.findings),
  };
}

/** Files beside the entries that are known and no entries. */
const KNOWN_FILES = /^(?:readme\.md|skills\.lock)$/i;

async function lookThrough(sharing: readonly SkillPlace[], folders: ReadonlySet<string>): Promise<Discovery> {
  const [place] = sharing;
  if (place === undefined) return { found: [], findings: [] };
  const flat = sharing.find((candidate) => candidate.layout === 'flat');
  const directory = sharing.find((candidate) => candidate.layout === 'directory');
  const found: FoundEntry[] = [];
  const { items, findings } = await listFolder(place.folder, place.root);
  for (const item of items) {
    const path = join(place.folder, item.name);
    if (folders.has(path)) continue; // the folder of other places, such as skills/rules
    const isFolder = await isDirectory(item, path);
    if (isFolder && directory !== undefined) {
      const inner = await lookInside(path, directory);
      found.push(...inner.found);
      findings.push(...inner.findings);
    } else if (!isFolder && KNOWN_FILES.test(item.name)) {
      // Written for people and tools, not for a prompt.
    } else if (!isFolder && flat !== undefined && item.name.endsWith('.md')) {
      found.push({ place: flat, path, expectedName: basename(item.name, '.md') });
    } else {
      findings.push(extraFile(path, sharing.map(formOf).join(' and ')));
    }
  }
  return { found, findings };
}

/** A directory of the `<name>/SKILL.md` layout. */
async function lookInside(path: string, place: SkillPlace): Promise<Discovery> {
  const { items, findings } = await listFolder(path, place.root);
  if (hasSkillFile(items)) {
    for (const item of items) {
      if (item.name !== SKILL_FILE) findings.push(extraFile(join(path, item.name), SKILL_FILE));
    }
    return {
      found: [{ place, path: join(path, SKILL_FILE), expectedName: basename(path) }],
      findings,
    };
  }
  if (findings.length === 0) {
    findings.push({
      code: 'skill-file-missing',
      severity: 'warning',
      path,
      message: `the directory holds no ${SKILL_FILE}, so it is no entry`,
      remedy: `add ${SKILL_FILE} (its name in capitals), or remove the directory`,
    });
  }
  return { found: [], findings };
}

function hasSkillFile(items: readonly Dirent[]): boolean {
  return items.some((item) => item.name === SKILL_FILE);
}

async function listFolder(folder: string, root: string): Promise<{ items: Dirent[]; findings: Finding[] }> {
  try {
    if (!isInside(await realpath(folder), await realpath(root))) {
      return { items: [], findings: [leadsOut(folder, root)] };
    }
    const items = await readdir(folder, { withFileTypes: true });
    const shown = items.filter((item) => !item.name.startsWith('.'));
    return { items: shown.sort((left, right) => compareBytes(left.name, right.name)), findings: [] };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { items: [], findings: [] };
    return { items: [], findings: [unreadable(folder, systemCode(error) ?? errorText(error))] };
  }
}

async function isDirectory(item: Dirent, path: string): Promise<boolean> {
  if (!item.isSymbolicLink()) return item.isDirectory();
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false; // a dangling link: whoever reads it as a file says so
  }
}

function formOf(place: SkillPlace): string {
  return place.layout === 'flat' ? '<name>.md' : `<name>/${SKILL_FILE}`;
}

function extraFile(path: string, allowed: string): Finding {
  const message = `the file or folder is no part of an entry and is not read; here only ${allowed} is`;
  return {
    code: 'extra-file',
    severity: 'warning',
    path,
    message,
    remedy: 'move it out of the governed folder',
  };
}

function leadsOut(path: string, root: string): Finding {
  const message = `the folder is a link that leads out of ${root}`;
  return {
    code: 'link-leads-out',
    severity: 'error',
    path,
    message,
    remedy: 'replace the link by the folder itself',
  };
}

function unreadable(path: string, reason: string): Finding {
  return {
    code: 'unreadable-folder',
    severity: 'error',
    path,
    message: `the folder cannot be read: ${reason}`,
    remedy: 'make it a folder that you may read (ls -ld shows its kind and permissions)',
  };
}
