import { existsSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, takeBack } from '../../src/shared/make-folder.js';
import { tempDir } from '../helpers/temp-dir.js';

describe('a folder is made with its parents', () => {
  test('what had to be made is told, the deepest first, with the mode that was asked for', async () => {
    const root = await tempDir('folders');
    await mkdir(join(root, 'a'));
    const [deepest, above] = [join(root, 'a/b/c'), join(root, 'a/b')];
    expect(await makeFolder(deepest, 0o700)).toEqual([deepest, above]);
    for (const path of [deepest, above]) expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(await makeFolder(deepest)).toEqual([]);
  });

  test('whoever makes it at the same time is not in the way, and each folder was made by one', async () => {
    const root = await tempDir('folders');
    const made = await Promise.all(Array.from({ length: 8 }, () => makeFolder(join(root, 'a/b/c'))));
    expect(made.flat().sort()).toEqual([join(root, 'a'), join(root, 'a/b'), join(root, 'a/b/c')]);
  });

  test.skipIf(!existsSync('/proc/self'))('a parent that takes no folders is an error, soon', async () => {
    await expect(makeFolder('/proc/none/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('what was made is taken back, but for a folder that somebody has put something into', async () => {
  const root = await tempDir('folders');
  const made = await makeFolder(join(root, 'a/b/c'));
  await writeFile(join(root, 'a/b/note'), '');
  await takeBack(made);
  expect([existsSync(join(root, 'a/b/c')), existsSync(join(root, 'a/b/note'))]).toEqual([false, true]);
});
