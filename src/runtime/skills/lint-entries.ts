/**
 * Lint of rules and skills: every file read whole, names compared, the locks beside them checked (spec/skills.md §10).
 *
 * What is named is judged as it stands, an error in it is an error. Without a target everything of all tiers is weighed
 * as a run weighs it: an open file that does not load is left out alone, and that is a warning.
 */

import { UNTRUSTED } from '../../catalog/trust.js';
import { deadlineAfter } from '../../shared/abort.js';
import { type Finding, inFileOrder } from '../../shared/findings.js';
import { inGroups } from '../../shared/in-groups.js';
import { decidePrecedence } from '../../skills/decide/precedence.js';
import { lockFindings } from '../../skills/inventory/lock-check.js';
import type { EntryFile, LoadedFile } from '../../skills/read/entry-file.js';
import { readEntry } from '../../skills/read/read-entry.js';
import type { House } from '../house.js';
import { LOAD_DEADLINE_MS, loadEntries } from '../load-entries.js';
import { entriesOfTarget } from './lint-targets.js';
import { everyFinding } from './list-entries.js';

export interface EntryLint {
  /** Paths of the files, each once. */
  readonly checked: readonly string[];
  /** By path and line, each once. */
  readonly findings: readonly Finding[];
}

/** Lints the targets; without one, every rule and skill of all tiers. */
export async function lintEntries(house: House, targets: readonly string[]): Promise<EntryLint> {
  if (targets.length === 0) return lintAll(house);
  const looked: EntryLint[] = [];
  for (const target of targets) looked.push(await lintTarget(house, target));
  return {
    checked: [...new Set(looked.flatMap(({ checked }) => checked))],
    findings: inFileOrder(looked.flatMap(({ findings }) => findings)),
  };
}

async function lintAll(house: House): Promise<EntryLint> {
  const registry = await loadEntries(house);
  const loaded = registry.files.filter((file) => file.kind === 'loaded');
  return {
    checked: registry.files.map(({ path }) => path),
    findings: inFileOrder([...everyFinding(registry), ...(await lockFindings(loaded, 'lint'))]),
  };
}

async function lintTarget(house: House, target: string): Promise<EntryLint> {
  const signal = deadlineAfter(LOAD_DEADLINE_MS);
  const { found, dialect, findings, whole } = await entriesOfTarget(house, target, signal);
  const files: EntryFile[] = await inGroups(found, (file) => readEntry(file, dialect), signal);
  const loaded = files.filter((file) => file.kind === 'loaded');
  const paths = new Set(files.map(({ path }) => path));
  // Of a file alone its own line of the lock is looked at, not what else is locked there.
  const ofLock = (await lockFindings(loaded, 'lint')).filter(({ path }) => whole || paths.has(path));
  const all = [...findings, ...files.flatMap((file) => file.findings), ...ofNames(loaded), ...ofLock];
  return { checked: [...paths], findings: inFileOrder(all) };
}

/** What is said of names when all of these lie in one catalogue; nobody's word is asked for. */
function ofNames(files: readonly LoadedFile[]): readonly Finding[] {
  const trusted = files.map(
    (file): LoadedFile => ({
      ...file,
      entry: { ...file.entry, trust: 'instruction' },
      approval: null,
    }),
  );
  return decidePrecedence(trusted).findings.filter(({ code }) => code !== UNTRUSTED);
}
