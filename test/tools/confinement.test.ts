import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, link, lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { WalkMode } from '../../src/tools/descriptor-walk.js';
import type { House } from './house.js';
import { digestIn, house } from './house.js';

/** Stands in every file outside the roots: no answer may hold it, and no write may change it. */
const SECRET = 'outside-content-3f9a';

async function attacked(mode: WalkMode): Promise<House> {
  const at = await house({ mode });
  await at.put('inside.txt', 'inside\n');
  await at.put('deep/er/inside.txt', 'inside\n');
  await at.put('../outside/file.txt', SECRET);
  await at.put('../outside/deep/file.txt', SECRET);
  await at.put('../workspace-neighbour/file.txt', SECRET);
  return at;
}

interface Attack {
  readonly what: string;
  /** Lays the trap and gives the path that a model would name. */
  readonly path: (at: House) => Promise<string> | string;
  /** What the refusal says. */
  readonly says: RegExp;
}

const trap =
  (target: (at: House) => string, place: string, path = place) =>
  async (at: House): Promise<string> => {
    await symlink(target(at), join(at.roots.workspace, place));
    return path;
  };

const ATTACKS: readonly Attack[] = [
  { what: 'one step up', path: () => '../outside/file.txt', says: /leads out/ },
  { what: 'up from below', path: () => 'deep/../../outside/file.txt', says: /leads out/ },
  { what: 'up behind a dot', path: () => './././../outside/file.txt', says: /leads out/ },
  { what: 'many steps up', path: () => `${'../'.repeat(60)}etc/passwd`, says: /leads out/ },
  { what: 'up out of a read root', path: () => 'reads:1/../outside/file.txt', says: /leads out/ },
  { what: 'an absolute path outside', path: (at) => join(at.top, 'outside/file.txt'), says: /leads out/ },
  { what: 'an absolute path of the system', path: () => '/etc/passwd', says: /leads out/ },
  {
    what: 'a neighbour whose name begins like the workspace',
    path: (at) => join(at.top, 'workspace-neighbour/file.txt'),
    says: /leads out/,
  },
  {
    what: 'an absolute path inside that goes up',
    path: (at) => `${at.roots.workspace}/../outside/file.txt`,
    says: /leads out/,
  },
  {
    what: 'the root of this process',
    path: (at) => `/proc/self/root${at.top}/outside/file.txt`,
    says: /leads out/,
  },
  {
    what: 'the working directory of this process',
    path: () => '/proc/self/cwd/package.json',
    says: /leads out/,
  },
  { what: 'a descriptor of this process', path: () => '/dev/fd/0', says: /leads out/ },
  { what: 'a NUL that cuts the name', path: () => 'inside.txt\0.png', says: /NUL/ },
  { what: 'a NUL before a step up', path: () => 'a\0/../../outside/file.txt', says: /NUL/ },
  { what: 'no path', path: () => '', says: /is empty/ },
  { what: 'a path of 5,000 characters', path: () => 'a/'.repeat(2_500), says: /longer than/ },
  { what: 'a name of 300 characters', path: () => 'a'.repeat(300), says: /too long|does not exist/ },
  { what: 'a read root that does not exist', path: () => 'reads:2/file.txt', says: /does not exist/ },
  { what: 'a link to a file', path: trap((at) => join(at.top, 'outside/file.txt'), 'l'), says: /link/ },
  { what: 'a relative link to a file', path: trap(() => '../outside/file.txt', 'l'), says: /link/ },
  {
    what: 'a link to a directory',
    path: trap((at) => join(at.top, 'outside'), 'd', 'd/file.txt'),
    says: /link/,
  },
  {
    what: 'a link two levels down',
    path: trap((at) => join(at.top, 'outside'), 'deep/d', 'deep/d/deep/file.txt'),
    says: /link/,
  },
  {
    what: 'a link to a link',
    path: async (at) => {
      await symlink('second', join(at.roots.workspace, 'first'));
      await symlink('../outside', join(at.roots.workspace, 'second'));
      return 'first/file.txt';
    },
    says: /link/,
  },
  {
    what: 'a link to the root of this process',
    path: trap(() => '/proc/self/root', 'r', 'r/etc/passwd'),
    says: /link/,
  },
  { what: 'a link that stays inside', path: trap(() => 'inside.txt', 'same'), says: /link/ },
  { what: 'a link that leads nowhere', path: trap(() => 'nowhere', 'dangling'), says: /link/ },
  { what: 'a link to itself', path: trap(() => 'loop', 'loop'), says: /link/ },
  { what: 'a link with a slash behind', path: trap(() => '../outside', 'd', 'd/'), says: /link|directory/ },
  {
    what: 'a file in a read root that is a link out',
    path: async (at) => {
      await symlink('../outside/file.txt', join(at.roots.reads[0] ?? '', 'l'));
      return 'reads:1/l';
    },
    says: /link|only read/,
  },
  {
    what: 'a named pipe',
    path: (at) => {
      execFileSync('mkfifo', [join(at.roots.workspace, 'pipe')]);
      return 'pipe';
    },
    says: /pipe, socket or device/,
  },
  { what: 'a directory', path: () => 'deep', says: /directory/ },
  { what: 'the workspace', path: () => '.', says: /directory/ },
  { what: 'a file with a slash behind', path: () => 'inside.txt/', says: /directory/ },
  { what: 'a name below a file', path: () => 'inside.txt/x', says: /not a directory/ },
];

describe.each<WalkMode>(['descriptor', 'checked'])('with the %s walk', (mode) => {
  test.each(ATTACKS)(
    '$what is refused for reading, writing, editing and deleting',
    async ({ path, says }) => {
      const at = await attacked(mode);
      const named = await path(at);
      const before = await snapshot(at);
      const digest = 'a'.repeat(64);
      for (const [tool, args] of [
        ['fs_read_file', { path: named }],
        ['fs_write_file', { path: named, content: 'overwritten', digest }],
        ['fs_edit_file', { path: named, old: SECRET, new: 'overwritten', digest }],
        ['fs_delete', { path: named, digest }],
      ] as const) {
        const result = await at.call(tool, args);
        expect(result, tool).toMatchObject({ outcome: 'error', text: expect.stringMatching(says) });
        expect(result.text, tool).not.toContain(SECRET);
      }
      expect(await snapshot(at)).toEqual(before);
    },
  );

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

/** Everything outside the roots, and every name inside. */
async function snapshot(at: House): Promise<unknown> {
  return {
    outside: await readFile(join(at.top, 'outside/file.txt'), 'utf8'),
    below: await readFile(join(at.top, 'outside/deep/file.txt'), 'utf8'),
    names: execFileSync('find', [at.top], { encoding: 'utf8' }), // which follows no link
    inside: await at.text('inside.txt'),
  };
}

/** Swaps that another process makes while calls are made, in all. */
const SWAPS = 1_000;

/** Does `round` again and again while another process swaps, until it has swapped enough and `seen` holds. */
async function against(
  what: 'directory' | 'file',
  at: House,
  round: () => Promise<void>,
  seen: () => boolean,
): Promise<void> {
  const program = fileURLToPath(new URL('../fixtures/programs/swap-links.js', import.meta.url));
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
  expect((await readdir(join(at.top, 'outside'))).sort()).toEqual(['deep', 'file.txt']);
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
  const { openFile } = await import('../../src/tools/confinement.js');
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
