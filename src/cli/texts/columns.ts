/** Rows of cells as aligned lines for a terminal. Pure; controls stripped, a row a line, none a command. */

import { oneLine, plainHead } from '../../shared/terminal-text.js';

/** What a column is filled up to at most, unless the caller says otherwise. */
const WIDEST = 40;

/** One number for all columns, or one for each of the first and `WIDEST` for the rest. */
type Widest = number | readonly number[];

/**
 * Columns as wide as their widest cell, two blanks between them; the last one is not filled up.
 * @param widest a cell that is longer pushes its own line out and no other
 */
export function columns(rows: readonly (readonly string[])[], widest: Widest = WIDEST): string {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell, Number.MAX_SAFE_INTEGER)));
  const most = (column: number): number => (typeof widest === 'number' ? widest : (widest[column] ?? WIDEST));
  const count = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0).filter((width) => width <= most(column)), 0),
  );
  return cells
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${plainHead(line.trimEnd())}\n`)
    .join('');
}

/**
 * Lines cut to what fits on one of the terminal, the cut marked by `…`; as they are where it is no terminal.
 * @param width characters; null: none
 */
export function fitted(text: string, width: number | null): string {
  if (width === null) return text;
  return text
    .split('\n')
    .map((line) => {
      const characters = [...line];
      return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
    })
    .join('\n');
}
