import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureFolder } from '../../src/events/own-folder.js';
import { tempDir } from '../helpers/temp-dir.js';

test('a folder is made with its parents, for the owner alone, and only once', async () => {
  const root = await tempDir('folders');
  const path = join(root, 'a/b/c');
  expect(await ensureFolder(path)).toBe(true);
  for (const part of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, part))).mode & 0o777).toBe(0o700);
  expect(await ensureFolder(path)).toBe(false);
});

test('whoever makes it at the same time is not in the way', async () => {
  const path = join(await tempDir('folders'), 'a/b/c');
  await Promise.all(Array.from({ length: 8 }, () => ensureFolder(path)));
  expect((await stat(path)).isDirectory()).toBe(true);
});

test('a file in the way is an error, as a folder and as a parent', async () => {
  const root = await tempDir('folders');
  await writeFile(join(root, 'file'), '');
  await expect(ensureFolder(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(ensureFolder(join(root, 'file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.skipIf(!existsSync('/proc/self'))('a parent that takes no folders is an error, soon', async () => {
  await expect(ensureFolder('/proc/none/runs')).rejects.toMatchObject({ code: 'ENOENT' });
});
