/**
 * What a member of a role would be given here, and why, without a team (spec/skills.md §7, §10 `list --role`): decided
 * by the very function that a run decides with, under the mildest safety there is.
 */

import { loadRole } from '../../catalog/catalogue.js';
import type { Role } from '../../catalog/roles/role.js';
import type { RosterMember } from '../../catalog/roster.js';
import type { Finding } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { parseAdditions, type SkillAdditions } from '../../skills/choose/additions.js';
import { resolveName } from '../../skills/choose/resolve-name.js';
import type { Entry } from '../../skills/entry.js';
import type { Registry } from '../../skills/registry.js';
import { OUT_OF_REACH } from '../../skills/render.js';
import type { Found } from '../find-team.js';
import { type House, placesOf } from '../house.js';
import { loadEntries } from '../load-entries.js';
import { capabilitiesOf } from '../plan/capabilities.js';
import { EntryOutcomes } from '../plan/entry-outcomes.js';
import { teamGuards } from '../plan/guarded.js';
import { memberEntries } from '../plan/member-entries.js';
import { roleTools } from '../plan/role-tools.js';
import { withoutShown } from '../plan/without-shown.js';
import { withTrustFindings } from '../trust-findings.js';

/** Why an entry comes with a role: its list names it, the operator adds it, or it is a rule that is always on. */
export type Came = 'listed' | 'added' | 'always on';

export interface RoleEntry {
  /** Null for a name that was withheld and that no entry in use has. */
  readonly entry: Entry | null;
  readonly name: string;
  /** `instruction`: in the system prompt; `reference`: in front of the first message; else not given. */
  readonly outcome: 'instruction' | 'reference' | 'rejected' | 'omitted';
  readonly came: Came | null;
  /** Why it is not given; null when it is. */
  readonly detail: string | null;
}

export interface RoleEntries {
  readonly role: string;
  /** In the order they are composed, then what is withheld. */
  readonly entries: readonly RoleEntry[];
  /**
   * What every command says that loads the entries; and on the role, the names and the files that are used. An error
   * would refuse a run.
   */
  readonly findings: readonly Finding[];
}

/** Decides the entries of a role. */
export async function roleEntries(house: House, name: string): Promise<Found<RoleEntries>> {
  const load = await loadRole(placesOf(house), name);
  if (load.kind === 'refused') return { kind: 'refused', findings: load.findings };
  const { role } = load;
  const registry = await loadEntries(house);
  const { additions, findings: ofAdditions } = parseAdditions(house.agentSkills, 'BNERD_AGENT_SKILLS');
  const member = memberOf(role);
  const { tools } = roleTools({ ...member, delegates: role.delegate }, 'full');
  const outcomes = new EntryOutcomes();
  const own = await memberEntries(
    member,
    capabilitiesOf(tools.map((tool) => tool.name)),
    OUT_OF_REACH,
    {
      registry,
      additions,
      maxBytes: house.skills.maxBytes,
      guards: teamGuards(house.skills),
    },
    outcomes,
  );
  const came = cameOf(role, additions, registry);
  const given = (entry: Entry, outcome: 'instruction' | 'reference'): RoleEntry => ({
    entry,
    name: entry.name,
    outcome,
    came: came(entry.name),
    detail: null,
  });
  const withheld = outcomes.facts.map(
    (fact): RoleEntry => ({
      entry: registry.byName.get(fact.entry) ?? null,
      name: fact.entry,
      outcome: fact.type === 'entry.rejected' ? 'rejected' : 'omitted',
      came: came(fact.entry),
      detail: `${fact.reason}: ${fact.detail}`,
    }),
  );
  return {
    kind: 'found',
    value: {
      role: role.name,
      entries: [
        ...own.entries.map((entry) => given(entry, 'instruction')),
        ...own.references.map((entry) => given(entry, 'reference')),
        ...withheld,
      ],
      findings: withoutShown(
        await withTrustFindings(house, [
          ...registry.findings,
          ...load.findings,
          ...ofAdditions,
          ...own.findings,
        ]),
      ),
    },
  };
}

/** A seat such as any team would give. */
function memberOf(role: Role): RosterMember {
  return {
    name: role.name,
    role,
    lead: false,
    onDemand: false,
    model: null,
    planMode: role.permissionMode === 'plan',
    planApprover: role.approver ?? 'lead',
    confirmApprover: role.approver ?? 'operator',
    confirms: false,
    exclusiveWorkspace: role.workspace === 'exclusive',
    maxTurns: role.maxTurns,
  };
}

/** The earliest reason for a name. */
function cameOf(role: Role, additions: SkillAdditions, registry: Registry): (name: string) => Came {
  const named = (names: readonly string[]): ReadonlySet<string> =>
    new Set(names.flatMap((name) => [name, nameOf(name, registry)]));
  const listed = named(role.skills);
  const added = named([...additions.everyone, ...(additions.byRole.get(roleIdentity(role.name)) ?? [])]);
  return (name) => (listed.has(name) ? 'listed' : added.has(name) ? 'added' : 'always on');
}

/** A list may name a directory in place of its entry. */
function nameOf(name: string, registry: Registry): string {
  const resolved = resolveName(name, registry, 'the list');
  return resolved.kind === 'entry' ? resolved.entry.name : name;
}
