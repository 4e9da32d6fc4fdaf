/**
 * The tools that the entries of a seat provide, made of the stored texts of these entries (spec/skills.md §1 `tools`):
 * in a team that is taken up again they are those it started with, whatever has become of the files.
 */

import type { Seat } from '../../events/facts/frozen.js';
import type { Blobs } from '../../events/record.js';
import { FatalError } from '../../shared/errors.js';
import { readStoredText, storedName } from '../../skills/stored-text.js';
import { type EntryToolMaker, entryToolMaker } from '../../tools/entry-tool.js';

type Providing = Pick<Seat, 'member' | 'tools' | 'entries'>;

/**
 * What makes the tools that entries provide, for any of these seats; members share it.
 * @param texts stored texts by SHA-256; a tool whose entry has no whole text is left out: its member stops before anything is
 *   asked in its name
 * @throws FatalError `tool-unusable` where this version cannot make one
 */
export function entryTools(
  seats: readonly Providing[],
  texts: ReadonlyMap<string, string>,
): (seat: Providing, tool: string) => EntryToolMaker | undefined {
  const makers = new Map<string, EntryToolMaker>();
  for (const seat of seats) {
    for (const { name } of seat.tools) {
      const key = keyOf(seat, name);
      if (key === undefined || makers.has(key)) continue;
      const make = makerOf(seat, name, texts);
      if (make !== undefined) makers.set(key, make);
    }
  }
  return (seat, tool) => makers.get(keyOf(seat, tool) ?? '');
}

function makerOf(
  seat: Providing,
  tool: string,
  texts: ReadonlyMap<string, string>,
): EntryToolMaker | undefined {
  const text = texts.get(textOf(seat, tool) ?? '');
  const stored = text === undefined ? undefined : readStoredText(text);
  const definition = stored?.tools.find(({ name }) => name === tool);
  if (definition === undefined) return undefined;
  const made = entryToolMaker(definition);
  if (made.kind === 'maker') return made.make;
  const message = `the tool ${tool} of ${seat.member} cannot be made by this version: ${made.why}`;
  throw new FatalError('tool-unusable', message);
}

/** What tells the tools of entries apart; undefined for one that is not of an entry, or of one that may not instruct. */
function keyOf(seat: Providing, tool: string): string | undefined {
  const text = textOf(seat, tool);
  return text === undefined ? undefined : `${text} ${tool}`;
}

/** What the text of the entry that provides a tool is stored under. */
function textOf(seat: Providing, tool: string): string | undefined {
  const entry = seat.tools.find(({ name }) => name === tool)?.entry ?? null;
  return entry === null ? undefined : nameOf(seat, entry);
}

/** The stored texts of the entries that provide a tool of any seat, as far as they are whole; by SHA-256. */
export async function providingTexts(
  blobs: Pick<Blobs, 'get'>,
  seats: readonly Pick<Seat, 'tools' | 'entries'>[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const seat of seats) {
    for (const { entry } of seat.tools) {
      const sha256 = entry === null ? undefined : nameOf(seat, entry);
      const text = sha256 === undefined ? undefined : await blobs.get(sha256).catch(notWhole);
      if (sha256 !== undefined && text !== undefined) texts.set(sha256, text);
    }
  }
  return texts;
}

function notWhole(error: unknown): undefined {
  if (error instanceof FatalError && error.code === 'blob-broken') return undefined;
  throw error;
}

/** What the text of an entry that instructs is stored under. */
function nameOf({ entries }: Pick<Seat, 'entries'>, entry: string): string | undefined {
  const loaded = entries.find(({ name, trust }) => name === entry && trust === 'instruction');
  return loaded === undefined ? undefined : storedName(loaded.digest);
}
