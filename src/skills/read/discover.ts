/**
 * Finds the files of entries in the folders of the tiers and remarks on what else lies there
 * (spec/skills.md §2 `extra-file`, §3). Reads names only, no file.
 *
 * Always true: the order does not depend on the file system; names that begin with a dot are not looked at; a
 * folder that cannot be read is a finding and hides no other folder; a folder that is missing holds nothing; a bundle
 * inside a bundle is not looked for. In open folders other files are resources of their entries, and anything may lie
 * beside them: no remark on these.
 */

import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SKILL_FILE, type SkillPlace } from '../../catalog/tiers.js';
import { cancelled } from '../../shared/abort.js';
import { errorText, systemCode } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { isInside } from '../../shared/inner-path.js';
import { compareBytes } from '../byte-order.js';
import { type Dialect, dialectOf, isStrict } from './dialect.js';

/** A file that should hold an entry. */
export interface FoundEntry {
  readonly place: SkillPlace;
  /** The index of the place among all, which are in ascending precedence. */
  readonly rank: number;
  readonly path: string;
  /** The directory name of `<name>/SKILL.md`, the stem of `<name>.md`. */
  readonly expectedName: string;
  /** Whether it was reached by a link below the folder of its place. */
  readonly form: FoundForm;
}

/** What is no link lies where the folder lies that it was found in, which was looked at before. */
type FoundForm = 'may be a link' | 'no link';

export interface Discovery {
  /** In the order of the places, byte order of path within each. */
  readonly found: readonly FoundEntry[];
  readonly findings: readonly WeighedFinding[];
}

/**
 * A finding and what it means for a run when it is an error. `refuses`: the run does not start. `said`: a folder that
 * counts by where it lies is left out whole, and the run says so. `quiet`: one entry is left out, or something that
 * nobody has approved; listings say so.
 */
export interface WeighedFinding {
  readonly finding: Finding;
  readonly weight: 'refuses' | 'said' | 'quiet';
}

/**
 * Looks through all places; several may share a folder, one for each layout.
 * @param mission the dialect of the mission repository
 */
export async function discoverEntries(
  places: readonly SkillPlace[],
  mission: Dialect,
  signal: AbortSignal,
): Promise<Discovery> {
  const folders = new Map<string, RankedPlace[]>();
  for (const [rank, place] of places.entries()) {
    folders.set(place.folder, [...(folders.get(place.folder) ?? []), { place, rank }]);
  }
  const found: FoundEntry[] = [];
  const findings: WeighedFinding[] = [];
  for (const [folder, sharing] of folders) {
    const [{ place } = { place: undefined }] = sharing;
    if (place === undefined) continue;
    const dialect = dialectOf(place, mission);
    const strict = isStrict(place, dialect);
    const looked = await lookThrough(folder, { sharing, folders, root: place.root, dialect, signal });
    found.push(...looked.found);
    for (const finding of looked.findings) {
      // What is not even looked at may have been approved: whoever fills a folder cannot make it vanish unsaid.
      const whole = finding.path === folder && (place.approval === null || finding.code === TOO_MANY);
      findings.push({ finding, weight: strict ? 'refuses' : whole ? 'said' : 'quiet' });
    }
  }
  const ordered = found.sort((one, other) => one.rank - other.rank || compareBytes(one.path, other.path));
  // Those of the strongest places are looked at.
  const asked = ordered.filter(({ place }) => place.approval !== null);
  const left = asked.slice(0, Math.max(0, asked.length - MAX_ASKED));
  const [weakest] = left;
  if (weakest === undefined) return { found: ordered, findings };
  findings.push({ finding: tooManyInAll(weakest.place.folder, asked.length), weight: 'said' });
  const leftOut = new Set(left);
  return { found: ordered.filter((entry) => !leftOut.has(entry)), findings };
}

interface RankedPlace {
  readonly place: SkillPlace;
  readonly rank: number;
}

/** What looking through one folder needs to know. */
interface Look {
  readonly sharing: readonly RankedPlace[];
  /** The folders of all places: one that lies in another is looked through for itself, such as skills/rules. */
  readonly folders: ReadonlyMap<string, unknown>;
  readonly root: string;
  readonly dialect: Dialect;
  readonly signal: AbortSignal;
}

interface Looked {
  readonly found: FoundEntry[];
  readonly findings: Finding[];
}

/** Files beside the entries that are known and no entries. */
const KNOWN_FILES = /^(?:readme\.md|skills\.lock)$/i;

/**
 * How much that nobody is bound to trust is looked at, in one folder and in all: a clone cannot keep a run from
 * starting by its size.
 */
export const MAX_ASKED = 2_000;

const TOO_MANY = 'too-many-entries';

/** Folders listed at a time. */
const GROUP = 32;

