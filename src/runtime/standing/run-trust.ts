/**
 * Whose word a run goes by: the operator's own file, the files that were named when it started or by whoever took it up
 * again, and what its named mission repository said at the commit it started from (spec/team.md §1).
 *
 * Always true: an approval that a run needs is found in what it started with; files named later can take approvals away,
 * and what they add changes nothing, for each approval names the text that is asked about.
 */

import { ownTrustFile } from '../../catalog/tiers.js';
import { type StandingTrust, standingTrust } from '../../catalog/trust/standing-trust.js';
import type { FactOf } from '../../events/event.js';
import type { House } from '../house.js';

type Started = Pick<FactOf<'run.started'>, 'mission' | 'project' | 'trust_files'>;

/** Opens the trust files of a run; nothing is read before somebody asks. */
export function runTrust(
  { home, trustFiles, toolEnvironment }: Pick<House, 'home' | 'trustFiles' | 'toolEnvironment'>,
  { mission, project, trust_files: named }: Started,
): StandingTrust {
  const ofMission = mission?.named === true ? { path: mission.path, commit: mission.commit } : null;
  const found = mission?.named === false ? [mission.path] : [];
  const trees = [...(project === null ? [] : [project.root]), ...found];
  return standingTrust({
    own: ownTrustFile(home),
    extra: [...new Set([...named, ...trustFiles])],
    mission: ofMission,
    askedTrees: trees.filter((tree) => tree !== ofMission?.path),
    gitPath: toolEnvironment['PATH'] ?? '',
  });
}
