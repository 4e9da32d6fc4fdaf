/**
 * The tools that the entries of a seat provide, made of the stored texts of these entries (spec/skills.md §1 `tools`):
 * in a team that is taken up again they are those it started with, whatever has become of the files.
 */

import type { Tool } from '../../agent/tool.js';
import type { Seat } from '../../events/facts/frozen.js';
import type { Blobs } from '../../events/record.js';
import { FatalError } from '../../shared/errors.js';
import type { ToolDefinition } from '../../skills/entry.js';
import { readStoredText, storedName } from '../../skills/stored-text.js';
import { type EntryToolParts, entryTool } from '../../tools/entry-tool.js';

/**
 * By name. A tool whose entry has no whole text is left out: its member stops before anything is asked in its name.
 * @param texts stored texts by SHA-256
 */
export function entryTools(
  seat: Pick<Seat, 'member' | 'tools' | 'entries'>,
  texts: ReadonlyMap<string, string>,
  parts: EntryToolParts,
): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const { name, entry } of seat.tools) {
    if (entry === null) continue;
    const definition = definitionOf(seat, name, entry, texts);
    if (definition === undefined) continue;
    const made = entryTool(definition, parts);
    if (made.kind === 'unusable') {
      const message = `the tool ${name} of ${seat.member} cannot be made by this version: ${made.why}`;
      throw new FatalError('tool-unusable', message);
    }
    tools.set(name, made.tool);
  }
  return tools;
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

function definitionOf(
  seat: Pick<Seat, 'entries'>,
  tool: string,
  entry: string,
  texts: ReadonlyMap<string, string>,
): ToolDefinition | undefined {
  const text = texts.get(nameOf(seat, entry) ?? '');
  const stored = text === undefined ? undefined : readStoredText(text);
  return stored?.tools.find(({ name }) => name === tool);
}

/** What the text of an entry that instructs is stored under. */
function nameOf({ entries }: Pick<Seat, 'entries'>, entry: string): string | undefined {
  const loaded = entries.find(({ name, trust }) => name === entry && trust === 'instruction');
  return loaded === undefined ? undefined : storedName(loaded.digest);
}
