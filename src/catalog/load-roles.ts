/** Roles by name, over one index: found, read whole, parsed. */

import { nameRemedy } from '../shared/did-you-mean.js';
import type { Finding } from '../shared/findings.js';
import { parseRole, type RoleLoad } from './parse-role.js';
import { roleIdentity } from './role-identity.js';
import { type IndexedRole, indexRoles, type RoleIndex } from './role-index.js';
import { readSource } from './source-file.js';
import type { CataloguePlaces } from './tiers.js';

/** The outcome for each name that was asked for, and the names that could have been. */
export interface LoadedRoles {
  /** By identity; a name without a file is not in it. */
  readonly byIdentity: ReadonlyMap<string, RoleLoad>;
  readonly known: readonly string[];
}

/** Loads the named roles; files of other roles are looked at only for their names. */
export async function readRoles(places: CataloguePlaces, names: readonly string[]): Promise<LoadedRoles> {
  const index = await indexRoles(places);
  const byIdentity = new Map<string, RoleLoad>();
  for (const identity of new Set(names.map(roleIdentity))) {
    const file = index.winners.get(identity);
    if (file !== undefined) byIdentity.set(identity, await readOne(file, index));
  }
  return { byIdentity, known: [...index.winners.values()].map((role) => role.name) };
}

/** The role a name stands for; an unknown name is refused with the known ones. */
export async function readRole(places: CataloguePlaces, name: string): Promise<RoleLoad> {
  const roles = await readRoles(places, [name]);
  return (
    roles.byIdentity.get(roleIdentity(name)) ?? {
      kind: 'refused',
      findings: [unknownRole(name, roles.known, { path: name })],
    }
  );
}

/** The finding of a name that no role file has. */
export function unknownRole(
  name: string,
  known: readonly string[],
  place: Pick<Finding, 'path' | 'line'>,
): Finding {
  const message = `no role file is called "${name}"`;
  return { code: 'unknown-role', severity: 'error', ...place, message, remedy: nameRemedy(name, known) };
}

async function readOne(file: IndexedRole, index: RoleIndex): Promise<RoleLoad> {
  const source = await readSource(file.path, file.root);
  if (source.kind === 'unreadable') return { kind: 'refused', findings: [source.finding] };
  const load = parseRole({ path: file.path, tier: file.tier, text: source.text });
  const rivals = index.roles.filter((role) => role.key === file.key).map((role) => role.path);
  const doubled = index.findings.filter(
    ({ code, path }) => code === 'duplicate-role-file' && rivals.includes(path),
  );
  return { ...load, findings: [...load.findings, ...doubled] };
}
