import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockFileOf } from '../../src/events/lock-file.js';
import {
  highestGeneration,
  makeGeneration,
  overwriteGeneration,
  pruneGenerations,
  touchGeneration,
} from '../../src/events/lock-generations.js';
import { processIdentity } from '../../src/shared/process-identity.js';
import { tempDir } from '../helpers/temp-dir.js';

const file = lockFileOf(await processIdentity(), '2026-01-02T03:04:05.678Z');

async function lockFolder(): Promise<string> {
  const folder = join(await tempDir('lock'), 'lock');
  await mkdir(folder);
  return folder;
}

test('a generation is made once, and is complete when it is there', async () => {
  const folder = await lockFolder();
  expect(await highestGeneration(folder)).toBeUndefined();
  const made = await Promise.all(Array.from({ length: 10 }, () => makeGeneration(folder, 1, file)));
  expect(made.filter(Boolean)).toHaveLength(1);
  expect(await highestGeneration(folder)).toMatchObject({ number: 1, file });
  expect(await readdir(folder)).toEqual(['1.json']);
});

test('who slept between looking and linking, and makes a generation pruned long ago, does not get the lock', async () => {
  const folder = await lockFolder();
  for (let number = 1; number <= 30; number++) expect(await makeGeneration(folder, number, file)).toBe(true);
  await pruneGenerations(folder, 30);
  expect(await makeGeneration(folder, 2, file)).toBe(false);
  expect(await highestGeneration(folder)).toMatchObject({ number: 30 });
});

test('a beat of a generation that is no longer the highest is refused', async () => {
  const folder = await lockFolder();
  await makeGeneration(folder, 1, file);
  expect(await touchGeneration(folder, 1, 1_000_000)).toBe(true);
  expect(await highestGeneration(folder)).toMatchObject({ beatMs: 1_000_000 });
  await makeGeneration(folder, 2, file);
  expect(await touchGeneration(folder, 1, 2_000_000)).toBe(false);
});

test('a release in place, for a full disk, is as long as what it replaces and can be read', async () => {
  const folder = await lockFolder();
  const named = { ...file, socket: '/tmp/a/long/path/of/a/socket' };
  await makeGeneration(folder, 1, named);
  const before = await readFile(join(folder, '1.json'));
  await overwriteGeneration(folder, 1, { ...file, released: true });
  const after = await readFile(join(folder, '1.json'));
  expect(after).toHaveLength(before.length);
  expect(await highestGeneration(folder)).toMatchObject({ file: { ...file, released: true } });
});
