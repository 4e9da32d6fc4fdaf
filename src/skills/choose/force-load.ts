/**
 * Which entries a member starts with (spec/skills.md §7): the list of its role, what the operator adds, and the
 * always-on rules that apply. Decided once, at spawn, before any model is asked.
 *
 * Always true:
 * F1. Nothing is composed in silence or left out in silence: each name ends in `entries`, `references`, `rejected`,
 *     `omitted` or `refusals`.
 * F2. The result does not depend on the order of the registry, of the list or of the additions.
 * F3. A member with a refusal must not be spawned; a rejected or omitted entry lets it start without it.
 * F4. What may not instruct is in `references` and nowhere else.
 */

import type { Finding } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { inOrder } from '../composition-order.js';
import type { Capability, Entry } from '../entry.js';
import type { Registry } from '../registry.js';
import { Remarks } from '../remark.js';
import type { SkillAdditions } from './additions.js';
import { type OmittedEntry, type RejectedEntry, throughGates } from './gates.js';
import { NamedEntries } from './named-entries.js';

export interface ForceLoadRequest {
  readonly registry: Registry;
  /** Name of the role; compared as roles are, without case and `-_ `. */
  readonly role: string;
  /** The file of the role, where findings on its list point. */
  readonly rolePath: string;
  readonly roleSkills: readonly string[];
  readonly additions: SkillAdditions;
  /** What the member can do, from its final tool registry. */
  readonly granted: readonly Capability[];
}

export interface ForceLoaded {
  /** What instructs, in the order it is composed: rules, then skills, each in byte order of name. */
  readonly entries: readonly Entry[];
  /** Skills that are shown as reference text, in byte order of name. */
  readonly references: readonly Entry[];
  /** Entries that require what the member lacks. */
  readonly rejected: readonly RejectedEntry[];
  /** Process entries that a list names, and always-on rules that were switched off. */
  readonly omitted: readonly OmittedEntry[];
  /** Errors: names that no entry has, or one that may not be used. */
  readonly refusals: readonly Finding[];
  /** Remarks that refuse nothing, such as a directory name taken for a name. */
  readonly notes: readonly Finding[];
}

/** Resolves the names, adds the always-on rules and passes every entry through the gates. */
export function forceLoad(request: ForceLoadRequest): ForceLoaded {
  const { registry, role, additions, granted } = request;
  const roleRemarks = new Remarks(request.rolePath);
  const additionRemarks = new Remarks(additions.source);
  const named = new NamedEntries(registry);
  named.addAll(request.roleSkills, request.rolePath, roleRemarks);
  const added = [...additions.everyone, ...(additions.byRole.get(roleIdentity(role)) ?? [])];
  named.addAll(added, additions.source, additionRemarks);
  const omitted: OmittedEntry[] = [];
  for (const entry of registry.entries) {
    if (entry.kind !== 'rule' || !entry.alwaysOn || !appliesToMember(entry, role)) continue;
    const off = registry.disabled.get(entry.name);
    if (off === undefined) named.addUnnamed(entry);
    else omitted.push({ entry, reason: 'disabled', detail: `${entry.name} is disabled by ${off.place}` });
  }
  const instruction = throughGates(inOrder(named.instruction), granted);
  const reference = throughGates(inOrder(named.reference), granted);
  const remarks = [...roleRemarks.findings, ...additionRemarks.findings];
  return {
    entries: instruction.entries,
    references: reference.entries,
    rejected: [...instruction.rejected, ...reference.rejected],
    omitted: [...omitted, ...instruction.omitted, ...reference.omitted],
    refusals: remarks.filter((finding) => finding.severity === 'error'),
    notes: remarks.filter((finding) => finding.severity !== 'error'),
  };
}

/** Whether an entry is meant for a team member of this role (spec/skills.md §1 `applies_to`). */
export function appliesToMember(entry: Entry, role: string): boolean {
  if (entry.appliesTo === null) return true;
  return entry.appliesTo.some((name) => name === 'team' || roleIdentity(name) === roleIdentity(role));
}
