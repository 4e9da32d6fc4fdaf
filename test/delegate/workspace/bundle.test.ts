import { randomBytes } from 'node:crypto';
import { access, lstat, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../../../src/delegate/workspace/bundle.js';
import { push } from '../../../src/delegate/workspace/push.js';
import { sha256 } from '../../../src/shared/digest.js';
import { gitServer } from '../../helpers/git-http.js';
import { git, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { BRANCH, spy, TOOLS, type Workspace, workspace } from '../../helpers/workspace.js';

async function worked(text = 'work\n'): Promise<Workspace & { head: string }> {
  const made = await workspace();
  await putFiles(made.places.tree, { 'work.txt': text });
  made.git('add', '.');
  made.git('commit', '--quiet', '-m', 'work');
  const head = made.git('rev-parse', 'HEAD');
  expect(await made.collect()).toMatchObject({ kind: 'collected', collected: { head } });
  return { ...made, head };
}

test('a bundle has the branch alone, needs the base alone, and is told by size and digest', async () => {
  const made = await worked();
  const path = join(await tempDir('bundle'), 'bundle');
  const order = {
    quarantine: made.places.quarantine,
    base: made.base,
    head: made.head,
    branch: BRANCH,
    path,
  };
  const bundled = await bundle(order, TOOLS);
  const bytes = await readFile(path);
  expect(bundled).toEqual({ kind: 'bundled', path, bytes: bytes.length, sha256: sha256(bytes) });
  const header = bytes.subarray(0, bytes.indexOf('\n\n')).toString();
  expect(header).toBe(`# v2 git bundle\n-${made.base} second\n${made.head} refs/heads/${BRANCH}`);
  git(made.source, 'fetch', '--quiet', path, `refs/heads/${BRANCH}:refs/heads/${BRANCH}`);
  expect(git(made.source, 'rev-parse', BRANCH)).toBe(made.head);
});

test('a link that was planted where it is written goes, and what it leads to stays', async () => {
  const { places, base, head } = await worked();
  const [path, other] = [join(places.root, 'bundle'), join(await tempDir('other'), 'file')];
  await writeFile(other, 'mine');
  await symlink(other, path);
  const order = { quarantine: places.quarantine, base, head, branch: BRANCH, path };
  expect(await bundle(order, TOOLS)).toMatchObject({ kind: 'bundled', path });
  expect(await readFile(other, 'utf8')).toBe('mine');
  expect((await lstat(path)).isFile()).toBe(true);
});

test('one that is larger than its bound is a failure that names both, and leaves no file', async () => {
  const made = await worked(randomBytes(30_000).toString('hex'));
  const path = join(await tempDir('bundle'), 'bundle');
  const order = {
    quarantine: made.places.quarantine,
    base: made.base,
    head: made.head,
    branch: BRANCH,
    path,
    maxBytes: 20_000,
  };
  const bundled = await bundle(order, TOOLS);
  expect(bundled).toMatchObject({ kind: 'failed', cause: 'result_too_large' });
  expect(bundled.kind === 'failed' && bundled.detail).toMatch(/3\d{4} bytes; at most 20000/);
  await expect(access(path)).rejects.toThrow('ENOENT');
  const again = await bundle({ ...order, base: '1'.repeat(40) }, TOOLS);
  expect(again).toMatchObject({ kind: 'failed', cause: 'workspace' });
});

test('a branch that was moved since it was collected is not bundled', async () => {
  const made = await worked();
  const path = join(await tempDir('bundle'), 'bundle');
  const { quarantine } = made.places;
  git(quarantine, '--git-dir=.', 'update-ref', `refs/heads/${BRANCH}`, made.base);
  const order = { quarantine, base: made.base, head: made.head, branch: BRANCH, path };
  const moved = await bundle(order, TOOLS);
  expect(moved).toMatchObject({
    kind: 'failed',
    cause: 'workspace',
    detail: expect.stringContaining('any more'),
  });
  await expect(access(path)).rejects.toThrow('ENOENT');
});

test('a push makes the branch, does nothing the second time, and never moves one that is there', async () => {
  const made = await worked();
  const target = join(await tempDir('target'), 'target.git');
  git(made.source, 'clone', '--quiet', '--bare', '.', target);
  const trap = await tempDir('trap');
  const program = await spy(trap);
  git(target, '--git-dir=.', 'config', 'core.fsmonitor', program);
  await putFiles(target, {
    'hooks/pre-receive': `#!/bin/sh\n${program} hook\n`,
    'hooks/update': `#!/bin/sh\n${program}\n`,
  });
  for (const hook of ['pre-receive', 'update'])
    git(target, '--git-dir=.', '-c', `alias.c=!chmod 755 hooks/${hook}`, 'c');
  const order = { quarantine: made.places.quarantine, repo: target, branch: BRANCH, head: made.head };
  for (let time = 0; time < 2; time++)
    expect(await push(order, made.settings, TOOLS)).toEqual({ kind: 'pushed' });
  expect(git(target, '--git-dir=.', 'rev-parse', BRANCH)).toBe(made.head);
  git(target, '--git-dir=.', 'update-ref', `refs/heads/${BRANCH}`, made.base);
  const moved = await push(order, made.settings, TOOLS);
  expect(moved).toMatchObject({
    kind: 'failed',
    detail: expect.stringContaining(`there already, at ${made.base}`),
  });
  expect(git(target, '--git-dir=.', 'rev-parse', BRANCH)).toBe(made.base);
  await expect(access(join(trap, 'ran'))).rejects.toThrow('ENOENT');
});

test('a push that the far side does not take says why and what to do', async () => {
  const made = await worked();
  const server = await gitServer(join(made.source, '..'));
  const order = { quarantine: made.places.quarantine, branch: BRANCH, head: made.head };
  const settings = { protocols: ['http'], env: {} };
  const refused = await push({ ...order, repo: `${server.url}/repository/.git` }, settings, TOOLS);
  expect(refused).toMatchObject({ kind: 'failed', detail: expect.stringContaining('runner.git-env') });
  const far = await push({ ...order, repo: 'https://example.invalid/x' }, settings, TOOLS);
  expect(far).toMatchObject({ kind: 'failed', detail: expect.stringContaining('does not use https') });
});
