import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programPath } from '../../src/shared/program-path.js';
import { tempDir } from '../helpers/temp-dir.js';

test('keeps absolute folders that exist and are no stranger’s, as they are written, in their order', async () => {
  const root = await tempDir('path');
  for (const name of ['own', 'theirs']) await mkdir(join(root, name));
  await symlink(join(root, 'theirs'), join(root, 'link'));
  const path = ['own', 'link', 'theirs', 'missing'].map((name) => join(root, name)).join(':');
  const isStrangers = (folder: string): boolean => folder === join(root, 'theirs');
  expect(await programPath(`${path}:bin:.:/usr/bin`, isStrangers)).toBe(`${join(root, 'own')}:/usr/bin`);
});

test.each(['', '.', ':', 'bin:', '/no/such/folder'])(
  'of %j nothing is left, which is never an empty path: that would be the current directory',
  async (path) => {
    expect(await programPath(path, () => false)).toBe('/usr/bin:/bin');
  },
);
