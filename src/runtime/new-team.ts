/**
 * A new team from nothing: a recipe, two roles and a skill, written all or not at all, and linted as they lie
 * (spec/team.md §1, `bnerd team new`).
 */

import { join } from 'node:path';
import { listRecipes, listRoles } from '../catalog/catalogue.js';
import { isSlug, SLUG_RULE } from '../catalog/files/names.js';
import { type NewFileFolders, newFileFolders, RECIPE_FILE, SKILL_FILE, type Tier } from '../catalog/tiers.js';
import type { Trust } from '../catalog/trust.js';
import { type Finding, hasErrors } from '../shared/findings.js';
import { isInside } from '../shared/inner-path.js';
import { sameRole } from '../shared/role-identity.js';
import type { Dialect } from '../skills/read/dialect.js';
import { missionMark } from '../skills/read/mission-mark.js';
import type { Found } from './find-team.js';
import { type House, placesOf } from './house.js';
import { lintCatalogue } from './lint.js';
import { type NewFile, writeNewFiles } from './new-files.js';
import {
  leadText,
  MAX_NEW_SLUG,
  type NewTeamNames,
  newTeamNames,
  readerText,
  recipeText,
  skillText,
} from './new-team-texts.js';

export interface NewTeam {
  readonly slug: string;
  readonly tier: Tier;
  /** Absolute; the recipe comes last: without it there is no team. */
  readonly files: readonly string[];
  /** Whether they count as they lie, without an approval. */
  readonly inEffect: boolean;
  readonly findings: readonly Finding[];
}

/** The dialect of every project. */
const OPEN: { readonly dialect: Dialect } = { dialect: 'open' };

/** @param into `project`: the repository around the working directory; `mission`: the mission repository that was named */
export async function newTeam(
  house: House,
  slug: string,
  into: 'project' | 'mission',
): Promise<Found<NewTeam>> {
  if (!isSlug(slug) || slug.length > MAX_NEW_SLUG) return refused([badSlug(slug)]);
  const place = placeFor(house, into);
  if (place === undefined) return refused([noMission()]);
  const taken = await takenNames(house, slug);
  if (taken.length > 0) return refused(taken);
  const { dialect } = into === 'mission' ? await missionMark(house.mission) : OPEN;
  const files = filesOf(newFileFolders(into, place.root), newTeamNames(slug), dialect);
  const written = await writeNewFiles(place.root, files);
  if (written.kind === 'refused') return written;
  const paths = files.map(({ path }) => path);
  const { findings } = await lintCatalogue(asIfApproved(house, place.root, paths), paths.slice(1));
  if (hasErrors(findings)) {
    await written.undo();
    return refused(findings);
  }
  const { tier, inEffect } = place;
  return { kind: 'found', value: { slug, tier, files: paths, inEffect, findings } };
}

interface Place {
  readonly tier: Tier;
  readonly root: string;
  readonly inEffect: boolean;
}

function placeFor(
  { project, mission, workingDirectory, global }: House,
  into: 'project' | 'mission',
): Place | undefined {
  if (into === 'mission') {
    if (mission === null || !mission.named) return undefined;
    return { tier: 'mission', root: mission.path, inEffect: true };
  }
  const root = project?.root ?? workingDirectory;
  // At home the folder of the project is the operator's own.
  const own = global !== null && isInside(newFileFolders('project', root).recipes, global.bnerd);
  return { tier: own ? 'global' : 'project', root, inEffect: own };
}

function filesOf(folders: NewFileFolders, names: NewTeamNames, dialect: Dialect): NewFile[] {
  return [
    { path: join(folders.skills, names.skill, SKILL_FILE), text: skillText(names, dialect) },
    { path: join(folders.roles, `${names.lead}.md`), text: leadText(names) },
    { path: join(folders.roles, `${names.reader}.md`), text: readerText(names) },
    { path: join(folders.recipes, names.slug, RECIPE_FILE), text: recipeText(names) },
  ];
}

/** A name that is in use already, in whatever tier: a newcomer does not mean to hide it. */
async function takenNames(house: House, slug: string): Promise<Finding[]> {
  const places = placesOf(house);
  const names = newTeamNames(slug);
  const recipe = (await listRecipes(places)).recipes.find((one) => one.slug === slug);
  const { roles } = await listRoles(places);
  const role = roles.find(({ name }) => sameRole(name, names.lead) || sameRole(name, names.reader));
  return [recipe, role].flatMap((one) => (one === undefined ? [] : [nameTaken(slug, one.path)]));
}

/** The house in which the files are in effect, so that the lint finds what there is to find. */
function asIfApproved(house: House, root: string, paths: readonly string[]): House {
  const trust: Trust = {
    ...house.trust,
    verdict: async (question) =>
      paths.includes(join(question.root, question.path))
        ? { kind: 'trusted', by: 'the operator, who is making it' }
        : house.trust.verdict(question),
  };
  return { ...house, trust, project: house.project ?? { root, folders: [root] } };
}

function refused(findings: readonly Finding[]): {
  readonly kind: 'refused';
  readonly findings: readonly Finding[];
} {
  return { kind: 'refused', findings };
}

function badSlug(slug: string): Finding {
  return {
    code: 'bad-slug',
    severity: 'error',
    path: 'slug',
    message: `"${slug}" is no slug of a new team; allowed: ${SLUG_RULE}, at most ${MAX_NEW_SLUG} characters`,
    remedy: 'write for example code-tour',
  };
}

function noMission(): Finding {
  return {
    code: 'no-mission',
    severity: 'error',
    path: '--mission',
    message:
      'no mission repository was named; looked at: --mission-repo, BNERD_MISSION_REPO, MISSION_REPO, ~/.bnerd.yaml',
    remedy: 'add --mission-repo <dir>, or leave --mission out to write into this repository',
  };
}

function nameTaken(slug: string, path: string): Finding {
  return {
    code: 'name-taken',
    severity: 'error',
    path,
    message: `a new team "${slug}" would hide this file; nothing was written`,
    remedy: 'choose another slug',
  };
}
