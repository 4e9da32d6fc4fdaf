/** The suggestion behind every "unknown …" message. */

import { closest, distance } from 'fastest-levenshtein';

/**
 * The nearest of `allowed` when it is near enough to be a slip, else undefined: at most a third of the letters
 * (two in a short name), and never all of them.
 */
export function didYouMean(found: string, allowed: readonly string[]): string | undefined {
  if (allowed.length === 0) return undefined;
  const nearest = closest(found, allowed);
  const edits = distance(found, nearest);
  const near = edits <= Math.max(2, Math.floor(found.length / 3)) && edits < found.length;
  return near ? nearest : undefined;
}

/** `did you mean "x"?` or the list of what is allowed: the remedy of an unknown name. */
export function nameRemedy(found: string, allowed: readonly string[]): string {
  const nearest = didYouMean(found, allowed);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  return allowed.length === 0 ? 'none is known here' : `known: ${[...allowed].sort().join(', ')}`;
}
