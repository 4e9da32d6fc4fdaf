/** From what a person types to a run folder: whole ids and unambiguous prefixes (spec/team.md §7). */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { isTeamId } from '../shared/ids.js';
import { type House, runsFolder } from './house.js';

export type Found<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

export interface TeamPlace {
  readonly id: string;
  readonly folder: string;
}

/** Ids of all teams of this home, oldest first. */
export async function teamIds(house: House): Promise<string[]> {
  try {
    const entries = await readdir(runsFolder(house), { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && isTeamId(entry.name))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The team that an id or the beginning of one names. */
export async function findTeam(house: House, typed: string): Promise<Found<TeamPlace>> {
  const ids = await teamIds(house);
  const exact = ids.includes(typed) ? [typed] : ids.filter((id) => id.startsWith(typed));
  const [id, ...others] = typed === '' ? [] : exact;
  if (id !== undefined && others.length === 0)
    return { kind: 'found', value: { id, folder: join(runsFolder(house), id) } };
  const many = id !== undefined;
  return {
    kind: 'refused',
    findings: [
      {
        code: many ? 'ambiguous-team' : 'unknown-team',
        severity: 'error',
        path: typed,
        message: many
          ? `"${typed}" fits ${exact.length} teams: ${exact.join(', ')}`
          : `there is no team "${typed}"`,
        remedy: many
          ? 'type more of the id'
          : ids.length === 0
            ? 'start one with bnerd team run'
            : 'bnerd team ps lists them',
      },
    ],
  };
}
