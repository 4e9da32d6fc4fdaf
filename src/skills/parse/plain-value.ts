/**
 * Values that are shown inside a header or a comment (spec/skills.md §5): a line break, a control character or the
 * end of a comment in one of them could end what it stands in, so no entry has one.
 */

import type { Remarks } from '../remark.js';

/** Refuses control characters and line breaks of any kind. */
export function refuseControls(field: string, text: string, line: number | null, remarks: Remarks): void {
  const control = /[\p{Cc}\u2028\u2029]/u.exec(text);
  if (control === null) return;
  const point = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  remarks.add(
    'error',
    'control-character',
    line,
    `${field} holds the control character or line break U+${point}`,
    'write the value as plain text on one line',
  );
}

/** Refuses what ends a comment. */
export function refuseCommentEnd(field: string, text: string, line: number | null, remarks: Remarks): void {
  if (!text.includes('-->')) return;
  remarks.add('error', 'comment-end', line, `${field} holds "-->"`, 'write the value without "-->"');
}
