/** Text that people or models wrote, made safe to print on a terminal (spec/team.md §3). */

/** Control and escape characters, C1, bidi overrides: what could move a cursor or hide text. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Strips what a terminal would obey; keeps LF and TAB. */
export function stripControls(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSAFE, '');
}

/** One line: controls stripped, line breaks shown as `\n`, at most `limit` characters with an ellipsis. */
export function oneLine(text: string, limit = 200): string {
  const line = stripControls(text).replaceAll('\n', '\\n').replaceAll('\t', ' ');
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}
