import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, link, lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkWritable } from '../../../src/tools/files/confinement.js';
import type { WalkMode } from '../../../src/tools/files/descriptor-walk.js';
import type { House } from '../house.js';
import { digestIn, house } from '../house.js';
import { furnish, SECRET } from '../path-attacks.js';

async function attacked(mode: WalkMode): Promise<House> {
  return furnish(await house({ mode }));
}

describe.each<WalkMode>(['descriptor', 'checked'])('with the %s walk', (mode) => {
  test('a link in a tree is neither entered nor read by fs_list, fs_glob and fs_grep', async () => {
    const at = await attacked(mode);
    await symlink('../outside', join(at.roots.workspace, 'd'));
    await symlink('../outside/file.txt', join(at.roots.workspace, 'l'));
    expect((await at.call('fs_list', { path: 'd' })).text).toMatch(/link/);
    expect((await at.call('fs_list', {})).text).toMatch(/^d \(link, not followed\)$/m);
    expect((await at.call('fs_glob', { pattern: '**/*' })).text).toBe(
      'inside.txt\ndeep/er/inside.txt\n(2 found)',
    );
    expect((await at.call('fs_glob', { pattern: '*', path: 'd' })).text).toMatch(/link/);
    for (const path of ['.', 'd', 'l']) {
      expect((await at.call('fs_grep', { pattern: 'outside', path })).text).not.toContain(SECRET);
    }
  });

  test('a new file is not written through a link that waits under its name', async () => {
    const at = await attacked(mode);
    await symlink('../outside/made.txt', join(at.roots.workspace, 'new.txt'));
    expect(await at.call('fs_write_file', { path: 'new.txt', content: 'x' })).toMatchObject({
      outcome: 'error',
    });
    await expect(access(join(at.top, 'outside/made.txt'))).rejects.toThrow('ENOENT');
  });
});

/** Swaps that another process makes while calls are made, in all. */
const SWAPS = 1_000;

