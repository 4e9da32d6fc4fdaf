import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acceptedKeys, acceptKeys, openIdentity } from '../../../src/delegate/runner/identity.js';
import { newKeyPair } from '../../../src/shared/signature.js';
import { accepted } from '../../helpers/briefs.js';
import { tempDir } from '../../helpers/temp-dir.js';

test('an identity is made once, for its owner alone, and is the same ever after, however many ask at once', async () => {
  const workdir = join(await tempDir('identity'), 'runner');
  const opened = await Promise.all(['a', 'b', 'c'].map((name) => openIdentity(workdir, name)));
  const [first] = opened;
  expect(first).toMatchObject({
    kind: 'ready',
    identity: { pair: { id: expect.stringMatching(/^[0-9a-f]{16}$/) } },
  });
  for (const each of [...opened, await openIdentity(workdir, 'another')]) expect(each).toEqual(first);
  expect((await stat(join(workdir, 'identity.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(workdir)).mode & 0o777).toBe(0o700);
  expect(await readdir(workdir)).toEqual(['identity.json']);
});

test('an identity that others may read, that is damaged, or whose halves do not fit is refused by its path', async () => {
  const workdir = await tempDir('identity');
  const path = join(workdir, 'identity.json');
  await openIdentity(workdir, 'a');
  const text = await readFile(path, 'utf8');
  await chmod(path, 0o640);
  expect(await openIdentity(workdir, 'a')).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining(`${path} may be read by others (mode 640)`),
  });
  await chmod(path, 0o600);
  for (const [bad, what] of [
    ['{', 'is not JSON'],
    ['{}', 'is no file of keys'],
    [JSON.stringify({ ...JSON.parse(text), secret: newKeyPair().secret }), 'no key pair'],
    [JSON.stringify({ ...JSON.parse(text), secret: 'x' }), 'no key pair'],
    [JSON.stringify({ ...JSON.parse(text), name: '../x' }), 'name: up to 64'],
  ]) {
    await writeFile(path, bad ?? '');
    const refused = await openIdentity(workdir, 'a');
    expect(refused).toMatchObject({ kind: 'refused', message: expect.stringContaining(what ?? '') });
    expect(JSON.stringify(refused)).not.toContain(JSON.parse(text).secret);
  }
});

test('whom it obeys is read as it was written, and a key with the id of another is refused', async () => {
  const workdir = join(await tempDir('keys'), 'runner');
  expect(await acceptedKeys(workdir)).toEqual({ kind: 'missing' });
  const keys = [accepted(newKeyPair(), 'worker'), accepted(newKeyPair(), 'operator', { retired: true })];
  await acceptKeys(workdir, keys);
  expect(await acceptedKeys(workdir)).toEqual({ kind: 'read', value: keys });
  await acceptKeys(workdir, keys.slice(0, 1));
  expect(await acceptedKeys(workdir)).toMatchObject({ value: [keys[0]] });
  await acceptKeys(workdir, [accepted({ ...newKeyPair(), id: '0'.repeat(16) }, 'worker')]);
  expect(await acceptedKeys(workdir)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('is not the id of its key'),
  });
});
