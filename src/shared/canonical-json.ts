/**
 * One text for one JSON value: no white space, members in one order, strings and numbers as JSON.stringify writes them.
 * In the order of UTF-16 code units it is the form of RFC 8785, which signatures are over.
 *
 * Refused, as a bug of the caller's schema: what JSON cannot say and JSON.stringify would quietly change (a number that
 * is not finite, `undefined` in a list), since then two values would have one text.
 */

import { BugError } from './errors.js';

/**
 * The text of a value that JSON can say. Members that are undefined are left out, as JSON leaves them out.
 * @param compare the order of members; by UTF-16 code units unless given
 */
export function canonicalJson(
  value: unknown,
  compare: (left: string, right: string) => number = byCodeUnits,
): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, compare)).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([left], [right]) => compare(left, right))
      .map(([key, member]) => `${plain(key)}:${canonicalJson(member, compare)}`);
    return `{${members.join(',')}}`;
  }
  return plain(value);
}

function plain(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value === 'string') return JSON.stringify(value);
  throw new BugError(
    'no-json',
    `${typeof value} ${String(value).slice(0, 40)} has no canonical form in JSON`,
  );
}

function byCodeUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
