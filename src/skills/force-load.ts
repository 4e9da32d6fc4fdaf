/**
 * Which entries a member starts with (spec/skills.md §7): the list of its role, what the operator adds, and the
 * always-on rules that apply. Decided once, at spawn, before any model is asked.
 *
 * Always true:
 * F1. Nothing is composed in silence or left out in silence: each name ends in `entries`, `rejected`, `omitted`
 *     or `refusals`.
 * F2. The result does not depend on the order of the registry, of the list or of the additions.
 * F3. A member with a refusal must not be spawned; a rejected or omitted entry lets it start without it.
 */

import { assertNever } from '../shared/assert-never.js';
import type { Finding } from '../shared/findings.js';
import { roleIdentity } from '../shared/role-identity.js';
import type { SkillAdditions } from './additions.js';
import { inOrder } from './composition-order.js';
import type { Capability, Entry } from './entry.js';
import type { Registry } from './registry.js';
import { Remarks } from './remark.js';
import { resolveName } from './resolve-name.js';

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
  /** In the order they are composed: rules, then skills, each in byte order of name. */
  readonly entries: readonly Entry[];
  /** Entries that require what the member lacks; `capability` is the first one lacking. */
  readonly rejected: readonly {
    readonly entry: Entry;
    readonly capability: Capability;
    readonly detail: string;
  }[];
  /** Process entries: a recipe names them, never a role. */
  readonly omitted: readonly { readonly entry: Entry; readonly reason: 'process'; readonly detail: string }[];
  /** Errors: names that no entry has, or only one that nobody has approved. */
  readonly refusals: readonly Finding[];
  /** Remarks that refuse nothing, such as a directory name taken for a name. */
  readonly notes: readonly Finding[];
}

/** Resolves the names, adds the always-on rules and passes every entry through the gates. */
export function forceLoad(request: ForceLoadRequest): ForceLoaded {
  const { registry, role, additions } = request;
  const roleRemarks = new Remarks(request.rolePath);
  const additionRemarks = new Remarks(additions.source);
  const added = [...additions.everyone, ...(additions.byRole.get(roleIdentity(role)) ?? [])];
  const chosen = new Set<Entry>();
  for (const name of new Set(request.roleSkills))
    addNamed(name, request.rolePath, registry, chosen, roleRemarks);
  for (const name of new Set(added)) addNamed(name, additions.source, registry, chosen, additionRemarks);
  for (const entry of registry.entries) {
    if (registry.disabled.has(entry.name)) continue;
    if (entry.kind === 'rule' && entry.alwaysOn && appliesToMember(entry, role)) chosen.add(entry);
  }
  const remarks = [...roleRemarks.findings, ...additionRemarks.findings];
  return {
    ...throughGates(inOrder([...chosen]), request.granted),
    refusals: remarks.filter((finding) => finding.severity === 'error'),
    notes: remarks.filter((finding) => finding.severity !== 'error'),
  };
}

/** Whether an entry is meant for a team member of this role (spec/skills.md §1 `applies_to`). */
function appliesToMember(entry: Entry, role: string): boolean {
  if (entry.appliesTo === null) return true;
  return entry.appliesTo.some((name) => name === 'team' || roleIdentity(name) === roleIdentity(role));
}

function addNamed(name: string, by: string, registry: Registry, chosen: Set<Entry>, remarks: Remarks): void {
  const resolved = resolveName(name, registry, by);
  switch (resolved.kind) {
    case 'entry':
      chosen.add(resolved.entry);
      for (const finding of resolved.notes) remarks.take(finding);
      return;
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

function throughGates(
  candidates: readonly Entry[],
  granted: readonly Capability[],
): Pick<ForceLoaded, 'entries' | 'rejected' | 'omitted'> {
  const entries: Entry[] = [];
  const rejected: ForceLoaded['rejected'][number][] = [];
  const omitted: ForceLoaded['omitted'][number][] = [];
  for (const entry of candidates) {
    const lacking = entry.requires.filter((capability) => !granted.includes(capability));
    const [capability] = lacking;
    if (entry.process) {
      const detail = `${entry.name} is a process entry; a recipe names it in process:, a role cannot`;
      omitted.push({ entry, reason: 'process', detail });
    } else if (capability !== undefined) {
      const detail = `${entry.name} requires ${lacking.join(', ')}, which this member is not granted`;
      rejected.push({ entry, capability, detail });
    } else {
      entries.push(entry);
    }
  }
  return { entries, rejected, omitted };
}
