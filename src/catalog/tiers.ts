/**
 * Where recipes, roles, skills and rules lie: the only file that knows the paths of the tiers
 * (spec/team.md §1, spec/skills.md §3).
 *
 * Always true: every list is in ascending precedence, so of two files of the same name the one in the later
 * place wins. A further folder is a row of `ROWS`, a further tier an anchor in `anchorGroups`, nothing else.
 */

import { join } from 'node:path';
import { isInside } from '../shared/inner-path.js';
import type { Trust } from './trust.js';

/** One of the four places files come from. */
export type Tier = 'builtin' | 'global' | 'project' | 'mission';

/** The tiers from weakest to strongest. */
export const TIERS: readonly Tier[] = ['builtin', 'global', 'project', 'mission'];

/** The folders that the tiers hang on, as the caller has them; paths in findings begin with these words. */
export interface CataloguePlaces {
  /** The root of this package: the folder that holds `recipes/`, `roles/` and `skills/`. */
  readonly packageRoot: string;
  /** What belongs to the operator: `~/.bnerd` or `BNERD_HOME`, `~/.claude`, `~/.agents`; null: nothing does. */
  readonly global: GlobalFolders | null;
  /** The repository around the working directory; null: there is no project tier. */
  readonly project: ProjectFolders | null;
  /** The mission repository; null when none was named or found. */
  readonly mission: MissionFolder | null;
  /** Asked about files of the project tier and of a mission repository that was only found. */
  readonly trust: Trust;
}

export interface GlobalFolders {
  readonly bnerd: string;
  readonly claude: string;
  readonly agents: string;
}

export interface ProjectFolders {
  /** Real path of the repository root; of the working directory where there is no repository. */
  readonly root: string;
  /** Real paths from the root down to the working directory: ascending precedence. */
  readonly folders: readonly string[];
}

export interface MissionFolder {
  /** Real path. */
  readonly path: string;
  /** By flag, variable or settings, or by a trusted place; false: found by walking up. */
  readonly named: boolean;
  /** Named by the trust in its place alone, which can be taken away while a run lives. Absent: it was not. */
  readonly byPlace?: true;
}

/** Whose convention a folder follows; files of a `.claude` tree may set fewer fields (spec/skills.md §1). */
export type Tree = 'package' | 'bnerd' | 'claude' | 'agents' | 'orchestrator';

