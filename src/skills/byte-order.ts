/**
 * Byte order of names: the one order in which entries are composed (spec/skills.md §5). It is the order of the
 * UTF-8 bytes, so no locale and no string encoding of a language changes it.
 */

/** Negative, zero or positive, as a comparison for `sort`. */
export function compareBytes(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let at = 0; at < shorter; at++) {
    const one = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (one === other) continue;
    // Below the surrogates the order of code units is that of the bytes, and no bytes have to be made.
    return one < SURROGATES && other < SURROGATES ? one - other : compareWhole(left, right);
  }
  const last = left.charCodeAt(shorter - 1);
  return last < SURROGATES || shorter === 0 ? left.length - right.length : compareWhole(left, right);
}

const SURROGATES = 0xd800;

function compareWhole(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}
