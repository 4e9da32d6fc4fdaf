import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isPair } from '../../../src/delegate/keys/key-file.js';
import { KeyFolder } from '../../../src/delegate/keys/key-folder.js';
import { systemClock } from '../../../src/shared/clock.js';
import { newKeyPair, signed } from '../../../src/shared/signature.js';
import { tempDir } from '../../helpers/temp-dir.js';

async function folder(): Promise<{ home: string; keys: KeyFolder; at: (...path: string[]) => string }> {
  const home = await tempDir('keys');
  return { home, keys: new KeyFolder(home, systemClock), at: (...path) => join(home, 'keys', ...path) };
}

test('the newest pair of a role that counts is the one that signs; what is retired does not', async () => {
  const { keys } = await folder();
  expect(await keys.ownPair('worker')).toBeUndefined();
  const first = await keys.init('worker');
  if (first.kind === 'refused') throw new Error(first.message);
  await keys.init('runner');
  const pair = await keys.ownPair('worker');
  expect(pair?.id).toBe(first.key.id);
  expect(isPair(pair ?? newKeyPair())).toBe(true);
  expect(await keys.retire(first.key.id)).toMatchObject({
    kind: 'done',
    key: { retiredAt: expect.any(String) },
  });
  expect(await keys.ownPair('worker')).toBeUndefined();
});

test('several keys count at once, each under its name and for what it may sign; a retired one is known as that', async () => {
  const { keys } = await folder();
  const pairs = [newKeyPair(), newKeyPair(), newKeyPair()];
  const accepts = await Promise.all(
    pairs.map(({ key }, at) => keys.accept(key, `vm-0${at}`, at === 0 ? 'worker' : 'runner')),
  );
  expect(accepts.map(({ kind }) => kind)).toEqual(['done', 'done', 'done']);
  await keys.retire(pairs[1]?.id ?? '');
  const { keys: counted } = await keys.accepted();
  expect(new Map(counted.map(({ id, role, retired }) => [id, [role, retired]]))).toEqual(
    new Map(pairs.map(({ id }, at) => [id, [at === 0 ? 'worker' : 'runner', at === 1]])),
  );
  // Its name is free for another, and so is the key.
  expect(await keys.accept(newKeyPair().key, 'vm-01', 'runner')).toMatchObject({ kind: 'done' });
  expect(await keys.accept(pairs[1]?.key ?? '', 'vm-01', 'runner')).toMatchObject({ kind: 'refused' });
  expect(await keys.accept(pairs[1]?.key ?? '', 'vm-09', 'runner')).toMatchObject({ kind: 'done' });
});

test('a beginning that names two keys retires none', async () => {
  const { keys } = await folder();
  for (let at = 0; at < 17; at++) await keys.accept(newKeyPair().key, `vm-${at}`, 'runner');
  const ids = (await keys.list()).keys.map(({ id }) => id);
  const first = ids.map((id) => id.slice(0, 1)).find((one, at, all) => all.indexOf(one) !== at) ?? '';
  expect(await keys.retire(first)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('write more of it'),
  });
  expect(await keys.retire('')).toMatchObject({ kind: 'refused' });
  expect((await keys.list()).keys.every(({ retiredAt }) => retiredAt === null)).toBe(true);
});

test('a file that is damaged, swapped, or open to others is told by its path, and the others count', async () => {
  const { keys, at } = await folder();
  const own = await keys.init('operator');
  const good = newKeyPair();
  await keys.accept(good.key, 'good', 'runner');
  await keys.accept(newKeyPair().key, 'moved', 'runner');
  const [moved = ''] = (await readdir(at('accepted'))).filter((name) => !name.startsWith(good.id));
  await rename(at('accepted', moved), at('accepted', `${'0'.repeat(16)}.json`));
  await writeFile(at('accepted', `${'1'.repeat(16)}.json`), '{');
  if (own.kind === 'refused') throw new Error(own.message);
  const path = at('own', `${own.key.id}.json`);
  await chmod(path, 0o644);
  const { keys: counted, problems } = await keys.list();
  expect(counted.map(({ id }) => id)).toEqual([good.id]);
  expect(problems).toEqual([
    expect.stringContaining(`${path} may be read by others (mode 644)`),
    expect.stringContaining('is not the file of its key'),
    expect.stringContaining('is not JSON'),
  ]);
  expect(problems.join()).not.toContain(JSON.parse(await readFile(path, 'utf8')).secret);
  // What such a file says signs nothing.
  expect(await keys.ownPair('operator')).toBeUndefined();
});

test.each(['.', 'own', 'accepted'])(
  'where others may write (%s) no key counts, and none is made',
  async (part) => {
    const { keys, at } = await folder();
    await keys.init('operator');
    await keys.accept(newKeyPair().key, 'vm-07', 'runner');
    await chmod(at(part), 0o770);
    const why = expect.stringContaining(`${at(part)} may be written by others (mode 770)`);
    expect(await keys.list()).toEqual({ keys: [], problems: [why] });
    expect(await keys.accepted()).toEqual({ keys: [], problems: [why] });
    expect(await keys.ownPair('operator')).toBeUndefined();
    expect(await keys.init('worker')).toEqual({ kind: 'refused', message: why });
    const accepted = await keys.accept(newKeyPair().key, 'vm-08', 'runner');
    expect(accepted).toEqual({ kind: 'refused', message: why });
    await chmod(at(part), 0o700);
    expect((await keys.list()).keys).toHaveLength(2);
  },
);

test('a key can be typed behind a command, and halves that do not fit are no pair', () => {
  for (let at = 0; at < 100; at++) expect(newKeyPair().key).not.toMatch(/^-/);
  const [one, other] = [newKeyPair(), newKeyPair()];
  expect(isPair({ ...one, secret: other.secret })).toBe(false);
  expect(isPair({ ...one, secret: '' })).toBe(false);
  expect(isPair({ ...one, id: other.id })).toBe(false);
  expect(signed('accepted', {}, one)).toMatchObject({ key_id: one.id });
});
