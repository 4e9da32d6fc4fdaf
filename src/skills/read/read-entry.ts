/** One found file to an entry: read once, parsed in the dialect of its place, and put to the operator's word. */

import { relative, sep } from 'node:path';
import { readSource } from '../../catalog/files/source-file.js';
import type { FileQuestion, Trust, TrustQuestion } from '../../catalog/trust.js';
import type { EntrySource, EntryText } from '../entry.js';
import { parseGoverned } from '../parse/governed.js';
import { parseOpen } from '../parse/open.js';
import { type Dialect, dialectOf, isStrict } from './dialect.js';
import type { FoundEntry } from './discover.js';
import type { EntryFile, LoadedFile } from './entry-file.js';

/** Where a file lies; as it was found, or as a listing has it. */
export type EntryPlace = Omit<FoundEntry, 'form'>;

/** A file and the text it was read as; null when it could not be. */
export interface ReadEntry {
  readonly file: EntryFile;
  readonly text: string | null;
}

/** Reads a file. Total: what cannot be read is a refused file with the reason. */
export async function readEntry(found: EntryPlace, mission: Dialect): Promise<EntryFile> {
  return (await readEntryText(found, mission)).file;
}

/** The same for those who show the text: it is the one that was parsed, digested and asked about. */
export async function readEntryText(found: EntryPlace, mission: Dialect): Promise<ReadEntry> {
  const { path, place, rank, expectedName } = found;
  const dialect = dialectOf(place, mission);
  const file = { path, place, rank, expectedName, strict: isStrict(place, dialect) };
  const read = await readSource(path, place.root);
  if (read.kind === 'unreadable') {
    return { file: { ...file, kind: 'refused', name: null, findings: [read.finding] }, text: null };
  }
  const { text } = read;
  const source = sourceOf(found);
  const parsed = dialect === 'governed' ? parseGoverned(text, source) : parseOpen(text, source);
  const { findings } = parsed;
  if (parsed.kind === 'refused') {
    return { file: { ...file, kind: 'refused', name: parsed.name, findings }, text };
  }
  const approval = await ask(found, parsed.entry);
  const trusted = approval === null || approval.verdict.kind === 'trusted';
  const trust = trusted ? ('instruction' as const) : ('reference' as const);
  return { file: { ...file, kind: 'loaded', entry: { ...parsed.entry, trust }, approval, findings }, text };
}

/** The question names the file as an approval would, and the digest of the fields that would be used. */
async function ask(found: EntryPlace, { digest }: EntryText): Promise<LoadedFile['approval']> {
  const asked = questionOn(found);
  if (asked === null) return null;
  const question: TrustQuestion = { ...asked.question, digest };
  return { question, verdict: await asked.trust.verdict(question) };
}

/** What to ask of a file, and whom; null when it counts by where it lies. */
export function questionOn({
  path,
  place,
}: EntryPlace): { readonly question: FileQuestion; readonly trust: Trust } | null {
  if (place.approval === null) return null;
  const { tier, trust } = place.approval;
  const inside = relative(place.root, path).split(sep).join('/');
  return { question: { kind: 'entry', tier, root: place.root, path: inside }, trust };
}

/** Where a file lies, as the parsers ask for it. */
export function sourceOf({ path, place, expectedName }: EntryPlace): EntrySource {
  const { tier, tree, layout, kind } = place;
  return { path, tier, tree, layout, expectedName, kind };
}
