/**
 * Which roles there are, told from their heads alone. A role is found by its name, so every head has to be looked
 * at; bodies are not.
 *
 * Always true: a file that cannot be read leaves a finding and still holds the name of its stem, so that a broken
 * role never lets a weaker one serve in its place.
 */

import type { Finding } from '../shared/findings.js';
import { byCodeUnits, type FoundFile, findRoleFiles } from './find-files.js';
import { headFields } from './head-fields.js';
import { fileStem, roleIdentity } from './role-identity.js';
import { type Contender, winnersOf } from './shadowing.js';
import { readSourceHead } from './source-file.js';
import { type CataloguePlaces, rolePlaces, type Tier } from './tiers.js';

/** A role as a listing shows it. */
export interface RoleListing {
  readonly name: string;
  /** Null when the file has none that could be read. */
  readonly description: string | null;
  readonly tier: Tier;
  readonly path: string;
  /** The path of the file that is used instead of this one; null when this one is used. */
  readonly shadowedBy: string | null;
}

/** A role file with what its head says; `key` is the identity of its name. */
export interface IndexedRole extends FoundFile, Contender {
  readonly name: string;
  readonly description: string | null;
}

export interface RoleIndex {
  /** By identity; of one identity the file that is used comes first. */
  readonly roles: readonly IndexedRole[];
  /** The file that is used, by identity. */
  readonly winners: ReadonlyMap<string, IndexedRole>;
  readonly findings: readonly Finding[];
}

/** Every role file of every place, shadowed ones included. */
export async function indexRoles(places: CataloguePlaces): Promise<RoleIndex> {
  const findings: Finding[] = [];
  const roles: IndexedRole[] = [];
  for (const [rank, place] of rolePlaces(places).entries()) {
    const { files, findings: remarks } = await findRoleFiles(place);
    findings.push(...remarks);
    for (const file of files) {
      const { findings: broken, ...head } = await readHead(file);
      findings.push(...broken);
      roles.push({ ...file, ...head, key: roleIdentity(head.name), rank });
    }
  }
  const winners = winnersOf(roles);
  roles.sort(
    (one, other) =>
      byCodeUnits(one.key, other.key) || other.rank - one.rank || byCodeUnits(one.path, other.path),
  );
  return { roles, winners, findings: [...findings, ...roles.flatMap((role) => duplicate(role, winners))] };
}

/** What a listing shows of an index. */
export function roleListings(index: RoleIndex): RoleListing[] {
  return index.roles.map(({ key, name, description, tier, path }) => {
    const winner = index.winners.get(key)?.path ?? path;
    return { name, description, tier, path, shadowedBy: winner === path ? null : winner };
  });
}

/** Two files of one name in one place: which of them is used is settled, but hardly meant. */
function duplicate(role: IndexedRole, winners: ReadonlyMap<string, IndexedRole>): Finding[] {
  const winner = winners.get(role.key);
  if (winner === undefined || winner.path === role.path || winner.rank !== role.rank) return [];
  const message = `the role "${role.name}" stands in two files of the ${role.tier} tier; ${winner.path} is used`;
  const remedy = 'rename or remove one of them';
  return [{ code: 'duplicate-role-file', severity: 'warning', path: role.path, message, remedy }];
}

async function readHead(
  file: FoundFile,
): Promise<{ name: string; description: string | null; findings: readonly Finding[] }> {
  const unnamed = { name: fileStem(file.path), description: null };
  const source = await readSourceHead(file.path, file.root);
  if (source.kind === 'unreadable') return { ...unnamed, findings: [source.finding] };
  const head = await headFields(file.path, source.text, ['name', 'description'], 'role');
  if (head.kind === 'broken') return { ...unnamed, findings: head.findings };
  return {
    name: head.values.get('name') ?? unnamed.name,
    description: head.values.get('description') ?? null,
    findings: [],
  };
}
