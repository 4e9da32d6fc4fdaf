import { existsSync } from 'node:fs';
import { mkdir, rm, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFolder, makeFolder, takeBack } from '../../src/shared/make-folder.js';
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

  test('whoever takes it away while it is looked at is not in the way', async () => {
    const folder = join(await tempDir('folders'), 'a');
    const hundred = (work: () => Promise<unknown>): Promise<unknown[]> =>
      Promise.all(Array.from({ length: 100 }, work));
    for (let round = 0; round < 40; round++) {
      const taken = hundred(() => rmdir(folder).catch(() => 'not there'));
      await hundred(() => makeFolder(folder));
      await taken;
    }
  });

  test('what is there and is no folder is told, a link to nothing among it', async () => {
    const root = await tempDir('folders');
    await writeFile(join(root, 'file'), '');
    await symlink(join(root, 'nothing'), join(root, 'link'));
    for (const name of ['file', 'link']) {
      await expect(makeFolder(join(root, name))).rejects.toMatchObject({ code: 'EEXIST' });
    }
  });

  test.skipIf(!existsSync('/proc/self'))('a parent that takes no folders is an error, soon', async () => {
    await expect(makeFolder('/proc/none/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('a folder that somebody takes away while it is empty is made again, and what fails otherwise is told at once', async () => {
  const root = await tempDir('folders');
  const folder = join(root, 'a/b');
  let tries = 0;
  await inFolder(folder, 0o700, async () => {
    tries++;
    if (tries < 3) await rm(join(root, 'a'), { recursive: true });
    await writeFile(join(folder, 'note'), '');
  });
  expect([tries, existsSync(join(folder, 'note'))]).toEqual([3, true]);
  tries = 0;
  const taken = inFolder(folder, 0o700, async () => {
    tries++;
    await mkdir(join(folder, 'note'));
  });
  await expect(taken).rejects.toMatchObject({ code: 'EEXIST' });
  expect(tries).toBe(1);
});

test('what was made is taken back, but for a folder that somebody has put something into', async () => {
  const root = await tempDir('folders');
  const made = await makeFolder(join(root, 'a/b/c'));
  await writeFile(join(root, 'a/b/note'), '');
  await takeBack(made);
  expect([existsSync(join(root, 'a/b/c')), existsSync(join(root, 'a/b/note'))]).toEqual([false, true]);
});
