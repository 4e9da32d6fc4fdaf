// The folder of a runner that stands is one process's (spec/runner.md §3 "Keys").
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdWorkdir } from '../../../src/delegate/runner/hold-workdir.js';
import { processIdentity } from '../../../src/shared/process-identity.js';
import { tempDir } from '../../helpers/temp-dir.js';

test('held by one process it is refused to others, and free again when it is released', async () => {
  const workdir = await tempDir('runner');
  const first = await holdWorkdir(workdir);
  expect(first.kind).toBe('held');
  expect(await holdWorkdir(workdir)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining(`process ${process.pid} is the runner with this folder`),
  });
  if (first.kind === 'held') await first.release();
  expect((await holdWorkdir(workdir)).kind).toBe('held');
});

test('of many that ask at once where its process is gone, one has it', async () => {
  const workdir = await tempDir('runner');
  const gone = { ...(await processIdentity()), startedAt: '1' };
  await writeFile(join(workdir, 'standing.json'), JSON.stringify({ v: 1, process: gone, nonce: 'old' }));
  const all = await Promise.all(Array.from({ length: 8 }, () => holdWorkdir(workdir)));
  expect(all.filter(({ kind }) => kind === 'held')).toHaveLength(1);
});

test.each([
  ['a process on another machine', { bootId: 'another boot', machineId: 'another machine', host: 'vm-9' }],
])('%s is not taken for gone: it is named, with what to do', async (_, change) => {
  const workdir = await tempDir('runner');
  const path = join(workdir, 'standing.json');
  const text = JSON.stringify({ v: 1, process: { ...(await processIdentity()), ...change }, nonce: 'n' });
  await writeFile(path, text);
  expect(await holdWorkdir(workdir)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('when you know that it is gone, remove the file'),
  });
  expect(await readFile(path, 'utf8')).toBe(text);
});

test('what nobody of ours has written is left alone', async () => {
  const workdir = await tempDir('runner');
  await writeFile(join(workdir, 'standing.json'), 'not JSON');
  expect((await holdWorkdir(workdir)).kind).toBe('refused');
});
