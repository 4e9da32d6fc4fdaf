import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { syncFolder, writeNewFile } from '../../src/shared/durable-file.js';
import { tempDir } from '../helpers/temp-dir.js';

test('a new file has the text and the mode that were asked for, and never replaces another', async () => {
  const folder = await tempDir('durable');
  const path = join(folder, 'note');
  await writeNewFile(path, 'first\n', 0o600);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(writeNewFile(path, 'second\n')).rejects.toMatchObject({ code: 'EEXIST' });
  expect([await readFile(path, 'utf8'), await readdir(folder)]).toEqual(['first\n', ['note']]);
});

test('a folder that is not there cannot be synced', async () => {
  const folder = await tempDir('durable');
  await syncFolder(folder);
  await expect(syncFolder(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});
