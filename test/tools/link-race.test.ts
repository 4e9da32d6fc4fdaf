// A separate process exchanges a folder and a file for links out while this one reads and writes: 100,000 times and more,
// with no step between.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type House, house } from './house.js';
import { SECRET } from './path-attacks.js';

const EXCHANGES = 100_000;

/** Outcomes that have to be seen before it counts as a race: each tool met both the folder and the link. */
const SEEN = ['work ok', 'work error', 'file ok', 'file error', 'write ok', 'write error', 'edit error'];

async function place(): Promise<House> {
  const at = await house();
  await at.put('work/file.txt', 'inside');
  await at.put('file.txt', 'inside');
  for (const path of ['file.txt', 'deep/file.txt']) await at.put(`../outside/${path}`, SECRET);
  await mkdir(join(at.top, 'outside/work'));
  await symlink('../outside', join(at.roots.workspace, 'work-link'));
  await symlink('../outside/file.txt', join(at.roots.workspace, 'file-link'));
  return at;
}

test('a folder and a file that are exchanged for links 100,000 times never let a read or a write out', async () => {
  const at = await place();
  const program = fileURLToPath(new URL('../fixtures/programs/exchange-links.pl', import.meta.url));
  const swapper = spawn('perl', [program, at.roots.workspace], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(swapper, 'close');
  let exchanges = 0;
  swapper.stdout.on('data', (chunk: Buffer) => {
    exchanges += 1_000 * chunk.length;
  });
  const seen = new Set<string>();
  let made = 0;
  const call = async (as: string, tool: string, args: object): Promise<string> => {
    const { text, outcome } = await at.call(tool, args);
    expect(text, tool).not.toContain(SECRET);
    seen.add(`${as} ${outcome}`);
    return text;
  };
  const reader = async (): Promise<void> => {
    await call('work', 'fs_read_file', { path: 'work/file.txt' });
    await call('file', 'fs_read_file', { path: 'file.txt' });
    await call('list', 'fs_list', { path: 'work' });
    await call('grep', 'fs_grep', { pattern: '.', path: 'work' });
    await call('glob', 'fs_glob', { pattern: '**/*' });
  };
  const writer = async (): Promise<void> => {
    await call('write', 'fs_write_file', { path: `work/new-${made++ % 50}/x-${made}.txt`, content: 'x' });
    const text = await call('file', 'fs_read_file', { path: 'file.txt' });
    const digest = /digest ([0-9a-f]{64})/.exec(text)?.[1] ?? 'a'.repeat(64);
    await call('edit', 'fs_edit_file', { path: 'file.txt', old: 'inside', new: 'inside', all: true, digest });
    await call('edit', 'fs_write_file', { path: 'file.txt', content: 'inside', digest });
    await call('delete', 'fs_delete', { path: 'file.txt', digest });
  };
  const done = (): boolean => exchanges >= EXCHANGES && SEEN.every((outcome) => seen.has(outcome));
  const during = async (round: () => Promise<void>): Promise<void> => {
    while (!done()) {
      if (swapper.exitCode !== null) throw new Error('the other process has ended');
      await round();
    }
  };
  try {
    await Promise.all([during(reader), during(reader), during(writer)]);
  } finally {
    swapper.stdin.end();
    await ended;
  }
  expect(exchanges).toBeGreaterThanOrEqual(EXCHANGES);
  expect((await readdir(join(at.top, 'outside'))).sort()).toEqual(['deep', 'file.txt', 'work']);
  expect(await readdir(join(at.top, 'outside/work'))).toEqual([]);
  for (const path of ['file.txt', 'deep/file.txt'])
    expect(await readFile(join(at.top, 'outside', path), 'utf8')).toBe(SECRET);
});
