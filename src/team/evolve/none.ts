/**
 * What most members and tasks have nothing in: one empty set and one empty map for all of them. Nobody writes to what stands in
 * a state; who adds to one of these makes another.
 */

export const NONE: ReadonlySet<string> = new Set();

export const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** The set without one of its ids. */
export function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  if (!ids.has(id)) return ids;
  if (ids.size === 1) return NONE; // As mostly.
  const rest = new Set(ids);
  rest.delete(id);
  return rest;
}
