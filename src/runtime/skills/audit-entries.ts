/**
 * The audit of what is in use here: the inventory, and what is wrong with where it comes from (spec/skills.md §9).
 *
 * Always true: every entry that a member could be given is in the inventory, untrusted skills that somebody names
 * included, as they may go as reference text; a file that cannot be read where it would refuse a run is an error, since
 * nobody knows what it holds.
 */

import { relative, sep } from 'node:path';
import { type Finding, inFileOrder } from '../../shared/findings.js';
import { type Inventory, type InventoryItem, inventory } from '../../skills/inventory/inventory.js';
import { lockFindings, pinText } from '../../skills/inventory/lock-check.js';
import { type StandingFile, standings } from '../../skills/inventory/standing.js';
import type { LoadedFile } from '../../skills/read/entry-file.js';
import type { House } from '../house.js';
import { loadEntries } from '../load-entries.js';
import { withTrustFindings } from '../trust-findings.js';
import { type EntryUsers, entryUsers } from './entry-users.js';

export interface EntryAudit {
  readonly inventory: Inventory;
  /** The files of the inventory, for those who look further. */
  readonly files: readonly LoadedFile[];
  /** Of severity error: the audit has failed. By path and line. */
  readonly findings: readonly Finding[];
  /** What every command says that loads the entries. */
  readonly said: readonly Finding[];
}

/** Audits all tiers. */
export async function auditEntries(house: House): Promise<EntryAudit> {
  const registry = await loadEntries(house);
  const users = await entryUsers(house, registry);
  const files = standings(registry).flatMap((standing) => reachable(standing, users));
  const broken = registry.findings.filter(({ severity }) => severity === 'error');
  return {
    inventory: inventory(
      'skills and rules',
      files.map((file) => itemOf(file, users)),
    ),
    files,
    findings: inFileOrder([...broken, ...(await lockFindings(files, 'audit'))]),
    said: await withTrustFindings(
      house,
      registry.findings.filter(({ severity }) => severity !== 'error'),
    ),
  };
}

/** A file whose entry a member could be given. */
function reachable({ file, standing }: StandingFile, users: EntryUsers): LoadedFile[] {
  if (file.kind === 'refused') return [];
  if (standing.kind === 'in-use') return [file];
  const asReference = standing.kind === 'untrusted' && file.entry.kind === 'skill' && users.has(file.entry);
  return asReference ? [file] : [];
}

function itemOf({ entry, path, place }: LoadedFile, users: EntryUsers): InventoryItem {
  const { kind, name, version, description, origin, license, digest, tier, trust, data } = entry;
  return {
    kind,
    name,
    version,
    description,
    origin,
    license,
    upstream: pinText(entry),
    vetted: entry.vetted ?? (typeof data['vetted'] === 'string' ? data['vetted'] : null),
    digest,
    tier,
    path: relative(place.root, path).split(sep).join('/'),
    trust,
    users: users.get(entry) ?? [],
  };
}
