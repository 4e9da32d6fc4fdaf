/**
 * Which of several entries with one name is used (spec/skills.md §3). Pure: files that were read in, decision out. The
 * heads of entries are enough for it, so that listings and runs come to the same.
 *
 * Always true:
 * P1. The later place wins: tier before project folder before form before tree, as the ranks say. The loser stays
 *     visible.
 * P2. No file turns a guarded rule into a skill (`rule-guard.ts`), also when a tier between replaced it by another rule.
 * P3. An untrusted file is not used, hides nothing and keeps its place in the list.
 * P4. Each name has one winner, whatever the order of the files.
 */

import { dirname } from 'node:path';
import { TIERS } from '../../catalog/tiers.js';
import { notUsed, toldUnused } from '../../catalog/trust.js';
import type { Finding } from '../../shared/findings.js';
import { compareBytes } from '../byte-order.js';
import type { Entry, EntryHead } from '../entry.js';
import { isUntrusted, type LoadedFile } from '../read/entry-file.js';
import { REFERENCE_ONLY, referenceOnly } from './global-trust.js';
import { lookAlikes } from './look-alikes.js';
import { type Guard, guardOf, ruleKept } from './rule-guard.js';

/** An entry that another one of the same name hides. */
export interface ShadowedEntry<Held extends EntryHead = Entry> {
  readonly entry: Held;
  readonly by: Held;
}

/** A file that may not instruct, and the remark that says why: nobody has approved it, or the settings say so. */
export interface UntrustedEntry<Held extends EntryHead = Entry> {
  readonly file: LoadedFile<Held>;
  readonly remark: Finding;
}

/** Every name decided. */
export interface Precedence<Held extends EntryHead = Entry> {
  /** The entries in use, byte order of name. */
  readonly entries: readonly Held[];
  readonly byName: ReadonlyMap<string, Held>;
  readonly shadowed: readonly ShadowedEntry<Held>[];
  /** In ascending precedence: the last of a name would be used if all were approved. */
  readonly untrusted: readonly UntrustedEntry<Held>[];
  /** On names and trust; an error where a governed source gives one name twice. */
  readonly findings: readonly Finding[];
}

/** Decides every name. `files` in any order. */
export function decidePrecedence<Held extends EntryHead>(
  files: readonly LoadedFile<Held>[],
): Precedence<Held> {
  const ordered = [...files].sort(byRankThenPath);
  const trusted = ordered.filter((file) => !isUntrusted(file));
  const decision = new Decision<Held>();
  for (const tier of TIERS) {
    const ofTier = trusted.filter((file) => file.place.tier === tier);
    for (const sameName of groupedByName(ofTier)) decision.enterTier(sameName);
  }
  const untrusted = ordered.filter(isUntrusted).map((file) => ({ file, remark: remarkOn(file) }));
  const { findings, ...decided } = decision.made();
  const inUse = new Set(decided.entries);
  const seen = ordered.filter((file) => isUntrusted(file) || inUse.has(file.entry));
  return {
    ...decided,
    untrusted,
    findings: [
      ...findings,
      ...lookAlikes(seen.map(({ entry }) => entry)),
      ...toldRemarks(meantFirst(untrusted, decided.byName)),
    ],
  };
}

function remarkOn({ approval, entry }: LoadedFile<EntryHead>): Finding {
  return approval === null || approval.verdict.kind === 'trusted'
    ? referenceOnly(entry)
    : notUsed(entry.path, approval.verdict);
}

/** What is said without being asked: files that wait for a word, and rules of the operator that are not used. */
function toldRemarks(untrusted: readonly UntrustedEntry<EntryHead>[]): readonly Finding[] {
  const waiting = untrusted.filter(({ remark }) => remark.code !== REFERENCE_ONLY);
  const ownRules = untrusted.filter(
    ({ remark, file }) => remark.code === REFERENCE_ONLY && file.entry.kind === 'rule',
  );
  return [...toldUnused(waiting.map(({ remark }) => remark)), ...ownRules.map(({ remark }) => remark)];
}

/** Files that somebody may take for the one that is in use come first. */
function meantFirst<Held extends EntryHead>(
  untrusted: readonly UntrustedEntry<Held>[],
  inUse: ReadonlyMap<string, unknown>,
): readonly UntrustedEntry<Held>[] {
  const isMeant = ({ file }: UntrustedEntry<Held>): boolean => inUse.has(file.entry.name);
  return [...untrusted.filter(isMeant), ...untrusted.filter((other) => !isMeant(other))];
}

