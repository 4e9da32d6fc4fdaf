/** The rules and skills that count only by somebody's word, as subjects of `bnerd trust` (spec/skills.md §4). */

import { type CataloguePlaces, skillPlaces } from '../../catalog/tiers.js';
import { deadlineAfter } from '../../shared/abort.js';
import type { Finding } from '../../shared/findings.js';
import { NameIndex } from '../../skills/decide/look-alikes.js';
import type { Entry } from '../../skills/entry.js';
import { listEntryHeads } from '../../skills/listing.js';
import { discoverEntries } from '../../skills/read/discover.js';
import { missionMark } from '../../skills/read/mission-mark.js';
import { type ReadEntry, readEntryText } from '../../skills/read/read-entry.js';
import type { House } from '../house.js';
import { LOAD_DEADLINE_MS } from '../load-entries.js';
import {
  listed,
  needingWord,
  normalText,
  type TrustFact,
  type TrustSubject,
  type TrustSubjects,
  trustedFile,
} from './trust-subjects.js';

/** Every rule and skill of the places that need a word; names that look like another are told with both. */
export async function entrySubjects(house: House, places: CataloguePlaces): Promise<TrustSubjects> {
  const { dialect, findings } = await missionMark(places.mission);
  const signal = deadlineAfter(LOAD_DEADLINE_MS);
  const discovery = await discoverEntries(needingWord(skillPlaces(places)), dialect, signal);
  const reads: ReadEntry[] = [];
  for (const found of discovery.found) reads.push(await readEntryText(found, dialect));
  const names = reads.length === 0 ? new NameIndex([]) : await namesOf(house, places, signal);
  const subjects = reads.map((read) => subjectOf(read, names));
  const ofFolders: readonly Finding[] = discovery.findings.map(({ finding }) => finding);
  return { subjects, findings: [...findings, ...ofFolders] };
}

/** Names of all tiers: a file may be taken for one that needs no word. */
async function namesOf(house: House, places: CataloguePlaces, signal: AbortSignal): Promise<NameIndex> {
  const { files } = await listEntryHeads(places, { signal, settings: house.skills });
  return new NameIndex(files.flatMap((file) => (file.kind === 'loaded' ? [file.entry] : [])));
}

function subjectOf({ file, text }: ReadEntry, names: NameIndex): TrustSubject {
  const { path, place, expectedName, findings } = file;
  const trusted = trustedFile('entry', { ...place, path });
  if (file.kind === 'refused' || file.approval === null || text === null) {
    const name = file.kind === 'refused' ? (file.name ?? expectedName) : file.entry.name;
    return { kind: place.kind, name, path, file: trusted, state: { kind: 'unreadable', findings } };
  }
  const { entry, approval } = file;
  const facts = factsOf(entry);
  const remarks = [...findings, ...names.remarksOn(entry)];
  const state = {
    kind: 'readable',
    ...approval,
    text: normalText(text),
    facts,
    findings: remarks,
  } as const;
  return { kind: entry.kind, name: entry.name, path, file: trusted, state };
}

/** What of an entry decides where it goes and what it brings, before its text. */
function factsOf(entry: Entry): TrustFact[] {
  const { support, version, alwaysOn, process, keywords, appliesTo, requires, allowedTools, tools } = entry;
  return [
    { label: 'support', value: support },
    ...(version === null ? [] : [{ label: 'version', value: version }]),
    { label: 'always on', value: alwaysOn ? 'yes' : 'no' },
    ...(process ? [{ label: 'process', value: 'yes: it governs the order of steps' }] : []),
    ...listed('keywords', keywords),
    ...listed('applies to', appliesTo ?? []),
    ...listed('requires', requires),
    ...listed('allowed tools', allowedTools ?? []),
    ...tools.map(({ name, class: risk, run }) => ({
      label: 'brings a tool',
      value: `${name} (${risk}): ${JSON.stringify(run)}`,
    })),
  ];
}
