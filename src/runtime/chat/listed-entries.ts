/**
 * What the role of a chat lists, through the gates and guards of every force-load (spec/skills.md §4, §7, §8). Which
 * rules are always on is for the chat to say, not for the role.
 *
 * Always true: what may not instruct is in the reference block and nowhere else; whatever does not reach the chat is
 * told.
 */

import type { Role } from '../../catalog/roles/role.js';
import type { Finding } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { parseAdditions } from '../../skills/choose/additions.js';
import { fitBudget } from '../../skills/choose/budget.js';
import { throughGates } from '../../skills/choose/gates.js';
import { NamedEntries } from '../../skills/choose/named-entries.js';
import { inOrder } from '../../skills/composition-order.js';
import type { Capability, Entry } from '../../skills/entry.js';
import { type GuardHit, hitText } from '../../skills/guards/guard-entry.js';
import type { Registry } from '../../skills/registry.js';
import { Remarks } from '../../skills/remark.js';
import type { BundlePathOf } from '../../skills/render.js';
import type { House } from '../house.js';
import { onList } from '../plan/on-list.js';

export interface ListedEntries {
  /** Names of entries that instruct. */
  readonly listed: readonly string[];
  /** The block of those that may not, within the budget; '' for none. */
  readonly reference: string;
  /** Errors: a name that no entry has, or one that may not be used. */
  readonly findings: readonly Finding[];
}

export interface Listing {
  readonly role: Role;
  readonly registry: Registry;
  readonly granted: readonly Capability[];
  readonly bundlePathOf: BundlePathOf;
  /** Empty: admitted. */
  guard(entry: Entry): Promise<readonly GuardHit[]>;
}

/** Works out the list of a role with what the operator adds to it. */
export async function listedEntries(house: House, listing: Listing): Promise<ListedEntries> {
  const { role, registry, granted, bundlePathOf } = listing;
  const { maxBytes } = house.skills;
  const { additions, findings: ofAdditions } = parseAdditions(house.agentSkills, 'BNERD_AGENT_SKILLS');
  const remarks = new Remarks(role.path);
  const added = new Remarks(additions.source);
  const named = new NamedEntries(registry);
  named.addAll(role.skills, role.path, remarks);
  named.addAll(
    [...additions.everyone, ...(additions.byRole.get(roleIdentity(role.name)) ?? [])],
    additions.source,
    added,
  );
  const instruction = throughGates(inOrder(named.instruction), granted);
  const shown = throughGates(inOrder(named.reference), granted);
  const admitted: Entry[] = [];
  const leftOut: Finding[] = [];
  for (const entry of shown.entries) {
    const [hit] = await listing.guard(entry);
    if (hit === undefined) admitted.push(entry);
    else leftOut.push(without(role, entry, `guard ${hitText(hit)}`));
  }
  const fitted = fitBudget(
    admitted.map((entry) => ({ entry, level: 'role' })),
    maxBytes,
    bundlePathOf,
  );
  for (const { entry } of fitted.omitted)
    leftOut.push(without(role, entry, `reference text is limited to ${maxBytes} bytes (skills.max-bytes)`));
  for (const { entry, detail } of [instruction, shown].flatMap((one) => [...one.rejected, ...one.omitted]))
    leftOut.push(without(role, entry, detail));
  return {
    listed: instruction.entries.map(({ name }) => name),
    reference: fitted.block,
    findings: [
      ...ofAdditions,
      ...remarks.findings.map((finding) => onList(finding, role)),
      ...added.findings,
      ...leftOut.map((finding) => onList(finding, role)),
    ],
  };
}

function without(role: Role, { kind, name }: Entry, why: string): Finding {
  return {
    code: 'entry-rejected',
    severity: 'warning',
    path: role.path,
    message: `${role.name} chats without ${kind} ${name}: ${why}`,
    remedy: 'take it off the list of the role, or see to the reason',
  };
}
