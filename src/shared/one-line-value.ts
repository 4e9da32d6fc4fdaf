/**
 * YAML values that stand on one line and can be read without a parser: plain and quoted text of the most usual kind.
 *
 * Always true: what is recognised is what the parser makes of it, as the value of a key or an item of a list; anything
 * else is undefined.
 */

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
