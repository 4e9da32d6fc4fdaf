/**
 * Who uses which entry, told from the lists of roles and recipes that are in use here (spec/skills.md §9 `audit`). No
 * team is composed: what a run adds or takes away is said by the record of the run.
 */

import { listRecipes, listRoles, loadRecipe, loadRoles } from '../../catalog/catalogue.js';
import type { Recipe } from '../../catalog/recipes/recipe.js';
import type { CataloguePlaces } from '../../catalog/tiers.js';
import { parseAdditions } from '../../skills/choose/additions.js';
import { resolveName } from '../../skills/choose/resolve-name.js';
import type { Entry } from '../../skills/entry.js';
import type { Registry } from '../../skills/registry.js';
import { type House, placesOf } from '../house.js';

/** In words, by entry: `role scout`, `recipe feature (process)`, `every member (always on)`. */
export type EntryUsers = ReadonlyMap<Entry, readonly string[]>;

/** Who names each entry, and for whom it is always on. Untrusted skills that are named are in it as well. */
export async function entryUsers(house: House, registry: Registry): Promise<EntryUsers> {
  const places = placesOf(house);
  const users = new Map<Entry, string[]>();
  const add = (entry: Entry, user: string): void =>
    void users.set(entry, [...(users.get(entry) ?? []), user]);
  const named = [...(await ofRoles(places)), ...(await ofRecipes(places)), ...ofOperator(house)];
  for (const { name, user } of named) {
    const entry = meantBy(name, registry);
    if (entry !== undefined) add(entry, user);
  }
  for (const entry of registry.entries) {
    if (entry.kind === 'rule' && entry.alwaysOn) add(entry, alwaysOn(entry));
  }
  return users;
}

interface Naming {
  readonly name: string;
  readonly user: string;
}

async function ofRoles(places: CataloguePlaces): Promise<readonly Naming[]> {
  const { roles } = await listRoles(places);
  const used = roles.filter(({ trust, shadowedBy }) => trust === 'trusted' && shadowedBy === null);
  const { byIdentity } = await loadRoles(
    places,
    used.map(({ name }) => name),
  );
  return [...byIdentity.values()].flatMap((load) => {
    if (load.kind === 'refused') return [];
    const { name: role, skills, engineerSkills } = load.role;
    return [
      ...skills.map((name) => ({ name, user: `role ${role}` })),
      ...engineerSkills.map((name) => ({ name, user: `role ${role} (engineer)` })),
    ];
  });
}

async function ofRecipes(places: CataloguePlaces): Promise<readonly Naming[]> {
  const { recipes } = await listRecipes(places);
  const namings: Naming[] = [];
  for (const { slug, trust, shadowedBy } of recipes) {
    if (trust !== 'trusted' || shadowedBy !== null) continue;
    const load = await loadRecipe(places, slug);
    if (load.kind === 'loaded') namings.push(...inRecipe(load.recipe));
  }
  return namings;
}

function inRecipe({ slug, tasks, process, engineer }: Recipe): Naming[] {
  return [
    ...tasks.flatMap(({ id, skills }) =>
      skills.map((name) => ({ name, user: `recipe ${slug} (task ${id})` })),
    ),
    ...(process === null ? [] : [{ name: process, user: `recipe ${slug} (process)` }]),
    ...(engineer?.skills ?? []).map((name) => ({ name, user: `recipe ${slug} (engineer)` })),
  ];
}

/** What the operator adds by variable. */
function ofOperator({ agentSkills }: House): Naming[] {
  const { additions } = parseAdditions(agentSkills, 'BNERD_AGENT_SKILLS');
  return [
    ...additions.everyone.map((name) => ({ name, user: `every role (${additions.source})` })),
    ...[...additions.byRole].flatMap(([role, names]) =>
      names.map((name) => ({ name, user: `role ${role} (${additions.source})` })),
    ),
  ];
}

function meantBy(name: string, registry: Registry): Entry | undefined {
  const resolved = resolveName(name, registry, 'audit');
  if (resolved.kind === 'entry') return resolved.entry;
  return registry.untrusted.findLast(({ file }) => file.entry.name === name)?.file.entry;
}

function alwaysOn({ appliesTo }: Entry): string {
  return appliesTo === null ? 'every member (always on)' : `${appliesTo.join(', ')} (always on)`;
}
