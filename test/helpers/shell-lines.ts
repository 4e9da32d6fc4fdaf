/** Reads `test/fixtures/shell.md`: one row a line, signs for characters that cannot be seen. */

import { readFileSync } from 'node:fs';
import type { CallMatter } from '../../src/team/policy/permission-match.js';
import { shellClass } from '../../src/tools/shell/class.js';
import { shellReader } from '../../src/tools/shell/parse.js';

/** What rules are held against for a shell line, as `shell_exec` prepares it. */
export async function shellMatter(line: string): Promise<CallMatter> {
  const { subjects } = shellClass(line, await shellReader(), () => false);
  return { tool: 'shell_exec', subject: line, subjects };
}

export const SHELL_CLASSES = ['read', 'write', 'destructive', 'refused'] as const;

export interface ShellRow {
  readonly class: (typeof SHELL_CLASSES)[number];
  readonly command: string;
  readonly reason: string;
}

export function shellRows(): ShellRow[] {
  const text = readFileSync(new URL('../fixtures/shell.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^[a-z]+ +│/.test(line));
  return rows.map((line) => {
    const [written = '', command = '', reason = '', ...rest] = line.split('│');
    const found = SHELL_CLASSES.find((one) => one === written.trim());
    if (found === undefined || reason.trim() === '' || rest.length > 0)
      throw new Error(`shell.md: no row: ${line}`);
    return { class: found, command: unsigned(command.replace(/^ | +$/g, '')), reason: reason.trim() };
  });
}

function unsigned(command: string): string {
  return command
    .replaceAll('␊', '\n')
    .replaceAll('␍', '\r')
    .replaceAll('␉', '\t')
    .replaceAll('␀', '\0')
    .replace(/⟨([0-9A-F]{4,6})⟩/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}
