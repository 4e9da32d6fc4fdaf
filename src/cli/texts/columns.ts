/** Rows of cells as aligned lines for a terminal. Pure; controls stripped, a row a line. */

import { oneLine } from '../../shared/terminal-text.js';

/** A cell that is longer pushes its line out and no other. */
const WIDEST = 40;

/** Columns as wide as their widest cell, two blanks between them; the last one is not filled up. */
export function columns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell, Number.MAX_SAFE_INTEGER)));
  const count = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0).filter((width) => width <= WIDEST), 0),
  );
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