/** Does `round` again and again while another process swaps, until it has swapped enough and `seen` holds. */
async function against(
  what: 'directory' | 'file',
  at: House,
  round: () => Promise<void>,
  seen: () => boolean,
): Promise<void> {
  const program = fileURLToPath(new URL('../../fixtures/programs/swap-links.js', import.meta.url));
  const swapper = spawn(process.execPath, [program, what, at.roots.workspace], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let swaps = 0;
  const ended = once(swapper, 'close');
  swapper.stdout.on('data', (chunk: Buffer) => {
    swaps += 10 * chunk.length;
  });
  try {
    while (swaps < SWAPS || !seen()) {
      if (swapper.exitCode !== null) throw new Error('the swapper has ended');
      await round();
    }
  } finally {
    swapper.stdin.end();
    await ended;
  }
}

test('a directory that is swapped for a link again and again never lets a read or a write out', async () => {
  const at = await attacked('descriptor');
  await at.put('work/file.txt', 'inside');
  await at.put('../outside/file.txt', SECRET);
  const outcomes = new Set<string>();
  let written = 0;
  const round = async (): Promise<void> => {
    const read = await at.call('fs_read_file', { path: 'work/file.txt' });
    expect(read.text).not.toContain(SECRET);
    outcomes.add(read.outcome);
    const grep = await at.call('fs_grep', { pattern: '.', path: 'work' });
    expect(grep.text).not.toContain(SECRET);
    await at.call('fs_write_file', { path: `work/new-${written++}.txt`, content: 'x' });
  };
  await against('directory', at, round, () => outcomes.size === 2);
  expect(outcomes).toEqual(new Set(['ok', 'error']));
  expect((await readdir(join(at.top, 'outside'))).sort()).toEqual(['deep', 'empty', 'file.txt']);
  expect(await readFile(join(at.top, 'outside/file.txt'), 'utf8')).toBe(SECRET);
});

test('a file that is swapped for a link again and again is never read or changed through it', async () => {
  const at = await attacked('descriptor');
  await at.put('file.txt', 'inside');
  const digest = digestIn(await at.call('fs_read_file', { path: 'file.txt' }));
  const outcomes = new Set<string>();
  const round = async (): Promise<void> => {
    const read = await at.call('fs_read_file', { path: 'file.txt' });
    expect(read.text).not.toContain(SECRET);
    outcomes.add(read.outcome);
    await at.call('fs_edit_file', { path: 'file.txt', old: 'inside', new: 'inside', digest });
    await at.call('fs_write_file', { path: 'file.txt', content: 'inside', digest });
  };
  await against('file', at, round, () => outcomes.has('ok'));
  expect(outcomes.has('ok')).toBe(true);
  expect(await readFile(join(at.top, 'outside/file.txt'), 'utf8')).toBe(SECRET);
});

test('a device is refused', async () => {
  const at = await house();
  // A device needs no making: the root of the tools is /dev for once.
  const { openFile } = await import('../../../src/tools/files/confinement.js');
  expect(await openFile({ workspace: '/dev', reads: [] }, 'null')).toMatchObject({
    kind: 'refused',
    text: expect.stringContaining('pipe, socket or device'),
  });
  expect(at.roots.reads).toHaveLength(1);
});

test('hard names are names: blanks, dashes, quotes, line breaks, wildcards, other scripts', async () => {
  const at = await house();
  for (const name of [
    '-rf',
    'a b',
    "it's",
    'a"b',
    '*',
    '[a]',
    '{a,b}',
    '$(x)',
    '`x`',
    'ü日本',
    'a\nb',
    '~',
    'reads',
    '#',
  ]) {
    const result = await at.call('fs_write_file', { path: `./${name}`, content: name });
    expect(result, name).toMatchObject({ outcome: 'ok' });
    expect(await readFile(join(at.roots.workspace, name), 'utf8')).toBe(name);
    expect(result.text.split('\n')).toHaveLength(1);
  }
  // What begins like a read root is reached behind a dot.
  expect(await at.call('fs_write_file', { path: './reads:1', content: 'x' })).toMatchObject({
    outcome: 'ok',
  });
  expect(await at.call('fs_write_file', { path: 'reads:1', content: 'x' })).toMatchObject({
    outcome: 'error',
  });
});

test('a hard link is replaced, not written through', async () => {
  const at = await attacked('descriptor');
  await link(join(at.top, 'outside/file.txt'), join(at.roots.workspace, 'hard.txt'));
  const digest = digestIn(await at.call('fs_read_file', { path: 'hard.txt' }));
  await at.call('fs_write_file', { path: 'hard.txt', content: 'mine', digest });
  expect(await at.text('hard.txt')).toBe('mine');
  expect(await readFile(join(at.top, 'outside/file.txt'), 'utf8')).toBe(SECRET);
});

test('a relative path that the workspace has not is looked for in the read roots, for reading only', async () => {
  const at = await house();
  await at.put('../library/guide.md', 'from the library');
  await at.put('both.md', 'mine');
  await at.put('../library/both.md', 'theirs');
  expect((await at.call('fs_read_file', { path: 'guide.md' })).text).toMatch(
    /^reads:1\/guide\.md: lines 1-1 of 1/,
  );
  expect((await at.call('fs_read_file', { path: 'both.md' })).text).toContain('mine');
  expect((await at.call('fs_read_file', { path: 'reads:1/both.md' })).text).toContain('theirs');
  const absolute = join(at.roots.reads[0] ?? '', 'guide.md');
  expect((await at.call('fs_read_file', { path: absolute })).text).toMatch(/^reads:1\/guide\.md/);
  expect((await at.call('fs_write_file', { path: 'reads:1/guide.md', content: '' })).text).toContain(
    'only read',
  );
  expect((await at.call('fs_write_file', { path: absolute, content: '' })).text).toContain('only read');
  const edit = { path: 'guide.md', old: 'library', new: 'x', digest: 'a'.repeat(64) };
  expect((await at.call('fs_edit_file', edit)).text).toContain('only read');
  expect(await readFile(absolute, 'utf8')).toBe('from the library');
  expect((await lstat(at.roots.workspace)).isDirectory()).toBe(true);
  await mkdir(join(at.roots.workspace, 'empty'));
  expect((await at.call('fs_list', {})).text).toBe('.: 2 entries\nboth.md 4\nempty/\nread root: reads:1/');
});

test('a read root below the workspace is only read, in any spelling of its name', async () => {
  const at = await house();
  await at.put('vendor/lib/a.txt', 'one\n');
  await at.put('vendor/b.txt', 'two\n');
  const roots = { ...at.roots, reads: [join(at.roots.workspace, 'vendor/lib'), at.roots.workspace] };
  for (const path of [
    'vendor/lib/a.txt',
    'vendor/lib/new.txt',
    'Vendor/LIB/a.txt',
    'vendor/./lib//x/y.txt',
  ]) {
    expect(checkWritable(roots, path, false)).toMatchObject({
      kind: 'refused',
      text: expect.stringContaining('lies in a read root, which is only read'),
    });
  }
  for (const path of ['vendor/b.txt', 'vendor/library.txt', 'a.txt'])
    expect(checkWritable(roots, path, false)).toMatchObject({ kind: 'writable' });
});

test('what is found in a read root is asked about as that, and read there and nowhere else', async () => {
  const at = await house();
  await at.put('../library/private/a.txt', 'of the library\n');
  const tool = await at.tool('fs_read_file');
  const prepared = await tool.prepare({ path: './private//a.txt' });
  const path = 'reads:1/private/a.txt';
  expect(prepared).toMatchObject({
    kind: 'ready',
    subject: path,
    summary: `read ${path}`,
    arguments: { path },
  });
  for (const [name, args] of [
    ['fs_list', { path: 'private' }],
    ['fs_glob', { path: 'private', pattern: '*' }],
    ['fs_grep', { path: 'private', pattern: 'x' }],
  ] as const) {
    const found = await (await at.tool(name)).prepare(args);
    expect(found, name).toMatchObject({ subject: 'reads:1/private', arguments: { path: 'reads:1/private' } });
  }
  // Made in the workspace meanwhile: nobody was asked about it.
  await at.put('private/a.txt', 'of the workspace\n');
  if (prepared.kind === 'refused') throw new Error(prepared.text);
  const { text } = await tool.run(prepared.arguments, new AbortController().signal);
  expect(text).toContain('of the library');
  expect(await tool.prepare({ path: 'private/a.txt' })).toMatchObject({ subject: 'private/a.txt' });
  expect(await tool.prepare({ path: 'none.txt' })).toMatchObject({ subject: 'none.txt' });
});

test('who is asked about a change sees where it would go, not by which way round', async () => {
  const at = await house();
  const path = 'docs/../.github/./x.yml';
  const digest = 'a'.repeat(64);
  for (const [name, args, summary] of [
    ['fs_write_file', { path, content: 'x' }, 'write .github/x.yml (1 bytes)'],
    ['fs_edit_file', { path, old: 'a', new: 'b', digest }, 'edit .github/x.yml'],
    ['fs_delete', { path, digest }, 'delete .github/x.yml'],
    ['git_commit', { paths: [path], message: 'm' }, 'git commit -m "m" -- .github/x.yml'],
  ] as const)
    expect(await (await at.tool(name)).prepare(args), name).toMatchObject({ summary });
  expect(await (await at.tool('git_commit')).prepare({ paths: ['../x'], message: 'm' })).toMatchObject({
    kind: 'refused',
  });
});
