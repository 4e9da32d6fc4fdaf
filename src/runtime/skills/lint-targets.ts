/**
 * Which files the targets of `bnerd skills lint` stand for: a file of an entry, its directory, a folder of entries, or
 * a folder that such folders lie in (spec/skills.md §10).
 *
 * Always true: a file is read as its author would see it in the tree it lies in, whatever directory the program was
 * started in: the dialect is that of the repository around the file, and nobody's word is asked for.
 */

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { findMission, findProject, type OperatorFolders } from '../../catalog/surroundings.js';
import { type CataloguePlaces, SKILL_FILE, type SkillPlace, skillPlaces } from '../../catalog/tiers.js';
import { NO_APPROVALS } from '../../catalog/trust.js';
import type { Finding } from '../../shared/findings.js';
import { isInside } from '../../shared/inner-path.js';
import type { Dialect } from '../../skills/read/dialect.js';
import { discoverEntries } from '../../skills/read/discover.js';
import { missionMark } from '../../skills/read/mission-mark.js';
import type { EntryPlace } from '../../skills/read/read-entry.js';
import { type House, placesOf } from '../house.js';

/** Files of one dialect, and what was found while looking for them. */
export interface TargetEntries {
  readonly found: readonly EntryPlace[];
  /** Of the mission repository around them. */
  readonly dialect: Dialect;
  readonly findings: readonly Finding[];
  /** Whether a folder of entries was named, so that its lock is judged whole. */
  readonly whole: boolean;
}

/** The files of one target. @param typed relative to the working directory, or absolute */
export async function entriesOfTarget(
  house: House,
  typed: string,
  signal: AbortSignal,
): Promise<TargetEntries> {
  const path = await realpath(resolve(house.workingDirectory, typed)).catch(() => null);
  if (path === null) return nothing(missing(typed));
  const isFolder = (await stat(path)).isDirectory();
  const bundle = join(path, SKILL_FILE);
  const file = !isFolder ? path : (await isThere(bundle)) ? bundle : null;
  const places = await placesAround(house, isFolder ? path : dirname(path));
  const { dialect, findings: ofMark } = await missionMark(places.mission);
  if (file !== null) return { found: [fileAt(places, file)], dialect, findings: ofMark, whole: false };
  const known = skillPlaces(places).filter(({ folder }) => isInside(folder, path));
  const { found, findings } = await discoverEntries(
    (await anyThere(known)) ? known : freePlaces(path),
    dialect,
    signal,
  );
  const all = [...ofMark, ...findings.map(({ finding }) => finding)];
  return found.length === 0 && all.length === 0
    ? nothing(empty(typed))
    : { found, dialect, findings: all, whole: true };
}

/** The places as they are seen from a folder: its repository, and the mission repository it lies in. */
async function placesAround(house: House, folder: string): Promise<CataloguePlaces> {
  const { global, mission } = house;
  const operator = operatorOf(house);
  const own = mission !== null && isInside(folder, mission.path) ? mission.path : null;
  const around = own ?? (operator === null ? null : await findMission(folder, operator));
  return {
    ...placesOf(house),
    global,
    project: operator === null ? null : await findProject(folder, operator, around),
    mission: around === null ? null : { path: around, named: true },
    trust: NO_APPROVALS,
  };
}

/** The home directory is where the folders of other programs lie. */
function operatorOf({ global }: House): OperatorFolders | null {
  return global === null ? null : { userHome: dirname(global.claude), global };
}

/** A file at its place, or, where it lies in none, as one of an open folder. */
function fileAt(places: CataloguePlaces, path: string): EntryPlace {
  const inDirectory = basename(path) === SKILL_FILE;
  const layout = inDirectory ? 'directory' : 'flat';
  const folder = inDirectory ? dirname(dirname(path)) : dirname(path);
  const fits = (place: SkillPlace): boolean => place.folder === folder && place.layout === layout;
  const known = skillPlaces(places);
  const rank = known.findLastIndex(fits);
  const place = known[rank] ?? freePlace(folder, layout);
  const expectedName = inDirectory ? basename(dirname(path)) : basename(path, '.md');
  return { place, rank: Math.max(0, rank), path, expectedName };
}

/** A folder that is no place of a tier; beside bundles a flat file is an entry only where the folder says so. */
function freePlaces(folder: string): SkillPlace[] {
  const flat = ['rules', 'skills'].includes(basename(folder)) ? [freePlace(folder, 'flat')] : [];
  return [...flat, freePlace(folder, 'directory')];
}

function freePlace(folder: string, layout: SkillPlace['layout']): SkillPlace {
  const kind = basename(folder) === 'rules' ? 'rule' : 'skill';
  return { tier: 'project', tree: 'bnerd', root: folder, folder, approval: null, kind, layout };
}

async function anyThere(places: readonly SkillPlace[]): Promise<boolean> {
  const there = await Promise.all(places.map(({ folder }) => isThere(folder)));
  return there.includes(true);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function nothing(finding: Finding): TargetEntries {
  return { found: [], dialect: 'open', findings: [finding], whole: false };
}

function missing(path: string): Finding {
  const message = 'there is no file or folder of this path';
  const remedy = 'name a file of an entry, its directory, or a folder of entries';
  return { code: 'unknown-target', severity: 'error', path, message, remedy };
}

function empty(path: string): Finding {
  const message = 'no rule and no skill lies in this folder';
  const remedy = `name a folder that holds <name>/${SKILL_FILE} or <name>.md`;
  return { code: 'unknown-target', severity: 'error', path, message, remedy };
}