/** The state of one decision, tier by tier. */
class Decision<Held extends EntryHead> {
  readonly #current = new Map<string, Held>();
  readonly #guards = new Map<string, Guard>();
  readonly #shadowed: ShadowedEntry<Held>[] = [];
  readonly #findings: Finding[] = [];

  /** All trusted files of one name in one tier, weakest first; the tier is later than all before. */
  enterTier(sameName: readonly LoadedFile<Held>[]): void {
    const strongestFirst = [...sameName].reverse();
    const [name = ''] = sameName.map(({ entry }) => entry.name);
    const guard = this.#guards.get(name) ?? ownGuard(sameName);
    const barred = guard === null ? [] : strongestFirst.filter(({ entry }) => entry.kind === 'skill');
    const [winner, ...losers] = strongestFirst.filter((file) => !barred.includes(file));
    if (winner !== undefined) this.#take(winner, losers);
    if (guard !== null) this.#bar(barred, guard);
  }

  #take(winner: LoadedFile<Held>, losers: readonly LoadedFile<Held>[]): void {
    const { entry } = winner;
    for (const loser of losers) {
      this.#shadowed.push({ entry: loser.entry, by: entry });
      if (collide(winner, loser)) this.#findings.push(duplicate(loser, winner));
    }
    const earlier = this.#current.get(entry.name);
    if (earlier !== undefined) this.#shadowed.push({ entry: earlier, by: entry });
    this.#current.set(entry.name, entry);
    const guard = guardOf(entry);
    if (guard !== null && !this.#guards.has(entry.name)) this.#guards.set(entry.name, guard);
  }

  /** Skills that a guarded rule keeps out; the strongest, which would have replaced it, is warned of. */
  #bar(skills: readonly LoadedFile<Held>[], guard: Guard): void {
    for (const [index, { entry, place }] of skills.entries()) {
      const by = this.#current.get(entry.name);
      if (by !== undefined) this.#shadowed.push({ entry, by });
      if (index === 0) this.#findings.push(ruleKept(entry, place.tree, guard));
    }
  }

  made(): Omit<Precedence<Held>, 'untrusted'> {
    const entries = [...this.#current.values()].sort((left, right) => compareBytes(left.name, right.name));
    return {
      entries,
      byName: new Map(entries.map((entry) => [entry.name, entry])),
      shadowed: this.#shadowed,
      findings: this.#findings,
    };
  }
}

/** A global rule is guarded against global skills as well; the built-in tier gives no name twice. */
function ownGuard(sameName: readonly LoadedFile<EntryHead>[]): Guard | null {
  const guards = sameName.map(({ entry }) => guardOf(entry));
  return guards.includes('global') ? 'global' : null;
}

/**
 * Whether two files of one tier and name were hardly meant to replace one another: they lie side by side in one form,
 * or one is a rule and the other a skill.
 */
function collide(winner: LoadedFile<EntryHead>, loser: LoadedFile<EntryHead>): boolean {
  if (winner.entry.kind !== loser.entry.kind) return true;
  return winner.strict ? winner.place.layout === loser.place.layout : sameLayer(winner, loser);
}

/** Whether two files lie in one tree and in one form: rules and skills of a tree are one layer. */
function sameLayer(left: LoadedFile<EntryHead>, right: LoadedFile<EntryHead>): boolean {
  if (left.place === right.place) return true;
  return (
    left.place.layout === right.place.layout && dirname(left.place.folder) === dirname(right.place.folder)
  );
}

function duplicate(loser: LoadedFile<EntryHead>, winner: LoadedFile<EntryHead>): Finding {
  const { name, kind } = winner.entry;
  return {
    code: 'duplicate-entry',
    severity: winner.strict ? 'error' : 'warning',
    path: loser.path,
    message: `the name "${name}" is taken by the ${kind} ${winner.path} of the same tier`,
    remedy: 'rename or remove one of the two',
  };
}

/** Ascending precedence; of two files of one layer the first by path is the stronger one. */
function byRankThenPath(left: LoadedFile<EntryHead>, right: LoadedFile<EntryHead>): number {
  return (sameLayer(left, right) ? 0 : left.rank - right.rank) || compareBytes(right.path, left.path);
}

function groupedByName<Held extends EntryHead>(files: readonly LoadedFile<Held>[]): LoadedFile<Held>[][] {
  const groups = new Map<string, LoadedFile<Held>[]>();
  for (const file of files) {
    const group = groups.get(file.entry.name);
    if (group === undefined) groups.set(file.entry.name, [file]);
    else group.push(file);
  }
  return [...groups.values()];
}
