/**
 * The fence around text that a model or a stranger's file wrote (spec/team.md §5, skills.md §5).
 *
 * The fence token is derived from the content's own hash: stable for the same text, and it never occurs in the
 * text, so nothing inside can close it.
 */

import { sha256 } from './digest.js';

/**
 * Wraps untrusted text: `<<label token` / text / `token`.
 * @param label who wrote it and what it is; our own words plus ids only
 */
export function fenced(label: string, text: string): string {
  const token = fenceToken(text);
  return `<<${label} ${token}\n${text}\n${token}>>`;
}

/**
 * `~` and the first `digits` of the text's hash; more of them when the text holds just that, which somebody
 * with enough machines could make it do.
 */
export function fenceToken(text: string, digits = 12): string {
  const hash = sha256(text);
  let length = digits;
  while (length < hash.length && text.includes(`~${hash.slice(0, length)}`)) length++;
  return `~${hash.slice(0, length)}`;
}
