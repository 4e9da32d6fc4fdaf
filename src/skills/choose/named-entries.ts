/**
 * The entries that lists of names stand for: of a role, of what the operator adds, of a task (spec/skills.md §6, §7).
 *
 * Always true: an entry that instructs and one that is only shown are never in one set; no two of either have one name,
 * and the first that was named stays; an untrusted one that shares its name with one that instructs is not shown.
 */

import { assertNever } from '../../shared/assert-never.js';
import type { Entry } from '../entry.js';
import type { Registry } from '../registry.js';
import type { Remarks } from '../remark.js';
import { resolveName } from './resolve-name.js';

export class NamedEntries {
  readonly #registry: Registry;
  readonly #instruction = new Map<string, Entry>();
  readonly #reference = new Map<string, Entry>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Entries that may instruct. */
  get instruction(): readonly Entry[] {
    return [...this.#instruction.values()];
  }

  /** Skills that may only be shown. */
  get reference(): readonly Entry[] {
    return [...this.#reference.values()].filter(({ name }) => !this.#instruction.has(name));
  }

  /**
   * Adds what the names stand for; a name that stands for nothing, or may not be used, is an error among the remarks.
   * @param by the file or variable that names them
   */
  addAll(names: readonly string[], by: string, remarks: Remarks): void {
    for (const name of new Set(names)) this.#add(name, by, remarks);
  }

  /** Adds one that nobody had to name. */
  addUnnamed(entry: Entry): void {
    if (!this.#instruction.has(entry.name)) this.#instruction.set(entry.name, entry);
  }

  #add(name: string, by: string, remarks: Remarks): void {
    const resolved = resolveName(name, this.#registry, by);
    switch (resolved.kind) {
      case 'entry':
      case 'reference': {
        const { entry, notes } = resolved;
        const among = resolved.kind === 'entry' ? this.#instruction : this.#reference;
        if (!among.has(entry.name)) among.set(entry.name, entry);
        for (const finding of notes) remarks.take(finding);
        return;
      }
      case 'refused':
        remarks.take(resolved.finding);
        return;
      case 'unknown':
        remarks.add('error', 'unknown-skill', null, resolved.message, resolved.remedy);
        return;
      default:
        assertNever(resolved, 'a resolved name');
    }
  }
}
