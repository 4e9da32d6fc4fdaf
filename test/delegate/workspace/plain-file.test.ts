import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  isPlainFolder,
  liesAt,
  openPlainFile,
  readPlainFile,
} from '../../../src/delegate/workspace/plain-file.js';
import { putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { makePipe } from '../../helpers/workspace.js';

test('a regular file is read to its bound; a link, a pipe, a folder and one that is too long are not', async () => {
  const root = await tempDir('plain');
  await writeFile(join(root, 'file'), 'twelve bytes');
  await symlink('file', join(root, 'link'));
  makePipe(join(root, 'pipe'));
  const read = (name: string, bytes = 12) => readPlainFile(join(root, name), bytes);
  expect(await read('file')).toEqual({ kind: 'read', bytes: Buffer.from('twelve bytes') });
  expect(await read('file', 11)).toEqual({ kind: 'unusable', why: 'has more than 11 bytes' });
  expect(await read('link')).toEqual({ kind: 'unusable', why: 'is a link' });
  expect(await read('pipe')).toEqual({ kind: 'unusable', why: 'is no regular file' });
  expect(await read('.')).toEqual({ kind: 'unusable', why: 'is no regular file' });
  for (const name of ['missing', 'file/below']) expect(await read(name)).toEqual({ kind: 'missing' });
});

test('a folder behind a link is none, and a file that was opened through one does not lie where its path says', async () => {
  const root = await tempDir('plain');
  await putFiles(root, { 'real/inner/file': 'x' });
  await symlink('real', join(root, 'link'));
  expect(await isPlainFolder(join(root, 'real/inner'))).toBe(true);
  for (const path of ['link', 'link/inner', 'real/inner/file', 'missing'])
    expect(await isPlainFolder(join(root, path))).toBe(false);
  for (const [path, lies] of [
    ['real/inner/file', true],
    ['link/inner/file', false],
  ] as const) {
    const opened = await openPlainFile(join(root, path));
    if (opened.kind !== 'open') throw new Error(path);
    expect(await liesAt(opened.file, join(root, path))).toBe(lies || process.platform !== 'linux');
    await opened.file.close();
  }
});
