import { appendFile, chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trustStamp } from '../../../src/catalog/trust/trust-stamp.js';
import { tempDir } from '../../helpers/temp-dir.js';

test('the stamp is the same until a trust file, or who may write it, has changed', async () => {
  const root = await tempDir('stamp');
  const own = join(root, 'home/trust.yaml');
  const extra = join(root, 'ci.yaml');
  await mkdir(join(root, 'home'), { mode: 0o700 });
  const stamp = (): Promise<string> => trustStamp({ own, extra: [extra] });
  const changes: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['put in place', () => writeFile(own, 'version: 1\n', { mode: 0o600 })],
    ['written to', () => appendFile(own, '# x\n')],
    [
      'replaced by another of the same size',
      async () => {
        await writeFile(`${own}.part`, 'version: 1\n# y\n', { mode: 0o600 });
        await rename(`${own}.part`, own);
      },
    ],
    ['made writable for others', () => chmod(own, 0o622)],
    ['its folder made writable for others', () => chmod(join(root, 'home'), 0o722)],
    ['a file that was named put in place', () => writeFile(extra, '')],
    ['and taken away', () => rm(extra)],
    ['the own one taken away', () => rm(own)],
  ];
  for (const [what, change] of changes) {
    const before = await stamp();
    expect(await stamp()).toBe(before);
    await writeFile(join(root, 'home/other'), what);
    expect(await stamp()).toBe(before);
    await change();
    expect(await stamp(), what).not.toBe(before);
  }
});
