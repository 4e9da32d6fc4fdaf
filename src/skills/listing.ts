/**
 * Which entries there are, told from their heads: names and descriptions first, bodies on demand (spec/skills.md §3).
 *
 * What a listing promises: every file that a load of the registry finds, with the same name, description, kind and
 * version; loaded or refused, trusted or not, in use or shadowed as there; and the same said of names, trust and
 * governed files. What it does not know are digests, badges and remarks on bodies, and whether the bytes of a large file
 * behind its head are text; `unreadBytes` says how many these are, and whoever wants the entry reads it whole.
 */

import { type CataloguePlaces, skillPlaces } from '../catalog/tiers.js';
import { inGroups } from '../shared/in-groups.js';
import { withGlobalTrust } from './decide/global-trust.js';
import { discoverEntries } from './read/discover.js';
import type { EntryFile } from './read/entry-file.js';
import { missionMark } from './read/mission-mark.js';
import { readEntry } from './read/read-entry.js';
import { type ListedEntry, readEntryHead } from './read/read-head.js';
import { decideRegistry, type LoadOptions, markFindings, type Registry } from './registry.js';

export interface Listing extends Registry<ListedEntry> {
  /** Reads a file of the listing whole: the entry as a load gives it, or why it holds none. */
  entryOf(file: EntryFile<ListedEntry>): Promise<EntryFile>;
}

/** Lists the entries of the places. Writes no inventory: nothing was loaded. */
export async function listEntryHeads(
  places: CataloguePlaces,
  { signal, settings }: Pick<LoadOptions, 'signal' | 'settings'>,
): Promise<Listing> {
  const { disabled, globalTrust } = settings;
  const mission = await missionMark(places.mission);
  const { found, findings } = await discoverEntries(skillPlaces(places), mission.dialect, signal);
  const heads = await inGroups(found, (file) => readEntryHead(file, mission.dialect), signal);
  const registry = decideRegistry(
    heads.map((file) => withGlobalTrust(file, globalTrust)),
    [...markFindings(mission.findings, places), ...findings],
    [...disabled, ...mission.disabled],
  );
  const entryOf = async (file: EntryFile<ListedEntry>): Promise<EntryFile> =>
    withGlobalTrust(await readEntry(file, mission.dialect), globalTrust);
  return { ...registry, entryOf };
}