/** A folder that holds files of the catalogue. It need not exist. */
export interface CataloguePlace {
  readonly tier: Tier;
  readonly tree: Tree;
  /** Links found below `folder` may not lead out of this. */
  readonly root: string;
  readonly folder: string;
  /** Files count only when `trust` says so, by their path relative to `root`; null: they count by where they lie. */
  readonly approval: { readonly tier: 'project' | 'mission'; readonly trust: Trust } | null;
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

/** Where a person puts a rule of their own, as messages name it. */
export const OWN_RULES_FOLDER = '.bnerd/rules/';

/** What belongs to the operator, the global tier and the records, unless `BNERD_HOME` names another place. */
export function defaultHome(userHome: string): string {
  return join(userHome, '.bnerd');
}

/** The operator's folders: `bnerd` is the home of the operator's state, wherever that lies. */
export function globalFolders(bnerd: string, userHome: string): GlobalFolders {
  return { bnerd, claude: join(userHome, '.claude'), agents: join(userHome, '.agents') };
}

/** The file that approvals are kept in, below the home of the operator's state. */
export function ownTrustFile(bnerd: string): string {
  return join(bnerd, 'trust.yaml');
}

/** The trust file of a mission repository, relative to its root; it counts only when the repository is named. */
export const MISSION_TRUST_FILE = 'orchestrator/trust.yaml';

/** What marks a mission repository for those who walk up, relative to its root. */
export const MISSION_MARK = '.bnerd/context.md';

/** The places of recipes, each `<folder>/<slug>/team.md`. */
export function recipePlaces(places: CataloguePlaces): CataloguePlace[] {
  return located(['recipes'], places).map(({ place }) => place);
}

/** The places of roles, read recursively: every `<name>.md` at any depth below the folder. */
export function rolePlaces(places: CataloguePlaces): CataloguePlace[] {
  return located(['roles'], places).map(({ place }) => place);
}

/** The places of skills and rules; inside a tier the directory layout comes after the flat one and beats it. */
export function skillPlaces(places: CataloguePlaces): SkillPlace[] {
  return located(['rules', 'skills'], places).map(({ place, row }) => ({
    ...place,
    kind: row.holds === 'rules' ? 'rule' : 'skill',
    layout: row.layout ?? 'flat',
  }));
}

/** The folders of one tree that new files are written into: those that beat the others of the tree. */
export interface NewFileFolders {
  readonly recipes: string;
  readonly roles: string;
  readonly skills: string;
}

/**
 * Where a repository keeps files that are made for it: as a project, or as a mission repository.
 * @param root of the repository
 */
export function newFileFolders(tier: 'project' | 'mission', root: string): NewFileFolders {
  const tree = tier === 'project' ? 'bnerd' : 'orchestrator';
  const top = join(root, tier === 'project' ? '.bnerd' : 'orchestrator');
  const under = (holds: Holds): string =>
    join(top, ROWS.findLast((row) => row.tree === tree && row.holds === holds)?.under ?? holds);
  return { recipes: under('recipes'), roles: under('roles'), skills: under('skills') };
}

type Holds = 'recipes' | 'roles' | 'rules' | 'skills';

/** One kind of folder in one kind of tree. */
interface Row {
  readonly holds: Holds;
  readonly tree: Tree;
  /** Relative to the top of the tree. */
  readonly under: string;
  readonly layout?: SkillPlace['layout'];
}

/**
 * Inside a tier the directory form of an entry beats the flat file, whatever tree either lies in; then `.bnerd` beats
 * `.claude` beats `.agents`.
 */
const ROWS: readonly Row[] = [
  { holds: 'recipes', tree: 'package', under: 'recipes' },
  { holds: 'recipes', tree: 'bnerd', under: 'teams' },
  { holds: 'recipes', tree: 'orchestrator', under: 'teams' },
  { holds: 'roles', tree: 'package', under: 'roles' },
  { holds: 'roles', tree: 'claude', under: 'agents' },
  { holds: 'roles', tree: 'bnerd', under: 'roles' },
  { holds: 'roles', tree: 'orchestrator', under: 'roles' },
  { holds: 'rules', tree: 'package', under: 'skills/rules', layout: 'flat' },
  { holds: 'rules', tree: 'bnerd', under: 'rules', layout: 'flat' },
  { holds: 'rules', tree: 'orchestrator', under: 'rules', layout: 'flat' },
  { holds: 'skills', tree: 'bnerd', under: 'skills', layout: 'flat' },
  { holds: 'skills', tree: 'orchestrator', under: 'skills', layout: 'flat' },
  { holds: 'rules', tree: 'orchestrator', under: 'rules', layout: 'directory' },
  { holds: 'skills', tree: 'package', under: 'skills', layout: 'directory' },
  { holds: 'skills', tree: 'agents', under: 'skills', layout: 'directory' },
  { holds: 'skills', tree: 'claude', under: 'skills', layout: 'directory' },
  { holds: 'skills', tree: 'bnerd', under: 'skills', layout: 'directory' },
  { holds: 'skills', tree: 'orchestrator', under: 'skills', layout: 'directory' },
];

/** The folder that a tree of a tier is, and the root its links stay in. */
interface Anchor {
  readonly tier: Tier;
  readonly tree: Tree;
  readonly root: string;
  readonly top: string;
  readonly approval: CataloguePlace['approval'];
}

/** Anchor after anchor, and for each the rows of its tree. */
function located(
  holds: readonly Holds[],
  places: CataloguePlaces,
): { readonly place: CataloguePlace; readonly row: Row }[] {
  const rows = ROWS.filter((row) => holds.includes(row.holds));
  return anchorGroups(places).flatMap((anchors) =>
    rows.flatMap((row) =>
      anchors
        .filter(({ tree }) => tree === row.tree)
        .map(({ top, ...anchor }) => ({ place: { ...anchor, folder: join(top, row.under) }, row })),
    ),
  );
}

/** The anchors of each tier, and of each folder of the project tier, in ascending precedence. */
function anchorGroups(places: CataloguePlaces): Anchor[][] {
  const { packageRoot, global, project, mission, trust } = places;
  const anchors: Anchor[][] = [
    [{ tier: 'builtin', tree: 'package', root: packageRoot, top: packageRoot, approval: null }],
  ];
  if (global !== null) {
    const folders = [
      { tree: 'agents' as const, top: global.agents },
      { tree: 'claude' as const, top: global.claude },
      { tree: 'bnerd' as const, top: global.bnerd },
    ];
    anchors.push(
      folders.map(({ tree, top }) => ({ tier: 'global' as const, tree, root: top, top, approval: null })),
    );
  }
  for (const folder of project?.folders ?? []) {
    const root = project?.root ?? folder;
    // A repository inside the mission repository is somebody else's: its root lies below that of the mission.
    const ofMission = mission !== null && isInside(folder, mission.path) && isInside(mission.path, root);
    const trusted = ofMission && mission.named;
    const approval = trusted ? null : { tier: 'project' as const, trust };
    const trees = (['agents', 'claude', 'bnerd'] as const).filter(
      (tree) => global === null || join(folder, `.${tree}`) !== global[tree],
    );
    anchors.push(
      trees.map((tree) => ({
        tier: 'project' as const,
        tree,
        root,
        top: join(folder, `.${tree}`),
        approval,
      })),
    );
  }
  if (mission !== null) {
    const approval = mission.named ? null : { tier: 'mission' as const, trust };
    const top = join(mission.path, 'orchestrator');
    anchors.push([{ tier: 'mission', tree: 'orchestrator', root: mission.path, top, approval }]);
  }
  return anchors;
}