async function lookThrough(folder: string, look: Look): Promise<Looked> {
  const realRoot = await realpath(look.root).catch(() => look.root); // a missing root is told of by no folder below it
  const { items, findings } = await listFolder(folder, 'may be a link', look.root, realRoot);
  const found: FoundEntry[] = [];
  const asked = look.sharing.some(({ place }) => place.approval !== null);
  const seen = asked ? items.slice(0, MAX_ASKED) : items;
  if (seen.length < items.length) findings.push(tooMany(folder, items.length));
  for (let start = 0; start < seen.length; start += GROUP) {
    if (look.signal.aborted) throw cancelled(look.signal);
    const group = seen.slice(start, start + GROUP);
    for (const looked of await Promise.all(group.map((item) => lookAt(item, folder, realRoot, look)))) {
      found.push(...looked.found);
      findings.push(...looked.findings);
    }
  }
  return { found, findings };
}

/** One item of a folder of entries. */
async function lookAt(item: Dirent, folder: string, realRoot: string, look: Look): Promise<Looked> {
  const path = join(folder, item.name);
  const nothing: Looked = { found: [], findings: [] };
  if (look.folders.has(path)) return nothing;
  const flat = look.sharing.find(({ place }) => place.layout === 'flat');
  const directory = look.sharing.find(({ place }) => place.layout === 'directory');
  const isFolder = await isDirectory(item, path);
  if (isFolder && directory !== undefined) {
    return lookInside(path, formOf(item), realRoot, directory, look.dialect);
  }
  if (!isFolder && KNOWN_FILES.test(item.name)) return nothing;
  if (!isFolder && flat !== undefined && item.name.endsWith('.md') && item.name !== SKILL_FILE) {
    return {
      found: [{ ...flat, path, expectedName: basename(item.name, '.md'), form: formOf(item) }],
      findings: [],
    };
  }
  if (look.dialect === 'open') {
    return item.name === SKILL_FILE ? { found: [], findings: [withoutDirectory(path)] } : nothing;
  }
  const allowed = look.sharing.map(({ place }) => writtenForm(place)).join(' and ');
  return { found: [], findings: [extraFile(path, allowed)] };
}

/** A directory of the `<name>/SKILL.md` layout. */
async function lookInside(
  path: string,
  form: FoundForm,
  realRoot: string,
  at: RankedPlace,
  dialect: Dialect,
): Promise<Looked> {
  const { items, findings } = await listFolder(path, form, at.place.root, realRoot);
  const file = items.find((item) => item.name === SKILL_FILE);
  if (file !== undefined) {
    if (dialect === 'governed') {
      for (const item of items) {
        if (item.name !== SKILL_FILE) findings.push(extraFile(join(path, item.name), SKILL_FILE));
      }
    }
    const linked = form === 'no link' ? formOf(file) : form;
    return {
      found: [{ ...at, path: join(path, SKILL_FILE), expectedName: basename(path), form: linked }],
      findings,
    };
  }
  if (findings.length === 0) findings.push(skillFileMissing(path, dialect));
  return { found: [], findings };
}

async function listFolder(
  folder: string,
  form: FoundForm,
  root: string,
  realRoot: string,
): Promise<{ items: Dirent[]; findings: Finding[] }> {
  try {
    if (form === 'may be a link' && !isInside(await realpath(folder), realRoot)) {
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

function formOf(item: Dirent): FoundForm {
  return item.isSymbolicLink() ? 'may be a link' : 'no link';
}

function writtenForm(place: SkillPlace): string {
  return place.layout === 'flat' ? '<name>.md' : `<name>/${SKILL_FILE}`;
}

/** In the folders of other programs all kinds of directories lie. */
function skillFileMissing(path: string, dialect: Dialect): Finding {
  return {
    code: 'skill-file-missing',
    severity: dialect === 'open' ? 'info' : 'warning',
    path,
    message: `the directory holds no ${SKILL_FILE}, so it is no entry`,
    remedy: `add ${SKILL_FILE} (its name in capitals), or remove the directory`,
  };
}

function withoutDirectory(path: string): Finding {
  return {
    code: 'skill-without-directory',
    severity: 'info',
    path,
    message: `${SKILL_FILE} lies in the folder of all entries, so it is none`,
    remedy: 'move it into a directory that has the name of the skill',
  };
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

function tooMany(path: string, found: number): Finding {
  return {
    code: TOO_MANY,
    severity: 'warning',
    path,
    message: `the folder holds ${found} items; of a folder that needs approvals the first ${MAX_ASKED} by name are looked at`,
    remedy: 'keep fewer there',
  };
}

function tooManyInAll(path: string, asked: number): Finding {
  return {
    code: TOO_MANY,
    severity: 'warning',
    path,
    message: `${asked} files in this and other folders need approvals; the ${MAX_ASKED} of the strongest places are looked at`,
    remedy: 'keep fewer of them',
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
