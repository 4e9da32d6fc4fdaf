/**
 * A page of `docs/` for a terminal: the Markdown of our own pages and no other. Pure. Prose stays as it is wrapped;
 * headings, emphasis and fences lose their marks, code is indented, tables are aligned, and a link to another page
 * says what to type.
 */

import { columns } from './columns.js';

/** How far code and tables stand from the margin. */
const INDENT = '  ';

/** A cell that is wider pushes its own line out. */
const WIDEST = 60;

/** The text of a page, with one line break at its end. */
export function pageText(markdown: string): string {
  const shown: string[] = [];
  let fenced = false;
  let table: string[] = [];
  for (const line of markdown.trimEnd().split('\n')) {
    if (!fenced && line.startsWith('|')) {
      table.push(line);
      continue;
    }
    shown.push(...tableLines(table));
    table = [];
    if (line.startsWith('```')) fenced = !fenced;
    else shown.push(fenced ? `${INDENT}${line}`.trimEnd() : plainLine(line));
  }
  return `${[...shown, ...tableLines(table)].join('\n')}\n`;
}

/** One line of prose or of a heading. */
function plainLine(line: string): string {
  return plainWords(line.replace(/^#+ /, ''));
}

function plainWords(text: string): string {
  // What stands in backticks is code: no mark in it is one of ours.
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') ? part : plainProse(part)))
    .join('');
}

function plainProse(text: string): string {
  return text
    .replace(/\[([^\]]+)\]\(([a-z-]+)\.md(?:#[a-z-]+)?\)/g, (_, words: string, name: string) =>
      words === name ? `"bnerd help ${name}"` : `${words} ("bnerd help ${name}")`,
    )
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1')
    .replaceAll('**', '') // a pair may stand on two lines
    .replace(/\*(\w+)\*/g, '$1');
}

/** A table with its columns aligned; the row of dashes is left out. */
function tableLines(rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows
    .filter((row) => !/^\|[-| :]+\|$/.test(row))
    .map((row) =>
      row
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => plainWords(cell.trim().replaceAll('\\|', '|'))),
    );
  return columns(cells, WIDEST)
    .trimEnd()
    .split('\n')
    .map((line) => `${INDENT}${line}`);
}
