/** What `bnerd trust` works on: the trust files of this operator here and now, and every file that needs a word. */

import { type CataloguePlaces, ownTrustFile } from '../../catalog/tiers.js';
import { type OpenTrust, openTrust } from '../../catalog/trust/open-trust.js';
import { headCommit } from '../../catalog/trust/repository-facts.js';
import { type House, placesOf } from '../house.js';
import { entrySubjects } from './trust-entries.js';
import { catalogueSubjects, type TrustSubjects } from './trust-subjects.js';

export interface TrustDesk {
  readonly house: House;
  /** Read afresh when the desk was opened. */
  readonly trust: OpenTrust;
  readonly subjects: () => Promise<TrustSubjects>;
}

/** Opens the trust files. @param trustFiles those of `--trust`, absolute */
export async function openTrustDesk(house: House, trustFiles: readonly string[]): Promise<TrustDesk> {
  const { mission, project } = house;
  const gitPath = house.toolEnvironment['PATH'] ?? '';
  const named = mission?.named === true ? mission : null;
  const found = mission?.named === false ? [mission.path] : [];
  const asked = [...(project === null ? [] : [project.root]), ...found];
  const trust = openTrust({
    own: ownTrustFile(house.home),
    extra: trustFiles,
    mission: named === null ? null : { path: named.path, commit: await headCommit(named.path, gitPath) },
    askedTrees: asked.filter((tree) => tree !== named?.path),
    gitPath,
  });
  const places: CataloguePlaces = { ...placesOf(house), trust };
  return {
    house,
    trust,
    subjects: async () => {
      const files = await catalogueSubjects(places);
      const entries = await entrySubjects(house, places);
      return {
        subjects: [...files.subjects, ...entries.subjects],
        findings: [...files.findings, ...entries.findings],
      };
    },
  };
}
