/** What somebody wrote as a model, made fit for a message: one line, and never a key (spec/invariants.md, 8). */

import { looksLikeKey, NOT_SHOWN } from '../../shared/secret-text.js';
import { oneLine } from '../../shared/terminal-text.js';

/** The text, quoted; what looks like a key is not shown. */
export function shownName(text: string, limit = 120): string {
  return looksLikeKey(text) ? NOT_SHOWN : `"${oneLine(text, limit)}"`;
}

/** `models: {…}`: the line of the settings file that declares a model. */
export function declaringLine(id: string, facts: string): string {
  return `models: {${yamlKey(id)}: {${facts}}}`;
}

/** `aliases: {…}`: the line of the settings file that gives a word another meaning. */
export function aliasLine(alias: string, target: string): string {
  return `aliases: {${yamlKey(alias)}: ${target}}`;
}

/** A key inside braces; Bedrock's names hold colons. */
function yamlKey(key: string): string {
  return /^[A-Za-z][\w./-]*$/.test(key) ? key : JSON.stringify(key);
}
