/**
 * Where recipes, roles, skills and rules lie: the only file that knows the paths of the tiers
 * (spec/team.md §1, spec/skills.md §3).
 *
 * Always true: every list is in ascending precedence, so of two files of the same name the one in the later
 * place wins. A further tier is a row of `ROWS` and an anchor in `anchorOf`, nothing else.
 */

import { join } from 'node:path';

/** One of the four places files come from. */
export type Tier = 'builtin' | 'global' | 'project' | 'mission';

/** The tiers from weakest to strongest. */
export const TIERS: readonly Tier[] = ['builtin', 'global', 'project', 'mission'];

/** The folders that the tiers hang on, as the caller has them; paths in findings begin with these words. */
export interface CataloguePlaces {
  /** The root of this package: the folder that holds `recipes/`, `roles/` and `skills/`. */
  readonly packageRoot: string;
  /** The mission repository that was named by flag, environment or settings; null when none was. */
  readonly mission: { readonly path: string } | null;
}

/** A folder that holds files of the catalogue. It need not exist. */
export interface CataloguePlace {
  readonly tier: Tier;
  /** Links found below `folder` may not lead out of this. */
  readonly root: string;
  readonly folder: string;
}

/** A folder of entries, and what a file there is unless it says otherwise. */
export interface SkillPlace extends CataloguePlace {
  /** The `kind` of an entry that declares none. */
  readonly kind: 'rule' | 'skill';
  /** `directory`: `<name>/SKILL.md`; `flat`: `<name>.md`. */
  readonly layout: 'directory' | 'flat';
}

/** The file of a recipe, in the folder named after its slug. */
export const RECIPE_FILE = 'team.md';

/** The file of an entry in directory layout, in the folder named after it. */
export const SKILL_FILE = 'SKILL.md';

/** What belongs to the operator, the global tier and the records, unless `BNERD_HOME` names another place. */
export function defaultHome(userHome: string): string {
  return join(userHome, '.bnerd');
}

/** The places of recipes, each `<folder>/<slug>/team.md`. */
export function recipePlaces(places: CataloguePlaces): CataloguePlace[] {
  return rowsOf('recipes').flatMap((row) => located(row, places));
}

/** The places of roles, read recursively: every `<name>.md` at any depth below the folder. */
export function rolePlaces(places: CataloguePlaces): CataloguePlace[] {
  return rowsOf('roles').flatMap((row) => located(row, places));
}

/** The places of skills and rules; inside a tier the directory layout comes after the flat one and beats it. */
export function skillPlaces(places: CataloguePlaces): SkillPlace[] {
  return ROWS.flatMap((row) =>
    row.holds === 'entries'
      ? located(row, places).map((place) => ({ ...place, kind: row.kind, layout: row.layout }))
      : [],
  );
}

type Row =
  | { readonly holds: 'recipes' | 'roles'; readonly tier: Tier; readonly under: string }
  | {
      readonly holds: 'entries';
      readonly tier: Tier;
      readonly under: string;
      readonly kind: SkillPlace['kind'];
      readonly layout: SkillPlace['layout'];
    };

/** Ascending precedence within each kind; `under` is relative to the anchor of the tier. */
const ROWS: readonly Row[] = [
  { holds: 'recipes', tier: 'builtin', under: 'recipes' },
  { holds: 'recipes', tier: 'mission', under: 'orchestrator/teams' },
  { holds: 'roles', tier: 'builtin', under: 'roles' },
  { holds: 'roles', tier: 'mission', under: 'orchestrator/roles' },
  { holds: 'entries', tier: 'builtin', under: 'skills/rules', kind: 'rule', layout: 'flat' },
  { holds: 'entries', tier: 'builtin', under: 'skills', kind: 'skill', layout: 'directory' },
  { holds: 'entries', tier: 'mission', under: 'orchestrator/rules', kind: 'rule', layout: 'flat' },
  { holds: 'entries', tier: 'mission', under: 'orchestrator/skills', kind: 'skill', layout: 'flat' },
  { holds: 'entries', tier: 'mission', under: 'orchestrator/skills', kind: 'skill', layout: 'directory' },
];

function rowsOf(holds: 'recipes' | 'roles'): Row[] {
  return ROWS.filter((row) => row.holds === holds);
}

function located(row: Row, places: CataloguePlaces): CataloguePlace[] {
  const root = anchorOf(row.tier, places);
  return root === null ? [] : [{ tier: row.tier, root, folder: join(root, row.under) }];
}

/** The folder that a tier's rows are relative to; null when these places do not have that tier. */
function anchorOf(tier: Tier, places: CataloguePlaces): string | null {
  if (tier === 'builtin') return places.packageRoot;
  if (tier === 'mission') return places.mission?.path ?? null;
  return null;
}
