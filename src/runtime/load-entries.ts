/** The entries of all tiers as a command loads them: within a deadline, told on no log. */

import type { CataloguePlaces } from '../catalog/tiers.js';
import { deadlineAfter } from '../shared/abort.js';
import { loadRegistry, type Registry } from '../skills/registry.js';
import { type House, placesOf } from './house.js';

/** How long the files of entries may take before the command gives up. */
export const LOAD_DEADLINE_MS = 60_000;

/** The inventory of entries goes to the operator's log, which a terminal command does not keep. */
const NO_LOG = { info: (): void => {} };

/**
 * Loads them anew.
 * @param places where to look; those of a record where a run is taken up again
 */
export function loadEntries(house: House, places: CataloguePlaces = placesOf(house)): Promise<Registry> {
  const { skills } = house;
  return loadRegistry(places, {
    signal: deadlineAfter(LOAD_DEADLINE_MS),
    log: NO_LOG,
    settings: skills,
  });
}
