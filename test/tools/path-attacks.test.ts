// Every attack of the table against every file tool: the right refusal, nothing read, and not a byte changed.
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { WalkMode } from '../../src/tools/files/descriptor-walk.js';
import { type House, house } from './house.js';
import { ATTACKS, type Attack, furnish, NAMES, ON_DISK, PATTERNS, SECRET } from './path-attacks.js';

const DIGEST = 'a'.repeat(64);

const READING = (path: string): (readonly [tool: string, args: object])[] => [
  ['fs_read_file', { path }],
  ['fs_list', { path }],
  ['fs_glob', { path, pattern: '**/*' }],
  ['fs_grep', { path, pattern: '.' }],
];

const WRITING = (path: string): (readonly [tool: string, args: object])[] => [
  ['fs_write_file', { path, content: 'overwritten' }],
  ['fs_write_file', { path, content: 'overwritten', digest: DIGEST }],
  ['fs_edit_file', { path, old: SECRET, new: 'overwritten', digest: DIGEST }],
  ['fs_delete', { path, digest: DIGEST }],
];

test('there are enough of them, each once', () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(50);
  expect(new Set(ATTACKS.map(({ what }) => what)).size).toBe(ATTACKS.length);
});

describe.each<readonly [WalkMode, readonly Attack[]]>([
  ['descriptor', ATTACKS],
  ['checked', ON_DISK],
])('with the %s walk', (mode, attacks) => {
  test.each(attacks)('$what', async ({ path, says, reads = says, edits = says, fine = {} }) => {
    const at = await furnish(await house({ mode }));
    const named = await path(at);
    const before = await snapshot(at.top);
    for (const [tools, refusal] of [
      [READING(named), reads],
      [WRITING(named), says],
    ] as const) {
      for (const [tool, args] of tools) {
        const result = await at.call(tool, args);
        const expected = fine[tool];
        expect(result, tool).toMatchObject({
          outcome: expected === undefined ? 'error' : 'ok',
          text: expect.stringMatching(expected ?? (tool === 'fs_edit_file' ? edits : refusal)),
        });
        expect(result.text, tool).not.toContain(SECRET);
      }
    }
    expect(await snapshot(at.top)).toEqual(before);
  });
});

test.each(NAMES)('%j is a name like others: what is done with it stays inside', async (path) => {
  const at = await furnish(await house());
  const before = await outside(at);
  for (const [tool, args] of [...READING(path), ...WRITING(path)])
    expect((await at.call(tool, args)).text, tool).not.toContain(SECRET);
  expect(await outside(at)).toEqual(before);
});

test.each(PATTERNS)('the pattern %j finds nothing outside', async (pattern) => {
  const at = await furnish(await house());
  await symlink('../outside', join(at.roots.workspace, 'd'));
  for (const path of ['.', 'deep']) {
    const found = await at.call('fs_glob', { pattern, path });
    expect(found.text).not.toMatch(/outside|etc|neighbour/);
    const lines = await at.call('fs_grep', { pattern: '.', glob: pattern, path });
    expect(lines.text).not.toContain(SECRET);
  }
});

test('a tree deeper than any is visited to its bound, and says so', async () => {
  const at = await furnish(await house());
  await mkdir(join(at.roots.workspace, 'd/'.repeat(200)), { recursive: true });
  await at.put(`${'d/'.repeat(200)}deep.txt`, 'needle');
  await at.put(`${'d/'.repeat(10)}shallow.txt`, 'needle');
  for (const [tool, args] of [
    ['fs_glob', { pattern: '**/*.txt' }],
    ['fs_grep', { pattern: 'needle' }],
  ] as const) {
    const { text } = await at.call(tool, args);
    expect(text).toContain('shallow.txt');
    expect(text).not.toContain('deep.txt');
    expect(text).toContain('the tree is too large');
  }
  expect((await at.call('fs_read_file', { path: `${'d/'.repeat(200)}deep.txt` })).text).toContain('needle');
});

test('names like those of files laid aside are neither followed nor in the way', async () => {
  const at = await furnish(await house());
  const aside = (pid: number): string => `.bnerd-${pid}-0123456789ab.tmp`;
  await symlink('../outside/file.txt', join(at.roots.workspace, aside(process.pid)));
  await symlink('../outside/file.txt', join(at.roots.workspace, aside(4_194_303)));
  await mkdir(join(at.roots.workspace, aside(4_194_302)));
  const before = await outside(at);
  expect(await at.call('fs_write_file', { path: 'new.txt', content: 'x' })).toMatchObject({ outcome: 'ok' });
  expect(await at.text('new.txt')).toBe('x');
  expect(await outside(at)).toEqual(before);
});

/** Everything below a folder: kinds, rights, texts, targets of links. */
async function snapshot(top: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const look = async (folder: string): Promise<void> => {
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const stats = await lstat(path);
      const shown = relative(top, path);
      const head = `${stats.mode.toString(8)} ${stats.nlink} ${stats.size}`;
      if (stats.isSymbolicLink()) found[shown] = `-> ${await readlink(path)}`;
      else if (stats.isDirectory()) {
        found[shown] = stats.mode.toString(8);
        await look(path);
      } else if (stats.isFile() && stats.size < 1_000_000)
        found[shown] = `${head} ${createHash('sha256')
          .update(await readFile(path))
          .digest('hex')}`;
      else found[shown] = `${head} ${stats.mtimeMs}`;
    }
  };
  await look(top);
  return found;
}

async function outside(at: House): Promise<unknown> {
  const all = await snapshot(at.top);
  return Object.fromEntries(
    Object.entries(all).filter(([path]) => !/^(workspace|processes)(\/|$)/.test(path)),
  );
}
