/** Identifiers that people see and type: ULIDs and team ids (spec/team.md §7). */

import { randomBytes } from 'node:crypto';
import { BugError } from './errors.js';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // Crockford base 32

/**
 * A ULID: 10 characters of time, 16 of randomness; sorts by time.
 * @param wallMs milliseconds since the epoch, from 0 to 2^48 - 1; anything else is refused
 * @param random ten random bytes; given by tests that need a fixed id
 */
export function ulid(wallMs: number, random: Uint8Array = randomBytes(10)): string {
  if (!(wallMs >= 0 && wallMs < 2 ** 48)) throw new BugError('bad-time', `${wallMs} is no time of a ULID`);
  let time = '';
  let rest = Math.floor(wallMs);
  for (let place = 0; place < 10; place++) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  let bits = 0n;
  for (const byte of random.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  let noise = '';
  for (let place = 0; place < 16; place++) {
    noise = ALPHABET.charAt(Number(bits & 31n)) + noise;
    bits >>= 5n;
  }
  return time + noise;
}

/** `run-<slug>-<ULID>`. */
export function teamId(slug: string, id: string): string {
  return `run-${slug}-${id}`;
}

/** Whether a text may be a team id: one path segment, no leading dot, at most 128 characters. */
export function isTeamId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(text);
}

/** What a name given by a person may be, in words. */
export const CHOSEN_ID_RULE =
  'a name of up to 48 small letters, digits and hyphens that begins with a letter or digit and not with run-';

/**
 * Whether a person may give a team this name: in small letters, since two names that differ in case are one folder on some
 * disks, and never one that could be, or be the beginning of, an id that the program gives.
 */
export function isChosenId(text: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,47}$/.test(text) && !'run-'.startsWith(text) && !text.startsWith('run-');
}
