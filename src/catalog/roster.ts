/**
 * A recipe and its roles become a roster: the seats of a team, every name resolved, every default set
 * (architecture glossary; spec/team.md §1, §6). The roster is what a run freezes.
 */

import type { Finding } from '../shared/findings.js';
import { roleIdentity, sameRole } from '../shared/role-identity.js';
import { placeIn } from './files/written-mapping.js';
import type { Recipe } from './recipes/recipe.js';
import { type LoadedRoles, unknownRole } from './roles/load-roles.js';
import type { Role } from './roles/role.js';

/** The seats of a team. */
export interface Roster {
  readonly recipe: Recipe;
  readonly lead: RosterMember;
  /** The lead first, then the others in the order of the recipe's `roles`. */
  readonly members: readonly RosterMember[];
}

/** One seat. */
export interface RosterMember {
  /** In the recipe's spelling: what mail, tools and terminals call it. */
  readonly name: string;
  readonly role: Role;
  readonly lead: boolean;
  /** Spawned only when the lead asks. */
  readonly onDemand: boolean;
  /** What the role says, else the recipe; null when neither does. `inherit` in a role means the recipe's. */
  readonly model: string | null;
  /** Its plan has to be approved before it acts. */
  readonly planMode: boolean;
  /** Who decides its plans; nobody decides their own. */
  readonly planApprover: 'lead' | 'operator';
  /** Who may confirm its calls of class Write beside the operator: the lead only where the role names it. */
  readonly confirmApprover: 'lead' | 'operator';
  /** It is the lead, and may confirm calls of somebody. */
  readonly confirms: boolean;
  /** Its turns are never at the same time as those of another member. */
  readonly exclusiveWorkspace: boolean;
  /** Turns of this member; null: only the limits of the run. */
  readonly maxTurns: number | null;
}

export type RosterLoad =
  | { readonly kind: 'built'; readonly roster: Roster; readonly findings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/**
 * Seats the roles of a recipe. Refused when one of them has no file or its file was refused.
 * @param roles at least the roles of the recipe, as `readRoles` gives them
 */
export function buildRoster(recipe: Recipe, roles: Pick<LoadedRoles, 'byIdentity' | 'known'>): RosterLoad {
  const findings: Finding[] = [];
  const members: RosterMember[] = [];
  for (const [at, name] of recipe.roles.entries()) {
    const load = roles.byIdentity.get(roleIdentity(name));
    if (load === undefined) {
      findings.push(unknownRole(name, roles.known, placeIn(recipe, ['roles', at])));
      continue;
    }
    findings.push(...load.findings);
    if (load.kind === 'loaded') members.push(seat(name, load.role, recipe));
  }
  const lead = members.find((member) => member.lead);
  if (lead === undefined || members.length < recipe.roles.length) return { kind: 'refused', findings };
  const others = members.filter((member) => !member.lead);
  const confirms = others.some(({ confirmApprover }) => confirmApprover === 'lead');
  const leading = { ...lead, confirms };
  return { kind: 'built', roster: { recipe, lead: leading, members: [leading, ...others] }, findings };
}

function seat(name: string, role: Role, recipe: Recipe): RosterMember {
  const lead = sameRole(name, recipe.lead);
  return {
    name,
    role,
    lead,
    onDemand: recipe.onDemand.some((other) => sameRole(other, name)),
    model: role.model === null || role.model === 'inherit' ? recipe.model : role.model,
    planMode: role.permissionMode === 'plan' && recipe.planApproval,
    planApprover: lead || role.approver === 'operator' ? 'operator' : 'lead',
    confirmApprover: !lead && role.approver === 'lead' ? 'lead' : 'operator',
    confirms: false,
    exclusiveWorkspace: role.workspace === 'exclusive',
    maxTurns: role.maxTurns,
  };
}
