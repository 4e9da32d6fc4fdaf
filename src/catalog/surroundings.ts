/**
 * What lies around the working directory: the repository of the project tier and a mission repository that nobody
 * named (spec/skills.md §3). Only names are looked at; a folder that cannot be looked into is passed by.
 *
 * Always true:
 *  S1 every path is real, so that one folder has one name;
 *  S2 what belongs to the operator is nobody's project and no mission repository: the home directory with its
 *     `.bnerd`, `.claude` and `.agents`, and the state of the operator wherever it lies;
 *  S3 the nearest repository counts, and none above it: a repository inside another is one of its own.
 */

import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '../shared/inner-path.js';
import { isThere } from './files/is-there.js';
import { type GlobalFolders, globalFolders, MISSION_MARK, type ProjectFolders } from './tiers.js';

/** The folders of the operator, real as far as they exist. */
export interface OperatorFolders {
  readonly userHome: string;
  readonly global: GlobalFolders;
}

/** @param bnerd `BNERD_HOME`, or the folder of that name in the home directory */
export async function operatorFolders(bnerd: string, userHome: string): Promise<OperatorFolders> {
  const home = await realOr(userHome);
  const { claude, agents } = globalFolders(bnerd, home);
  const [realBnerd, realClaude, realAgents] = await Promise.all([bnerd, claude, agents].map(realOr));
  return {
    userHome: home,
    global: { bnerd: realBnerd ?? bnerd, claude: realClaude ?? claude, agents: realAgents ?? agents },
  };
}

/**
 * The repository around a directory: up to the nearest `.git`, which is a folder, or a file in a linked work tree;
 * where there is none, the directory alone. Null when nothing is left that is not the operator's own.
 * @param workingDirectory real path
 * @param mission real path of the mission repository that was named: without git it is the repository around what
 *   lies in it
 */
export async function findProject(
  workingDirectory: string,
  operator: OperatorFolders,
  mission: string | null,
): Promise<ProjectFolders | null> {
  const upward = upwardFrom(workingDirectory);
  const repository = await firstWith(upward, '.git');
  const inMission = mission !== null && isInside(workingDirectory, mission);
  const root = repository ?? (inMission ? mission : workingDirectory);
  const folders =
    repository === null
      ? [workingDirectory]
      : upward.filter((folder) => isInside(folder, repository)).reverse();
  const projects = folders.filter((folder) => folder !== operator.userHome);
  return projects.length === 0 ? null : { root, folders: projects };
}

/**
 * The nearest folder, from a directory upward, that is marked as a mission repository; null when none is.
 * @param workingDirectory real path
 */
export async function findMission(
  workingDirectory: string,
  operator: OperatorFolders,
): Promise<string | null> {
  const marked = (folder: string): string => dirname(join(folder, MISSION_MARK));
  const upward = upwardFrom(workingDirectory).filter(
    (folder) => folder !== operator.userHome && marked(folder) !== operator.global.bnerd,
  );
  return firstWith(upward, MISSION_MARK);
}

/** The directory, its parent, and so on; the root directory last. */
function upwardFrom(directory: string): string[] {
  const folders = [directory];
  for (let at = directory; dirname(at) !== at; at = dirname(at)) folders.push(dirname(at));
  return folders;
}

async function firstWith(folders: readonly string[], name: string): Promise<string | null> {
  for (const folder of folders) {
    if (await isThere(join(folder, name))) return folder;
  }
  return null;
}

async function realOr(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path; // it does not exist yet, or nobody can look into it
  }
}
