/**
 * The fence around text that a model or a stranger's file wrote (spec/team.md §5, skills.md §5).
 *
 * The fence token is derived from the content's own hash: stable for the same text, and not writable in
 * advance by the text itself, so nothing inside can close it.
 */

import { sha256 } from './digest.js';

/**
 * Wraps untrusted text: `<<label token` / text / `token`.
 * @param label who wrote it and what it is; our own words plus ids only
 */
export function fenced(label: string, text: string): string {
  const token = `~${sha256(text).slice(0, 12)}`;
  return `<<${label} ${token}\n${text}\n${token}>>`;
}
