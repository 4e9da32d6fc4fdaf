/** From what a person types to a run folder: whole ids and unambiguous prefixes (spec/team.md §7). */

import type { Finding } from '../shared/findings.js';
import { engineOf } from './engine/engine-of.js';
import type { House } from './house.js';

export type Found<Value> =
  | { readonly kind: 'found'; readonly value: Value }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

export interface TeamPlace {
  readonly id: string;
  /** On this machine. */
  readonly folder: string;
}

/** Ids of all teams that are not put away, oldest first. */
export async function teamIds(house: House): Promise<readonly string[]> {
  return (await engineOf(house)).ids();
}

/** The team that an id or the beginning of one names. */
export async function findTeam(house: House, typed: string): Promise<Found<TeamPlace>> {
  const engine = await engineOf(house);
  const ids = await engine.ids();
  const exact = ids.includes(typed) ? [typed] : ids.filter((id) => id.startsWith(typed));
  const [id, ...others] = typed === '' ? [] : exact;
  if (id !== undefined && others.length === 0)
    return { kind: 'found', value: { id, folder: engine.folder(id) } };
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
