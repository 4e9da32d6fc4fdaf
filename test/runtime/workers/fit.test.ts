// Which teams the bounds of a worker keep out (spec/engine.md §3).
import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outOfBounds } from '../../../src/runtime/workers/fit.js';
import { tempDir } from '../../helpers/temp-dir.js';

const of = (path: string, ...workspaceRoots: readonly string[]): Promise<string | undefined> =>
  outOfBounds(
    { safety: 'full', workspace: { path, kind: 'directory' } },
    { maxSafety: 'full', workspaceRoots },
  );

test('a workspace lies in the root where it leads into it, whatever its path looks like', async () => {
  const folder = await realpath(await tempDir('bounds'));
  const [root, outside] = [join(folder, 'root'), join(folder, 'outside')];
  await mkdir(join(root, 'team'), { recursive: true });
  await mkdir(outside);
  await symlink(outside, join(root, 'out'));
  await symlink(join(root, 'team'), join(folder, 'in'));
  for (const path of ['root', 'root/team', 'root/not/there', 'root/x/../team', 'in', 'in/new'])
    expect(await of(join(folder, path), root), path).toBeUndefined();
  for (const path of ['outside', 'root/out', 'root/out/new', 'root-2', 'root/out/../../outside'])
    expect(await of(join(folder, path), root), path).toMatch(/lies outside of --workspace-root/);
  expect(await of(`${root}/../outside`, root)).toMatch(/lies outside of --workspace-root/);
  expect(await of(`${root}/not/there/../../../outside`, root)).toMatch(/lies outside of --workspace-root/);
});

test('of several roots it lies in one; outside of all of them it is refused with every one named', async () => {
  const folder = await realpath(await tempDir('bounds'));
  const [one, two, three] = ['one', 'two', 'three'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const root of [one, two, three]) await mkdir(root);
  await symlink(three, join(one, 'out'));
  for (const path of [one, join(one, 'team'), join(two, 'team', 'deep')])
    expect(await of(path, one, two), path).toBeUndefined();
  for (const path of [three, join(one, 'out'), folder])
    expect(await of(path, one, two), path).toBe(
      `its workspace ${path} lies outside of --workspace-root ${one}, ${two}`,
    );
});

test('a team that is looser than the worker may serve is kept out, by name', async () => {
  const run = { safety: 'non-destructive', workspace: { path: '/w', kind: 'directory' } } as const;
  const bounds = { maxSafety: 'read-only', workspaceRoots: [] } as const;
  expect(await outOfBounds(run, bounds)).toBe(
    'its safety non-destructive is looser than --max-safety read-only',
  );
  expect(await outOfBounds({ ...run, safety: 'read-only' }, bounds)).toBeUndefined();
});
