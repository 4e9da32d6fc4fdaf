/** Text that people or models wrote, made safe to print on a terminal (spec/team.md §3). */

/**
 * What could move a cursor, turn text around or hide it: control and escape characters, C1, the bidi marks and
 * overrides, the separators that some readers take for the end of a line, and the tag characters, which print nothing
 * and can spell anything.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Strips what a terminal would obey; keeps LF and TAB, and reads every other line break as LF. */
export function stripControls(text: string): string {
  return text.replace(/\r\n|[\r\u2028\u2029]/g, '\n').replace(UNSAFE, '');
}

/**
 * The same JSON with those characters written as escapes, and so the bracket of `##[`, which a reader of build logs
 * takes for a command wherever it stands: what it means is unchanged, and nobody obeys any of it.
 */
export function plainJson(json: string): string {
  return json
    .replace(UNSAFE, (found) =>
      Array.from({ length: found.length }, (_, unit) => unitEscape(found.charCodeAt(unit))).join(''),
    )
    .replaceAll('##[', '##\\u005b'); // outside of a string no `#` stands
}

/** A value as the one JSON document that a command prints. */
export function jsonDocument(value: object): string {
  return `${plainJson(JSON.stringify(value, null, 2))}\n`;
}

/**
 * One line: controls stripped, line breaks shown as `\n`, at most `limit` UTF-16 units with an ellipsis; a pair
 * is never cut in two. What a reader of build logs takes for a command wherever it stands, `##[`, is broken up.
 */
export function oneLine(text: string, limit = 200): string {
  const line = stripControls(text).replaceAll('\n', '\\n').replaceAll('\t', ' ').replaceAll('##[', '## [');
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * A line that no reader of build logs takes for a command: `::` at the head of one would be, whatever blanks stand
 * before it. A line of ours that begins with words of a file goes through this.
 */
export function plainHead(line: string): string {
  return /^\s*::/.test(line) ? `./${line}` : line;
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
