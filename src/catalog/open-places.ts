/**
 * From what the operator configured to the places of the catalogue: which repository is the project, which the mission
 * repository and whether it was named, who says what is trusted (spec/team.md §1, spec/skills.md §3).
 *
 * Always true:
 *  O1 neither a trust file nor git is touched before somebody asks whether a file or a place is trusted, or what is
 *     wrong with a file that was named;
 *  O2 a mission repository that was found counts as named when the operator has trusted its place, by files of his
 *     own: what lies in a repository never speaks for it;
 *  O3 the state of the operator does not lie in a tree of strangers: what came with it would be his word.
 */

import type { Finding } from '../shared/findings.js';
import { isInside } from '../shared/inner-path.js';
import { findMission, findProject, type OperatorFolders, operatorFolders } from './surroundings.js';
import { type CataloguePlaces, defaultHome, type MissionFolder, ownTrustFile } from './tiers.js';
import { NO_APPROVALS, type Trust } from './trust.js';

export interface PlacesRequest {
  readonly packageRoot: string;
  /** Real path. */
  readonly workingDirectory: string;
  /** The operator's home directory. */
  readonly userHome: string;
  /** `BNERD_HOME`; null when it is not set. */
  readonly bnerdHome: string | null;
  /** Real path of the mission repository that was named; null: it is looked for. */
  readonly mission: string | null;
  /** Files named by `--trust` or `BNERD_TRUST`, absolute. */
  readonly trustFiles: readonly string[];
  /** `PATH` to find git in. */
  readonly gitPath: string;
}

export type OpenedPlaces =
  | {
      readonly kind: 'open';
      readonly places: CataloguePlaces;
      /** HEAD of the mission repository when this, or its trust file, is first asked for; null where there is none. */
      readonly missionCommit: () => Promise<string | null>;
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Looks around; refused when the state of the operator lies where strangers write. */
export async function openPlaces(request: PlacesRequest): Promise<OpenedPlaces> {
  const { packageRoot, workingDirectory, userHome, bnerdHome } = request;
  const operator = await operatorFolders(bnerdHome ?? defaultHome(userHome), userHome);
  const project = await findProject(workingDirectory, operator, request.mission);
  const found = request.mission === null ? await findMission(workingDirectory, operator) : null;
  const trees = [project?.root, found].flatMap((tree) => tree ?? []);
  const ownWord = (bnerd: string): Trust => openLater(request, ownTrustFile(bnerd), null, trees);
  const usual = defaultHome(operator.userHome);
  if (operator.global.bnerd !== usual) {
    // The state whose place is in doubt cannot say that the place is trusted.
    const real = (await operatorFolders(usual, userHome)).global.bnerd;
    const inDoubt = bnerdHome === null || strangersTrees(real, operator, trees).length > 0;
    const finding = await homeAmongStrangers(
      request,
      operator,
      trees,
      inDoubt ? NO_APPROVALS : ownWord(usual),
    );
    if (finding !== null) return { kind: 'refused', findings: [finding] };
  }
  const mission = await missionOf(request.mission, found, ownWord(operator.global.bnerd));
  const { get: missionCommit } = once(async () =>
    mission === null
      ? null
      : (await import('./trust/repository-facts.js')).headCommit(mission.path, request.gitPath),
  );
  const named = mission?.named === true ? { path: mission.path, commit: missionCommit } : null;
  const asked = trees.filter((tree) => tree !== named?.path);
  const trust = openLater(request, ownTrustFile(operator.global.bnerd), named, asked);
  return {
    kind: 'open',
    places: { packageRoot, global: operator.global, project, mission, trust },
    missionCommit,
  };
}

/** A place that the operator trusts equals one that was named. */
async function missionOf(
  named: string | null,
  found: string | null,
  word: Trust,
): Promise<MissionFolder | null> {
  if (named !== null) return { path: named, named: true };
  if (found === null) return null;
  return (await word.placeTrusted(found))
    ? { path: found, named: true, byPlace: true }
    : { path: found, named: false };
}

/** Trust whose files are found, and whose modules are loaded, when somebody asks (O1). */
function openLater(
  { trustFiles: extra, gitPath }: PlacesRequest,
  own: string,
  mission: { readonly path: string; readonly commit: () => Promise<string | null> } | null,
  askedTrees: readonly string[],
): Trust {
  const opened = once(async () => {
    const { openTrust } = await import('./trust/open-trust.js');
    const named = mission === null ? null : { path: mission.path, commit: await mission.commit() };
    return openTrust({ own, extra, mission: named, askedTrees, gitPath });
  });
  return {
    verdict: async (question) => (await opened.get()).verdict(question),
    verdictOnAnyText: async (question) => (await opened.get()).verdictOnAnyText(question),
    placeTrusted: async (root) => (await opened.get()).placeTrusted(root),
    // What nobody has asked has found nothing; a file that was named is looked at in any case.
    findings: async () => (opened.begun() || extra.length > 0 ? (await opened.get()).findings() : []),
  };
}

/** Why the state of the operator may not lie where it lies, or null: by `BNERD_HOME`, or where `~/.bnerd` is a link. */
async function homeAmongStrangers(
  { bnerdHome, mission }: PlacesRequest,
  operator: OperatorFolders,
  trees: readonly string[],
  word: Trust,
): Promise<Finding | null> {
  const { bnerd } = operator.global;
  for (const tree of strangersTrees(bnerd, operator, trees)) {
    if (mission !== null && isInside(mission, tree) && isInside(bnerd, mission)) continue;
    if (await word.placeTrusted(tree)) continue;
    const found =
      bnerdHome === null ? `it is a link to ${JSON.stringify(bnerd)}, which` : JSON.stringify(bnerdHome);
    const message = `${found} is not allowed here; allowed: a folder outside the repository ${tree}`;
    const remedy = 'name a folder of your own, or name the repository with --mission-repo';
    const path = bnerdHome === null ? '~/.bnerd' : 'BNERD_HOME';
    return { code: 'bad-value', severity: 'error', path, message, remedy };
  }
  return null;
}

/** The trees of strangers that a folder lies in. One that holds the operator's home directory is the operator's own. */
function strangersTrees(folder: string, { userHome }: OperatorFolders, trees: readonly string[]): string[] {
  return trees.filter((tree) => isInside(folder, tree) && !isInside(userHome, tree));
}

/** Made when it is first got, and then kept. */
function once<Value>(make: () => Promise<Value>): { get(): Promise<Value>; begun(): boolean } {
  let made: Promise<Value> | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    begun: () => made !== undefined,
  };
}
