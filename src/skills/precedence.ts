/**
 * Which of several entries with one name is used (spec/skills.md §3). Pure: entries in, registry out.
 *
 * Always true:
 * P1. The later tier wins; inside a tier the directory form beats the flat file. The loser stays visible.
 * P2. No tier turns a built-in rule into a skill, also when a tier between replaced it by another rule.
 * P3. Each name has one winner, whatever the order of the files.
 */

import { basename } from 'node:path';
import { SKILL_FILE, TIERS } from '../catalog/tiers.js';
import type { Finding } from '../shared/findings.js';
import { compareBytes } from './byte-order.js';
import type { Entry } from './entry.js';

/** An entry that another one of the same name hides. */
export interface ShadowedEntry {
  readonly entry: Entry;
  readonly by: Entry;
}

/** All entries of a set of places, each name decided. */
export interface Registry {
  /** The entries in use, byte order of name. */
  readonly entries: readonly Entry[];
  readonly byName: ReadonlyMap<string, Entry>;
  readonly shadowed: readonly ShadowedEntry[];
  /** Of severity error: a run does not start. */
  readonly findings: readonly Finding[];
  /** Texts that every command which loads the registry prints once on stderr, line breaks included. */
  readonly warnings: readonly string[];
}

/** Decides every name. `entries` in any order. */
export function decidePrecedence(entries: readonly Entry[]): Registry {
  const decision = new Decision();
  for (const tier of TIERS) {
    const ofTier = entries.filter((entry) => entry.tier === tier).sort(byFormThenPath);
    for (const sameName of groupedByName(ofTier)) decision.enter(decision.winnerWithin(sameName));
  }
  return decision.registry();
}

/** The state of one decision, tier by tier. */
class Decision {
  readonly #current = new Map<string, Entry>();
  readonly #builtinRules = new Set<string>();
  readonly #shadowed: ShadowedEntry[] = [];
  readonly #findings: Finding[] = [];
  readonly #warnings: string[] = [];

  /** One tier, one name: strongest form first. A name given twice in one form is an error of the source. */
  winnerWithin(sameName: readonly [Entry, ...Entry[]]): Entry {
    const [winner, ...losers] = sameName;
    for (const loser of losers) {
      this.#shadowed.push({ entry: loser, by: winner });
      if (isDirectoryForm(loser) === isDirectoryForm(winner) || loser.kind !== winner.kind) {
        this.#findings.push(duplicate(loser, winner));
      }
    }
    return winner;
  }

  /** An entry of a later tier than all before. */
  enter(entry: Entry): void {
    const current = this.#current.get(entry.name);
    if (current !== undefined && entry.kind === 'skill' && this.#builtinRules.has(entry.name)) {
      this.#shadowed.push({ entry, by: current });
      this.#warnings.push(ruleKeptWarning(entry));
      this.#findings.push(ruleKept(entry));
      return;
    }
    if (current !== undefined) this.#shadowed.push({ entry: current, by: entry });
    this.#current.set(entry.name, entry);
    if (entry.tier === 'builtin' && entry.kind === 'rule') this.#builtinRules.add(entry.name);
  }

  registry(): Registry {
    const entries = [...this.#current.values()].sort((left, right) => compareBytes(left.name, right.name));
    return {
      entries,
      byName: new Map(entries.map((entry) => [entry.name, entry])),
      shadowed: this.#shadowed,
      findings: this.#findings,
      warnings: this.#warnings,
    };
  }
}

/** The words of the public contract, line break and indent included. */
function ruleKeptWarning(entry: Entry): string {
  return [
    `Warning: ${entry.tier} "${entry.name}" declares kind "skill" but "${entry.name}" is a`,
    '  built-in rule; keeping the built-in rule (rename it, or use kind: rule to override)',
  ].join('\n');
}

function ruleKept(entry: Entry): Finding {
  return {
    code: 'builtin-rule-kept',
    severity: 'warning',
    path: entry.path,
    message: `${entry.tier} "${entry.name}" declares kind "skill" but "${entry.name}" is a built-in rule; keeping the built-in rule`,
    remedy: 'rename it, or use kind: rule to override',
  };
}

function duplicate(loser: Entry, winner: Entry): Finding {
  return {
    code: 'duplicate-entry',
    severity: 'error',
    path: loser.path,
    message: `the name "${loser.name}" is taken by the ${winner.kind} ${winner.path} of the same tier`,
    remedy: 'rename or remove one of the two',
  };
}

function isDirectoryForm(entry: Entry): boolean {
  return basename(entry.path) === SKILL_FILE;
}

function byFormThenPath(left: Entry, right: Entry): number {
  const form = Number(isDirectoryForm(right)) - Number(isDirectoryForm(left));
  return form || compareBytes(left.path, right.path);
}

function groupedByName(entries: readonly Entry[]): [Entry, ...Entry[]][] {
  const groups = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const group = groups.get(entry.name);
    if (group === undefined) groups.set(entry.name, [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}
