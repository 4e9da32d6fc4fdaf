/**
 * Reads plain and quoted one-line values from the top level of a frontmatter, so that a listing of a thousand
 * files needs no YAML parser. Whatever it does not recognise with certainty it hands back: the caller then asks
 * the parser, and both must agree (a test compares them).
 */

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

/** The text of a plain or quoted value that stands on one line; undefined when the parser has to be asked. */
export function oneLineValue(text: string): string | undefined {
  if (CONTROL.test(text)) return undefined;
  if (text.startsWith('"')) return /^"([^"\\]*)"$/.exec(text)?.[1];
  if (text.startsWith("'")) return /^'((?:[^']|'')*)'$/.exec(text)?.[1]?.replaceAll("''", "'");
  return isPlainText(text) ? text : undefined;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\uFEFF]/;

/** Text that begins with a letter, holds nothing YAML reads as more, and is no word or number of the core schema. */
function isPlainText(text: string): boolean {
  if (!/^\p{L}/u.test(text)) return false;
  if (/:(?: |$)/.test(text) || text.includes(' #')) return false;
  return !/^(?:true|false|null)$/i.test(text);
}
