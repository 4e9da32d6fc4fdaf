import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeNewFiles } from '../../src/runtime/new-files.js';
import { tempDir } from '../helpers/temp-dir.js';

async function tree(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

describe('several new files', () => {
  test('are written whole, with the folders they need, and nothing else is left', async () => {
    const root = await tempDir('new');
    const written = await writeNewFiles(root, [
      { path: join(root, 'a/b/one.md'), text: 'one\n' },
      { path: join(root, 'a/two.md'), text: 'two\n' },
    ]);
    expect(written.kind).toBe('written');
    expect(await tree(root)).toEqual(['a', 'a/b', 'a/b/one.md', 'a/two.md']);
    expect(await readFile(join(root, 'a/b/one.md'), 'utf8')).toBe('one\n');
  });

  test('undone, they are gone with their folders, but not what somebody else has put there', async () => {
    const root = await tempDir('new');
    const written = await writeNewFiles(root, [
      { path: join(root, 'a/b/one.md'), text: 'one' },
      { path: join(root, 'c/two.md'), text: 'two' },
    ]);
    if (written.kind !== 'written') throw new Error('refused');
    await writeFile(join(root, 'c/mine.md'), 'mine');
    await written.undo();
    expect(await tree(root)).toEqual(['c', 'c/mine.md']);
  });

  test('one that is there already refuses all of them, each named, and nothing is made', async () => {
    const root = await tempDir('new');
    await writeFile(join(root, 'two.md'), 'mine');
    await symlink('nowhere', join(root, 'three.md'));
    const written = await writeNewFiles(root, [
      { path: join(root, 'a/one.md'), text: 'one' },
      { path: join(root, 'two.md'), text: 'two' },
      { path: join(root, 'three.md'), text: 'three' },
    ]);
    expect(written).toMatchObject({
      kind: 'refused',
      findings: [
        { code: 'file-exists', path: join(root, 'two.md') },
        { code: 'file-exists', path: join(root, 'three.md') },
      ],
    });
    expect(await tree(root)).toEqual(['three.md', 'two.md']);
    expect(await readFile(join(root, 'two.md'), 'utf8')).toBe('mine');
  });

  test('a failure on the way takes away what was made before it', async () => {
    const root = await tempDir('new');
    await writeFile(join(root, 'file'), 'no folder');
    const written = await writeNewFiles(root, [
      { path: join(root, 'a/one.md'), text: 'one' },
      { path: join(root, 'file/two.md'), text: 'two' },
    ]);
    expect(written).toMatchObject({
      kind: 'refused',
      findings: [
        {
          code: 'cannot-write',
          path: join(root, 'file/two.md'),
          message: expect.stringContaining('ENOTDIR'),
        },
      ],
    });
    expect(await tree(root)).toEqual(['file']);
  });

  test('a link that leads out is not followed', async () => {
    const outside = await tempDir('outside');
    const root = await tempDir('new');
    await symlink(outside, join(root, 'a'));
    await mkdir(join(root, 'b'));
    const written = await writeNewFiles(root, [
      { path: join(root, 'b/one.md'), text: 'one' },
      { path: join(root, 'a/sub/two.md'), text: 'two' },
    ]);
    expect(written).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'link-leads-out', path: join(root, 'a') }],
    });
    expect(await tree(outside)).toEqual([]);
    expect(await tree(join(root, 'b'))).toEqual([]);
  });
});
