/** One rule or skill with everything that is known of it (spec/skills.md §10 `show`). */

import { isAbsolute, join } from 'node:path';
import { deadlineAfter } from '../../shared/abort.js';
import { nameRemedy } from '../../shared/did-you-mean.js';
import { sha256 } from '../../shared/digest.js';
import type { Finding } from '../../shared/findings.js';
import type { Entry } from '../../skills/entry.js';
import { type StandingFile, standings } from '../../skills/inventory/standing.js';
import { listResources, type Resources } from '../../skills/read/resources.js';
import { quoted } from '../../skills/remark.js';
import { renderForSystem } from '../../skills/render.js';
import type { Found } from '../find-team.js';
import type { House } from '../house.js';
import { LOAD_DEADLINE_MS, loadEntries } from '../load-entries.js';
import { withTrustFindings } from '../trust-findings.js';
import { everyFinding } from './list-entries.js';

/** What a system prompt would hold of an entry. */
export interface RenderedEntry {
  readonly text: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface ShownEntry {
  /** The file that was meant. */
  readonly shown: StandingFile;
  /** What it holds; null when it holds no entry. */
  readonly entry: Entry | null;
  /** Null when no system prompt ever holds it. */
  readonly rendered: RenderedEntry | null;
  /** The other files of its name, from the strongest. */
  readonly others: readonly StandingFile[];
  /** On this file. */
  readonly findings: readonly Finding[];
  /** What every command says that loads the entries. */
  readonly said: readonly Finding[];
}

/**
 * Finds the entry a word stands for: its name, else its path, else the name of its directory. Of several files of one
 * name the one in use is shown, else the one that an approval would make so.
 */
export async function showEntry(house: House, typed: string): Promise<Found<ShownEntry>> {
  const registry = await loadEntries(house);
  const files = standings(registry);
  const path = isAbsolute(typed) ? typed : join(house.workingDirectory, typed);
  const meant = [
    files.filter(({ name }) => name === typed),
    files.filter(({ file }) => file.path === path),
    files.filter(({ file }) => file.expectedName === typed),
  ].find((found) => found.length > 0);
  const shown = meant?.[0];
  if (shown === undefined) return { kind: 'refused', findings: [unknownEntry(typed, files)] };
  const entry = shown.file.kind === 'loaded' ? shown.file.entry : null;
  return {
    kind: 'found',
    value: {
      shown,
      entry,
      rendered: entry === null || entry.trust !== 'instruction' ? null : renderedEntry(entry),
      others: files.filter((other) => other !== shown && other.name === shown.name),
      findings: everyFinding(registry).filter((finding) => finding.path === shown.file.path),
      said: await withTrustFindings(house, registry.findings),
    },
  };
}

/** The other files of an entry's directory; none for a flat file. */
export function resourcesOf({ shown }: ShownEntry): Promise<Resources> {
  return listResources(shown.file.path, deadlineAfter(LOAD_DEADLINE_MS));
}

function renderedEntry(entry: Entry): RenderedEntry {
  const text = renderForSystem(entry);
  return { text, sha256: sha256(text), bytes: Buffer.byteLength(text) };
}

function unknownEntry(typed: string, files: readonly StandingFile[]): Finding {
  return {
    code: 'unknown-skill',
    severity: 'error',
    path: typed,
    message: `no skill or rule is named ${quoted(typed)}, and no file of one lies there`,
    remedy: nameRemedy(typed, [...new Set(files.map(({ name }) => name))]),
  };
}
