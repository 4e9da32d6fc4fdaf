/** Roles by name, over one index: found, judged, read whole, parsed. */

import { nameRemedy } from '../../shared/did-you-mean.js';
import type { Finding, FindingPlace } from '../../shared/findings.js';
import { roleIdentity } from '../../shared/role-identity.js';
import { TOO_MANY_FILES } from '../files/find-files.js';
import { readCounting, sourceOf } from '../files/judge-file.js';
import type { Counting } from '../files/shadowing.js';
import { readSource } from '../files/source-file.js';
import { strongestUnused, unusedRemarks } from '../files/unused-files.js';
import type { CataloguePlaces } from '../tiers.js';
import { needsTrust } from '../trust.js';
import { parseRole, type RoleLoad } from './parse-role.js';
import { type IndexedRole, indexRoles, type RoleIndex } from './role-index.js';

/** The outcome for each name that was asked for, and the names that could have been. */
export interface LoadedRoles {
  /** By identity; a name without a file is not in it, one that only an untrusted file has is refused. */
  readonly byIdentity: ReadonlyMap<string, RoleLoad>;
  readonly known: readonly string[];
  /**
   * A remark for each role file that is not used because nobody approved it, but for those in `byIdentity`, and for
   * each place of which not all was looked at.
   */
  readonly unused: readonly Finding[];
}

/**
 * Loads the named roles; files of other roles are looked at only for their names.
 * @param purpose `use`: what would need an approval is refused with both ways out; `lint`: where no file counts the
 *   untrusted one is read, so that a team can be checked before it is approved
 */
export async function readRoles(
  places: CataloguePlaces,
  names: readonly string[],
  purpose: 'use' | 'lint' = 'use',
): Promise<LoadedRoles> {
  const index = await indexRoles(places);
  const byIdentity = new Map<string, RoleLoad>();
  const wanted = [...new Set(names.map(roleIdentity))];
  const needed = new Set<IndexedRole>();
  for (const identity of wanted) {
    const file = index.winners.get(identity);
    const unused = file === undefined ? strongestUnused(index.roles, identity) : undefined;
    if (file !== undefined) byIdentity.set(identity, await readOne(file, index));
    else if (unused !== undefined) {
      byIdentity.set(identity, await readUnused(unused, purpose));
      needed.add(unused);
    }
  }
  return {
    byIdentity,
    known: [...index.winners.values()].map((role) => role.name),
    unused: [
      ...index.findings.filter(({ code }) => code === TOO_MANY_FILES),
      ...unusedRemarks(
        index.roles.filter((role) => !needed.has(role)),
        wanted,
      ),
    ],
  };
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
export function unknownRole(name: string, known: readonly string[], place: FindingPlace): Finding {
  const message = `no role file is called "${name}"`;
  return { code: 'unknown-role', severity: 'error', ...place, message, remedy: nameRemedy(name, known) };
}

async function readOne(file: Counting<IndexedRole>, index: RoleIndex): Promise<RoleLoad> {
  const source = await readCounting(file, file.standing);
  if (source.kind === 'unreadable') return { kind: 'refused', findings: [source.finding] };
  const load = parseRole(sourceOf(file, source.text));
  const rivals = index.roles.filter((role) => role.key === file.key).map((role) => role.path);
  const doubled = index.findings.filter(
    ({ code, path }) => code === 'duplicate-role-file' && rivals.includes(path),
  );
  return { ...load, findings: [...load.findings, ...doubled] };
}

/** A role that nobody approved: never loaded for use. */
async function readUnused(file: IndexedRole, purpose: 'use' | 'lint'): Promise<RoleLoad> {
  if (file.standing.kind !== 'unused') return { kind: 'refused', findings: [] };
  const { remark } = file.standing;
  if (purpose === 'use')
    return { kind: 'refused', findings: [needsTrust(`the role "${file.name}"`, remark)] };
  const source = await readSource(file.path, file.root);
  if (source.kind === 'unreadable') return { kind: 'refused', findings: [source.finding] };
  const load = parseRole(sourceOf(file, source.text));
  return { ...load, findings: [...load.findings, remark] };
}
