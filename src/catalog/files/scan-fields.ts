/**
 * Reads plain and quoted one-line values from the top level of a frontmatter, so that a listing of a thousand
 * files needs no YAML parser. Whatever it does not recognise with certainty it hands back: the caller then asks
 * the parser, and both must agree (a test compares them).
 */

import { oneLineValue } from '../../shared/one-line-value.js';

/**
 * The values of the wanted keys that are present, or undefined when the text has to be parsed.
 * @param frontmatter the lines between the fences
 */
export function scanFields(
  frontmatter: string,
  wanted: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  const lines = frontmatter.split('\n');
  for (const [at, line] of lines.entries()) {
    if (isOfNoInterest(line)) continue;
    const match = /^([A-Za-z][A-Za-z0-9_-]*):(?: +(.*))?$/.exec(line);
    if (match === null) return undefined;
    const [, key = '', rest = ''] = match;
    if (!wanted.includes(key)) continue;
    const value = oneLineValue(rest.trimEnd());
    if (value === undefined || values.has(key) || continues(lines.slice(at + 1))) return undefined;
    values.set(key, value);
  }
  return values;
}

/** Blank lines, comments, and lines that belong to the value of a key above them. */
function isOfNoInterest(line: string): boolean {
  return line === '' || line.startsWith(' ') || line.startsWith('#') || /^- /.test(line) || line === '-';
}

/** Whether the value of a key goes on in the lines below it. */
function continues(following: readonly string[]): boolean {
  const next = following.find((line) => line.trim() !== '');
  return next !== undefined && (next.startsWith(' ') || next.startsWith('-'));
}
