/** Which files of a run have changed since it started: reported on resume, never used by it. */

import { loadRecipe, loadRoles } from '../catalog/catalogue.js';
import { roleIdentity } from '../catalog/role-identity.js';
import type { FactOf } from '../events/event.js';
import type { Finding } from '../shared/findings.js';
import { loadRegistry } from '../skills/registry.js';
import { RULE_KEPT } from '../skills/rule-guard.js';
import { type House, placesOf } from './house.js';

/** How long the catalogue may take to be read again. */
const LOAD_DEADLINE_MS = 60_000;

/** One remark per recipe, role or entry that differs from the recorded one, or is gone. */
export async function changedFiles(house: House, run: FactOf<'run.started'>): Promise<Finding[]> {
  // The mission repository of the run, whatever this process was told: its files are the ones to compare with.
  const mission = run.mission === null ? null : { ...run.mission, named: true };
  const places = placesOf({ ...house, mission });
  const findings: Finding[] = [];
  const recipe = await loadRecipe(places, run.recipe.slug);
  if (recipe.kind === 'refused' || recipe.recipe.digest !== run.recipe.digest) {
    findings.push(changed(run.recipe.path, `recipe ${run.recipe.slug}`));
  }
  const roles = await loadRoles(
    places,
    run.seats.map((seat) => seat.role),
  );
  for (const seat of run.seats) {
    const load = roles.byIdentity.get(roleIdentity(seat.role));
    if (load?.kind !== 'loaded' || load.role.digest !== seat.role_digest) {
      findings.push(changed(seat.role_path, `role ${seat.role}`));
    }
  }
  const registry = await loadRegistry(places, {
    signal: AbortSignal.timeout(LOAD_DEADLINE_MS),
    log: { info: () => {} },
  });
  const entries = new Map(
    run.seats.flatMap((seat) => seat.entries.map((entry) => [entry.name, entry] as const)),
  );
  for (const entry of entries.values()) {
    const now = registry.byName.get(entry.name);
    if (now?.digest !== entry.digest)
      findings.push(changed(now?.path ?? entry.name, `${entry.kind} ${entry.name}`));
  }
  return [...findings, ...registry.findings.filter(({ code }) => code === RULE_KEPT)];
}

function changed(path: string, what: string): Finding {
  return {
    code: 'changed-since-start',
    severity: 'warning',
    path,
    message: `${what} has changed since the run started; the recorded text is used`,
    remedy: 'start a new run to use the new text',
  };
}
