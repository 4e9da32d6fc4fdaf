import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git } from '../helpers/repository.js';
import { SHELL_CLASSES, type ShellRow, shellRows } from '../helpers/shell-lines.js';
import { type House, house } from './house.js';

const ROWS = shellRows();

/** The workspace that the head of the fixture describes. */
async function workspace(): Promise<House> {
  const at = await house();
  for (const path of [
    'notes.txt',
    'README.md',
    'names',
    'src/a.ts',
    'src/b.ts',
    'src/deep/c.ts',
    'docs/x.md',
  ]) {
    await at.put(path, `${path}\n`);
  }
  await at.put('.env', 'TOKEN=very-secret\n');
  await at.put('conf/.env', 'TOKEN=very-secret\n');
  await at.put('deploy/id_rsa', 'very-secret\n');
  await at.put('../outside.txt', 'outside\n');
  git(at.roots.workspace, 'init', '--quiet');
  await symlink('/etc', join(at.roots.workspace, 'out'));
  await symlink('src/a.ts', join(at.roots.workspace, 'link.txt'));
  await symlink('/etc/passwd', join(at.roots.workspace, '-E'));
  return at;
}

const strictness = (row: string): number => (SHELL_CLASSES as readonly string[]).indexOf(row);

test('there are enough rows, and none twice', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(200);
  const commands = ROWS.map(({ command }) => command);
  expect(commands.filter((command, at) => commands.indexOf(command) !== at)).toEqual([]);
  for (const one of SHELL_CLASSES) expect(ROWS.some((row) => row.class === one)).toBe(true);
});

test('no line is of a looser class than its row; of a stricter one few', async ({ annotate }) => {
  const at = await workspace();
  const tool = await at.tool('shell_exec');
  const looser: string[] = [];
  const stricter: string[] = [];
  for (const row of ROWS) {
    const prepared = await tool.prepare({ command: row.command });
    const found = prepared.kind === 'refused' ? 'refused' : prepared.class;
    if (strictness(found) < strictness(row.class)) looser.push(told(row, found));
    if (strictness(found) > strictness(row.class)) stricter.push(told(row, found));
  }
  expect(looser).toEqual([]);
  for (const line of stricter) await annotate(`stricter than its row: ${line}`);
  expect(stricter.length).toBeLessThanOrEqual(3);
});

function told(row: ShellRow, found: string): string {
  return `${JSON.stringify(row.command)} is ${found}, its row says ${row.class}: ${row.reason}`;
}
