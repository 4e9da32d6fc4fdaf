/** Every rule and skill there is, and how each stands: what `bnerd skills list` and `skills show` look at (spec/skills.md §10). */

import type { Tier } from '../../catalog/tiers.js';
import { deadlineAfter } from '../../shared/abort.js';
import { type Finding, inFileOrder } from '../../shared/findings.js';
import type { EntryHead } from '../../skills/entry.js';
import { type StandingFile, standings } from '../../skills/inventory/standing.js';
import { listEntryHeads } from '../../skills/listing.js';
import type { Registry } from '../../skills/registry.js';
import { type House, placesOf } from '../house.js';
import { LOAD_DEADLINE_MS, loadEntries } from '../load-entries.js';
import { withTrustFindings } from '../trust-findings.js';

export interface EntryList {
  /** In byte order of name, of one name the one in use first. */
  readonly files: readonly StandingFile[];
  /** What every command says that loads the entries. */
  readonly said: readonly Finding[];
  /** On every file and folder, also what is otherwise quiet; each once, by path. */
  readonly all: readonly Finding[];
}

/**
 * Lists the entries.
 * @param tier those of one tier only, and findings on their files; null: of all
 */
export async function listEntries(house: House, tier: Tier | null): Promise<EntryList> {
  const registry = await loadEntries(house);
  const said = await withTrustFindings(house, registry.findings);
  const files = standings(registry);
  const all = everyFinding(registry);
  if (tier === null) return { files, said, all };
  const inTier = files.filter(({ file }) => file.place.tier === tier);
  const paths = new Set(inTier.map(({ file }) => file.path));
  return { files: inTier, said, all: all.filter(({ path }) => paths.has(path)) };
}

/**
 * Lists the entries from the heads of their files: how each stands, and what every command says, as `listEntries` has
 * it, without digests and without what is said of bodies.
 */
export async function listHeads(
  house: House,
  tier: Tier | null,
): Promise<{ readonly files: readonly StandingFile<EntryHead>[]; readonly said: readonly Finding[] }> {
  const listing = await listEntryHeads(placesOf(house), {
    signal: deadlineAfter(LOAD_DEADLINE_MS),
    settings: house.skills,
  });
  const files = standings<EntryHead>(listing);
  const said = await withTrustFindings(house, listing.findings);
  return { files: tier === null ? files : files.filter(({ file }) => file.place.tier === tier), said };
}

/** Everything that is said of files and folders, in order. */
export function everyFinding({ findings, quiet }: Registry): readonly Finding[] {
  return inFileOrder([...findings, ...[...quiet.values()].flat()]);
}
