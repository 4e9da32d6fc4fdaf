/**
 * One found file to the head of its entry, for listings (spec/skills.md §3): as many bytes of it as hold the
 * frontmatter.
 *
 * Always true: the file is loaded or refused, trusted or not, as `read-entry.ts` would have it, but for what only bytes
 * behind the head could say, and these are counted. Read whole are files of a governed source, which are always
 * checked whole, those whose size alone may be wrong, and those on which the operator's word depends on their text.
 */

import { readSourceStart } from '../../catalog/files/source-start.js';
import type { FileQuestion, TrustVerdict } from '../../catalog/trust.js';
import { BOUNDS, type Entry, type EntryHead } from '../entry.js';
import { parseOpenHead } from '../parse/open.js';
import { type Dialect, dialectOf, isStrict } from './dialect.js';
import type { FoundEntry } from './discover.js';
import type { EntryFile } from './entry-file.js';
import { questionOn, readEntry, sourceOf } from './read-entry.js';

export interface ListedEntry extends EntryHead {
  /** Bytes of the file that were not looked at: were they no text, a load would refuse the file. */
  readonly unreadBytes: number;
}

/** Reads a head. Total: what cannot be read is a refused file with the reason. */
export async function readEntryHead(found: FoundEntry, mission: Dialect): Promise<EntryFile<ListedEntry>> {
  const { path, place, rank, expectedName } = found;
  const dialect = dialectOf(place, mission);
  const word = await wordOnAnyText(found);
  if (dialect === 'governed' || word === 'depends on the text')
    return listed(await readEntry(found, mission));
  const file = { path, place, rank, expectedName, strict: isStrict(place, dialect) };
  const root = found.form === 'no link' ? null : place.root;
  const read = readSourceStart(path, root, BOUNDS.bodyBytes);
  if (read.kind === 'unreadable') return { ...file, kind: 'refused', name: null, findings: [read.finding] };
  const parsed = parseOpenHead(read.text, sourceOf(found));
  const { findings } = parsed;
  if (parsed.kind === 'refused') return { ...file, kind: 'refused', name: parsed.name, findings };
  const trust = word === null || word.verdict.kind === 'trusted' ? 'instruction' : 'reference';
  const entry: ListedEntry = { ...parsed.head, trust, unreadBytes: read.unreadBytes };
  return { ...file, kind: 'loaded', entry, approval: word, findings };
}

type Word = { readonly question: FileQuestion; readonly verdict: TrustVerdict };

/** Null when nobody is asked. */
async function wordOnAnyText(found: FoundEntry): Promise<Word | null | 'depends on the text'> {
  const asked = questionOn(found);
  if (asked === null) return null;
  const verdict = await asked.trust.verdictOnAnyText?.(asked.question);
  if (verdict === undefined || verdict === null) return 'depends on the text';
  return { question: asked.question, verdict };
}

function listed(file: EntryFile): EntryFile<ListedEntry> {
  if (file.kind === 'refused') return file;
  return { ...file, entry: { ...headOf(file.entry), unreadBytes: 0 } };
}

function headOf({ kind, name, version, description, alwaysOn, tier, path, trust }: Entry): EntryHead {
  return { kind, name, version, description, alwaysOn, tier, path, trust };
}
