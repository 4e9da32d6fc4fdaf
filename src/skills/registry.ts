/**
 * Loads the entries of all tiers: find, read, parse, decide. The map of this folder:
 *
 *     discover.ts → governed.ts (lines, fields, provenance) → precedence.ts → force-load.ts → render.ts
 *                       └ support.ts, digest.ts → Entry (entry.ts)
 *
 * Always true:
 * - Both tiers of `catalog/tiers.ts` that exist so far are read in the governed dialect and are instruction text:
 *   the built-in one by rule, the mission repository because it was named.
 * - Every file is read and checked whole, for a run and a lint validate all of a governed source. One bad file
 *   never hides another: it is a finding, and an error among the findings refuses the run, not the listing.
 * - No network: nothing but the file system is asked.
 */

import { readSource } from '../catalog/source-file.js';
import { type CataloguePlaces, skillPlaces } from '../catalog/tiers.js';
import { cancelled } from '../shared/abort.js';
import type { Finding } from '../shared/findings.js';
import { discoverEntries, type FoundEntry } from './discover.js';
import type { Entry } from './entry.js';
import { type ParsedEntry, parseGoverned } from './governed.js';
import { decidePrecedence, type Registry } from './precedence.js';

/** Where the inventory is written: one line an entry and one with the count, for operators, never the terminal. */
export interface InventoryLog {
  info(fields: object, message: string): void;
}

export interface LoadOptions {
  /** Called off between two groups of files; the load then throws `CancelledError`. */
  readonly signal: AbortSignal;
  readonly log: InventoryLog;
}

/** Loads all entries of the places. */
export async function loadRegistry(places: CataloguePlaces, options: LoadOptions): Promise<Registry> {
  const { found, findings } = await discoverEntries(skillPlaces(places));
  const parsed = await inGroups(found, options.signal, readEntry);
  const entries = parsed.flatMap((file) => (file.kind === 'entry' ? [file.entry] : []));
  const registry = decidePrecedence(entries);
  writeInventory(registry.entries, options.log);
  return {
    ...registry,
    findings: inPathOrder([...findings, ...parsed.flatMap((file) => file.findings), ...registry.findings]),
  };
}

/**
 * A loader that loads once however many ask at the same time, and then keeps what it has. A load that failed is
 * forgotten, so the next caller tries again.
 */
export function registryLoader(places: CataloguePlaces, options: LoadOptions): () => Promise<Registry> {
  let loading: Promise<Registry> | undefined;
  return () => {
    loading ??= loadRegistry(places, options).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Open files at a time: enough to keep the disk busy, far below any limit of the process. */
const GROUP = 32;

async function inGroups<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += GROUP) {
    if (signal.aborted) throw cancelled(signal);
    results.push(...(await Promise.all(items.slice(start, start + GROUP).map(work))));
  }
  return results;
}

async function readEntry({ path, place, expectedName }: FoundEntry): Promise<ParsedEntry> {
  const read = await readSource(path, place.root);
  if (read.kind === 'unreadable') return { kind: 'refused', findings: [read.finding] };
  const { tier, kind } = place;
  return parseGoverned(read.text, { path, tier, trust: 'instruction', expectedName, kind });
}

function writeInventory(entries: readonly Entry[], log: InventoryLog): void {
  for (const { name, kind, path, tier, origin } of entries) {
    log.info({ entry: name, kind, path, tier, selfDeclaredOrigin: origin }, 'entry loaded');
  }
  log.info({ count: entries.length }, 'entries loaded');
}

/** By path, then line; findings of one line keep their order. */
function inPathOrder(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((left, right) => {
    if (left.path !== right.path) return left.path < right.path ? -1 : 1;
    return (left.line ?? 0) - (right.line ?? 0);
  });
}
