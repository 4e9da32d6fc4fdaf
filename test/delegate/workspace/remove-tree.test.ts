import { access, chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeTree } from '../../../src/delegate/workspace/remove-tree.js';
import { putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

test('a folder without rights goes, what its links lead to stays, and a missing one is no error', async () => {
  const root = await tempDir('remove');
  await putFiles(root, { 'kept/file': 'x', 'tree/a/b/file': 'x' });
  await mkdir(join(root, 'tree/closed/inner'), { recursive: true });
  await writeFile(join(root, 'tree/closed/inner/file'), 'x');
  await symlink(join(root, 'kept'), join(root, 'tree/a/link'));
  for (const folder of ['tree/closed/inner', 'tree/closed', 'tree/a']) await chmod(join(root, folder), 0);
  await removeTree(join(root, 'tree'));
  expect(await readdir(root)).toEqual(['kept']);
  await access(join(root, 'kept/file'));
  await removeTree(join(root, 'tree'));
});
