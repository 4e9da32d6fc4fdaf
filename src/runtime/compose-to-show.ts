/**
 * A seated team composed to be shown and not run: as a run would compose it, but that no model is chosen and no page is
 * given, and that nothing is said unused which is shown.
 */

import { distinct, type Finding } from '../shared/findings.js';
import type { Registry } from '../skills/registry.js';
import type { House } from './house.js';
import { loadEntries } from './load-entries.js';
import { composeTeam } from './plan/compose-team.js';
import type { Loadouts } from './plan/loadout.js';
import { resolvePlaces } from './plan/order-places.js';
import type { SeatedTeam } from './plan/seat-team.js';
import { withoutShown } from './plan/without-shown.js';
import { withTrustFindings } from './trust-findings.js';

export interface ShownTeam {
  readonly registry: Registry;
  readonly loadouts: Loadouts;
  /** Of the seats, the registry and the composition; errors refuse what a run would refuse. */
  readonly findings: readonly Finding[];
}

/** Composes every seat. */
export async function composeToShow(house: House, team: SeatedTeam): Promise<ShownTeam> {
  const registry = await loadEntries(house);
  const { workspace } = await resolvePlaces(house, team.recipe);
  const asked = { models: null, page: null };
  const { loadouts, findings: composed } = await composeTeam(house, team, asked, workspace, registry);
  const said = [...team.findings, ...registry.findings, ...composed];
  return { registry, loadouts, findings: distinct(withoutShown(await withTrustFindings(house, said))) };
}
