/**
 * Which roles there are, told from their heads alone. A role is found by its name, so every head has to be looked
 * at; bodies are not.
 *
 * Always true: a file that counts and cannot be read leaves a finding and still holds the name of its stem, so that
 * a broken role never lets a weaker one serve in its place. Of a file that does not count nothing is said but that.
 */

import type { Finding } from '../../shared/findings.js';
import { inGroups } from '../../shared/in-groups.js';
import { fileStem, roleIdentity } from '../../shared/role-identity.js';
import { type FoundFile, findRoleFiles } from '../files/find-files.js';
import { glimpse, headFields } from '../files/head-fields.js';
import { judgeFile } from '../files/judge-file.js';
import { byKeyThenUse, type Contender, type Counting, winnersOf } from '../files/shadowing.js';
import { unusedRemarks } from '../files/unused-files.js';
import { type CataloguePlaces, rolePlaces, type Tier } from '../tiers.js';

/** A role as a listing shows it. It is used when it is trusted and not shadowed. */
export interface RoleListing {
  readonly name: string;
  /** Null when the file has none that could be read. */
  readonly description: string | null;
  readonly tier: Tier;
  readonly path: string;
  readonly trust: 'trusted' | 'untrusted' | 'revoked';
  /** The path of the file that is used instead of this trusted one; null when this one is used. */
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
  readonly winners: ReadonlyMap<string, Counting<IndexedRole>>;
  /** On places, and on files that count. */
  readonly findings: readonly Finding[];
}

/** Every role file of every place: used, shadowed, untrusted. */
export async function indexRoles(places: CataloguePlaces): Promise<RoleIndex> {
  const findings: Finding[] = [];
  const found: (FoundFile & { readonly rank: number })[] = [];
  for (const [rank, place] of rolePlaces(places).entries()) {
    const { files, findings: remarks } = await findRoleFiles(place);
    findings.push(...remarks);
    found.push(...files.map((file) => ({ ...file, rank })));
  }
  const heads = await inGroups(found, readHead);
  findings.push(...heads.flatMap(({ broken }) => broken));
  const all = heads.map(({ role }) => role);
  const winners = winnersOf(all);
  const roles = all.sort(byKeyThenUse<IndexedRole>(winners));
  return { roles, winners, findings: [...findings, ...roles.flatMap((role) => duplicate(role, winners))] };
}

/** What a listing shows of an index. */
export function roleListings({ roles, winners, findings }: RoleIndex): {
  readonly roles: readonly RoleListing[];
  readonly findings: readonly Finding[];
} {
  return {
    roles: roles.map(({ key, name, description, tier, path, standing }) => {
      const listed = { name, description, tier, path };
      if (standing.kind === 'unused') return { ...listed, trust: standing.why, shadowedBy: null };
      const winner = winners.get(key)?.path ?? path;
      return { ...listed, trust: 'trusted', shadowedBy: winner === path ? null : winner };
    }),
    findings: [...findings, ...unusedRemarks(roles, [])],
  };
}

/** Two files of one name in one place: which of them is used is settled, but hardly meant. */
function duplicate(role: IndexedRole, winners: ReadonlyMap<string, IndexedRole>): Finding[] {
  const winner = winners.get(role.key);
  if (winner === undefined || winner.path === role.path || winner.rank !== role.rank) return [];
  if (role.standing.kind === 'unused') return [];
  const message = `the role "${role.name}" stands in two files of the ${role.tier} tier; ${winner.path} is used`;
  const remedy = 'rename or remove one of them';
  return [{ code: 'duplicate-role-file', severity: 'warning', path: role.path, message, remedy }];
}

async function readHead(
  file: FoundFile & { readonly rank: number },
): Promise<{ readonly role: IndexedRole; readonly broken: readonly Finding[] }> {
  const { head, standing } = await judgeFile(file, 'role');
  const listed = (name: string, description: string | null, broken: readonly Finding[]) => ({
    role: { ...file, key: roleIdentity(name), name, description, standing },
    broken: standing.kind === 'counts' ? broken : [],
  });
  const stem = fileStem(file.path);
  if (head.kind === 'unreadable') return listed(stem, null, [head.finding]);
  if (standing.kind === 'unused') {
    const seen = glimpse(head.text, ['name', 'description']);
    return listed(seen.get('name') ?? stem, seen.get('description') ?? null, []);
  }
  const fields = await headFields(file.path, head.text, ['name', 'description'], 'role');
  if (fields.kind === 'broken') return listed(stem, null, fields.findings);
  return listed(fields.values.get('name') ?? stem, fields.values.get('description') ?? null, []);
}
