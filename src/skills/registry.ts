/**
 * Loads the entries of all tiers: find, read, parse, ask for trust, decide. The map of this folder:
 *
 *     read/ → decide/ → choose/ → render.ts
 *
 *     read/     from the folders of the tiers to files that were read: discover, read-entry, read-head (the same from
 *               the head of a file), dialect and mission-mark (how its source writes), entry-file (with the
 *               operator's word on it), resources (the other files of its bundle)
 *     parse/    the two dialects, governed.ts and open.ts, both by parsed-entry.ts; entry-schema.ts publishes the open one
 *     decide/   which of several files of a name is in use: precedence → rule-guard, look-alikes, global-trust, disabled
 *     choose/   what a member is given: force-load → named-entries → resolve-name; additions, gates, budget
 *     guards/   what keeps an entry out of a composition
 *     render.ts every model-facing form → composition-order.ts, support.ts, render/ (marks.ts: what a prompt is read by;
 *               defuse.ts: text that can be none of it; delegated-block.ts: the form in a brief)
 *     import/ → lock/   from a repository of others, or an own open file, to a governed one and its line in skills.lock
 *     inventory/        how each file stands, and the forms of an audit
 *
 *     entry.ts, digest.ts, stored-text.ts   an entry, what an approval of it covers, that text read back from a record
 *     listing.ts        names and descriptions alone
 *     settings.ts       what an operator says of entries in general; remark.ts: the findings of one file
 *
 * Always true:
 * - Every file is read once and checked whole; what is composed is what was digested and asked about. One bad file
 *   never hides another.
 * - An error in a governed source that counts by where it lies is an error here and refuses a run; an error in any
 *   other file leaves out that file alone, and is a warning here.
 * - No network: nothing but the file system is asked.
 */

import { type CataloguePlaces, skillPlaces } from '../catalog/tiers.js';
import type { Finding } from '../shared/findings.js';
import { inGroups } from '../shared/in-groups.js';
import { compareBytes } from './byte-order.js';
import { disabledNames, disabledSlips } from './decide/disabled.js';
import { withGlobalTrust } from './decide/global-trust.js';
import { decidePrecedence, type Precedence } from './decide/precedence.js';
import type { Entry, EntryHead } from './entry.js';
import { discoverEntries, type WeighedFinding } from './read/discover.js';
import type { EntryFile, RefusedFile } from './read/entry-file.js';
import { missionMark } from './read/mission-mark.js';
import { readEntry } from './read/read-entry.js';
import type { DisabledName, SkillSettings } from './settings.js';

/** All entries of a set of places, each name decided. */
export interface Registry<Held extends EntryHead = Entry> extends Precedence<Held> {
  /** Every file that was found, in ascending precedence, with digest, approval and findings: what listings show. */
  readonly files: readonly EntryFile<Held>[];
  /** Files that hold no entry, whatever the reason. */
  readonly refused: readonly RefusedFile[];
  /** Names that are listed and never composed, each with who says so; compared exactly as entries are named. */
  readonly disabled: ReadonlyMap<string, DisabledName>;
  /** What a run says: on governed files, on names and trust. Of severity error: a run does not start. */
  readonly findings: readonly Finding[];
  /** What is said of open files and their folders; a run says it of the entries it uses. By path. */
  readonly quiet: ReadonlyMap<string, readonly Finding[]>;
}

/** Where the inventory is written: one line an entry and one with the count, for operators, never the terminal. */
export interface InventoryLog {
  info(fields: object, message: string): void;
}

export interface LoadOptions {
  /** Called off between two groups of files; the load then throws `CancelledError`. */
  readonly signal: AbortSignal;
  readonly log: InventoryLog;
  /** What the operator says of entries in general. */
  readonly settings: SkillSettings;
}

/** Loads all entries of the places. */
export async function loadRegistry(places: CataloguePlaces, options: LoadOptions): Promise<Registry> {
  const mission = await missionMark(places.mission);
  const { found, findings } = await discoverEntries(skillPlaces(places), mission.dialect, options.signal);
  const { disabled, globalTrust } = options.settings;
  const read = await inGroups(found, (file) => readEntry(file, mission.dialect), options.signal);
  const files = read.map((file) => withGlobalTrust(file, globalTrust));
  const ofFolders = [...markFindings(mission.findings, places), ...findings];
  const registry = decideRegistry(files, ofFolders, [...disabled, ...mission.disabled]);
  writeInventory(registry.entries, options.log);
  return registry;
}

/** What is said of the mark of the mission repository; one that was only found refuses nobody's run. */
export function markFindings(
  findings: readonly Finding[],
  { mission }: Pick<CataloguePlaces, 'mission'>,
): readonly WeighedFinding[] {
  const weight = mission?.named === true ? 'refuses' : 'quiet';
  return findings.map((finding) => ({ finding, weight }));
}

/** From files that were read to the registry. Pure; files in any order. */
export function decideRegistry<Held extends EntryHead>(
  files: readonly EntryFile<Held>[],
  ofFolders: readonly WeighedFinding[] = [],
  disabled: readonly DisabledName[] = [],
): Registry<Held> {
  const ordered = [...files].sort(
    (left, right) => left.rank - right.rank || compareBytes(left.path, right.path),
  );
  const loaded = ordered.filter((file) => file.kind === 'loaded');
  const precedence = decidePrecedence(loaded);
  const names = loaded.map(({ entry }) => entry.name);
  const findings = [...precedence.findings, ...disabledSlips(disabled, names)];
  const quiet = new Map<string, Finding[]>();
  for (const { finding, weight } of [...ofFolders, ...ordered.flatMap(ofFile)]) {
    if (weight === 'refuses') findings.push(finding);
    else if (weight === 'said') findings.push(leftOut(finding));
    else quiet.set(finding.path, [...(quiet.get(finding.path) ?? []), leftOut(finding)]);
  }
  return {
    ...precedence,
    files: ordered,
    refused: ordered.filter((file) => file.kind === 'refused'),
    disabled: disabledNames(disabled),
    findings: inPathOrder(findings),
    quiet,
  };
}

function ofFile({ findings, strict }: EntryFile<EntryHead>): WeighedFinding[] {
  return findings.map((finding) => ({ finding, weight: strict ? 'refuses' : 'quiet' }));
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

/** An error in a source that refuses nobody's run: the file alone is left out. */
function leftOut(finding: Finding): Finding {
  if (finding.severity !== 'error') return finding;
  return { ...finding, severity: 'warning', message: `not loaded: ${finding.message}` };
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
