import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { boundedMatcher } from '../../src/shared/bounded-match.js';
import { patternLevels } from '../../src/tools/fs-glob.js';
import { house } from './house.js';

test('fs_glob finds by pattern, in one order, names with a dot included, git and modules left out', async () => {
  const at = await house();
  for (const path of [
    'b.ts',
    'a.ts',
    'src/x.ts',
    'src/deep/y.ts',
    '.hidden/z.ts',
    '.git/g.ts',
    'node_modules/m.ts',
  ]) {
    await at.put(path, '');
  }
  expect((await at.call('fs_glob', { pattern: '**/*.ts' })).text).toBe(
    'a.ts\nb.ts\n.hidden/z.ts\nsrc/x.ts\nsrc/deep/y.ts\n(5 found)',
  );
  expect((await at.call('fs_glob', { pattern: '*.ts' })).text).toBe('a.ts\nb.ts\n(2 found)');
  expect((await at.call('fs_glob', { pattern: '*.ts', path: 'src' })).text).toBe('src/x.ts\n(1 found)');
  expect((await at.call('fs_glob', { pattern: 'm.ts', path: 'node_modules' })).text).toContain(
    'node_modules/m.ts',
  );
  expect((await at.call('fs_glob', { pattern: '../**' })).text).toBe('(no file matches)');
});

test('fs_glob is bounded in what it shows', async () => {
  const at = await house();
  for (let count = 0; count < 600; count++) await at.put(`many/${count}.txt`, '');
  const { text } = await at.call('fs_glob', { pattern: '**' });
  expect(text.split('\n')).toHaveLength(501);
  expect(text).toMatch(/there are more; narrow/);
});

test('fs_grep shows path, line and text, bounded, with what was left out', async () => {
  const at = await house();
  await at.put('a.txt', 'needle one\nhay\nNEEDLE two\n');
  await at.put('src/b.txt', `${'x'.repeat(500)} needle`);
  await at.put('c.bin', new Uint8Array([110, 0, 110]));
  await at.put('large.txt', 'needle\n'.repeat(400_000));
  await at.put('../library/lib.txt', 'needle in the library');
  expect((await at.call('fs_grep', { pattern: '^needle' })).text).toBe(
    'a.txt:1: needle one\n(1 lines)\n(files left out: 1 binary, 1 over 2 MiB)',
  );
  expect(
    (await at.call('fs_grep', { pattern: 'needle', ignore_case: true, glob: '*.txt', max: 1 })).text,
  ).toMatch(/^a\.txt:1: needle one\n\(1 lines\)\n\(there may be more/);
  expect((await at.call('fs_grep', { pattern: 'needle', path: 'src' })).text).toMatch(
    /^src\/b\.txt:1: x{300}…\n/,
  );
  expect((await at.call('fs_grep', { pattern: 'needle', path: 'a.txt' })).text).toBe(
    'a.txt:1: needle one\n(1 lines)',
  );
  expect((await at.call('fs_grep', { pattern: 'needle', path: 'reads:1' })).text).toMatch(
    /^reads:1\/lib\.txt:1: /,
  );
  expect((await at.call('fs_grep', { pattern: 'absent' })).text).toContain('(no line matches)');
});

test('a pattern that would never end is ended, and said so', { timeout: 20_000 }, async () => {
  const at = await house();
  await at.put('a.txt', `${'a'.repeat(60)}b\n`);
  expect(await at.call('fs_grep', { pattern: '^(a+)+$' })).toMatchObject({
    outcome: 'error',
    text: expect.stringContaining('took too long'),
  });
  expect(boundedMatcher(/^(a|a)*$/)(['a'.repeat(60).concat('b')])).toBe('too-slow');
  expect(boundedMatcher(/b/)(['abc', 'x', 'b'])).toEqual([0, 2]);
});

test('a search is cancelled between files', async () => {
  const at = await house();
  for (let count = 0; count < 50; count++) await at.put(`${count}/a.txt`, 'x\n'.repeat(1_000));
  const controller = new AbortController();
  const running = (await at.tool('fs_grep')).run({ pattern: 'y' }, controller.signal);
  setImmediate(() => controller.abort());
  expect(await running).toEqual({ outcome: 'error', text: 'fs_grep was cancelled' });
});

test('fs_list tells kinds apart, and is bounded', async () => {
  const at = await house();
  await at.put('b.txt', 'four');
  await mkdir(join(at.roots.workspace, 'a'));
  await symlink('b.txt', join(at.roots.workspace, 'c'));
  expect((await at.call('fs_list', {})).text).toBe(
    '.: 3 entries\na/\nb.txt 4\nc (link, not followed)\nread root: reads:1/',
  );
  expect((await at.call('fs_list', { path: 'b.txt' })).text).toContain('is not a directory');
  for (let count = 0; count < 1_001; count++) await mkdir(join(at.roots.workspace, 'a', `${count}`));
  expect((await at.call('fs_list', { path: 'a' })).text).toMatch(
    /^a: 1000 entries\n.*more than 1000 entries/s,
  );
});

describe('how far a glob goes', () => {
  test.each([
    ['*.md', 0],
    ['./*.md', 0],
    ['src/*/index.ts', 2],
    ['**/*.md', Number.POSITIVE_INFINITY],
    ['{a,b/c}/*.md', Number.POSITIVE_INFINITY],
  ])('%s is looked for %d levels down', (pattern, levels) => {
    expect(patternLevels(pattern)).toBe(levels);
  });

  test('a pattern of one level does not go down', async () => {
    const at = await house({});
    await at.put('top.md', 'x');
    await at.put('deep/er/other.md', 'x');
    const result = await at.call('fs_glob', { pattern: '*.md' });
    expect(result.text).toBe('top.md\n(1 found)');
  });
});
