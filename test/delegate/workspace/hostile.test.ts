// A repository whose engineer wants our git to run something, or to carry out what it could not read itself.
import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { checkOut } from '../../../src/delegate/workspace/checkout.js';
import { commitAll, git, makeRepository, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { BRANCH, makePipe, spy, TOOLS, type Workspace, workspace } from '../../helpers/workspace.js';

const commit = (made: Workspace, subject = 'work'): string => {
  made.git('add', '--all');
  made.git('commit', '--quiet', '--message', subject);
  return made.git('rev-parse', 'HEAD');
};

const SECRET = 'a line that the engineer must not carry out';

/** A repository of somebody else on this machine; gives its commit. */
async function foreign(): Promise<{ path: string; objects: string; head: string; tree: string }> {
  const path = await makeRepository(join(await tempDir('foreign'), 'private'));
  await putFiles(path, { secret: `${SECRET}\n` });
  const head = commitAll(path, 'private');
  return { path, objects: join(path, '.git/objects'), head, tree: git(path, 'rev-parse', 'HEAD^{tree}') };
}

test('nothing that the repository or its tree names is run, from collecting to a fresh checkout', async () => {
  const made = await workspace({ 'a.txt': 'a\n' });
  const { tree, quarantine } = made.places;
  const trap = await tempDir('trap');
  const program = await spy(trap);
  const gitDir = join(tree, '.git');
  await putFiles(tree, { '.gitattributes': '* filter=evil diff=evil merge=evil\n', 'b.txt': 'b\n' });
  const submodule = await makeRepository(join(tree, 'sub'));
  await putFiles(submodule, { x: 'x' });
  commitAll(submodule, 'sub');
  const head = commit(made);
  // Everything is set once the engineer has made its commit, as a program that it started could.
  const hooks = join(trap, 'hooks');
  await mkdir(hooks);
  for (const hook of [
    'post-checkout',
    'post-index-change',
    'reference-transaction',
    'pre-push',
    'update',
    'fsmonitor-watchman',
  ]) {
    await writeFile(join(hooks, hook), `#!/bin/sh\n${program} hook ${hook}\n`);
    await chmod(join(hooks, hook), 0o755);
  }
  const settings = {
    'core.fsmonitor': program,
    'core.hooksPath': hooks,
    'core.sshCommand': program,
    'core.alternateRefsCommand': program,
    'core.pager': program,
    'core.editor': program,
    'core.gitProxy': program,
    'diff.external': program,
    'diff.evil.command': program,
    'diff.evil.textconv': program,
    'filter.evil.clean': program,
    'filter.evil.smudge': program,
    'filter.evil.process': program,
    'filter.evil.required': 'true',
    'uploadpack.packObjectsHook': program,
    'gpg.program': program,
    'log.showSignature': 'true',
    'credential.helper': `!${program}`,
    'remote.origin.url': `ext::${program}`,
    'remote.origin.promisor': 'true',
    'remote.origin.uploadpack': program,
    'extensions.partialClone': 'origin',
    'core.worktree': trap,
    'alias.status': `!${program}`,
  };
  const inner = join(trap, 'included');
  for (const [key, value] of Object.entries(settings)) git(trap, 'config', '--file', inner, key, `${value}`);
  await appendFile(join(gitDir, 'config'), `[include]\n\tpath = ${inner}\n`);
  await symlink(hooks, join(gitDir, 'hooks'));
  // Repositories in the tree, one of them bare, each with the same settings.
  const nested = await makeRepository(join(tree, 'nested'));
  for (const repository of [nested, submodule])
    await appendFile(join(repository, '.git/config'), `[include]\n\tpath = ${inner}\n`);
  await putFiles(submodule, { x: 'changed' });
  git(tree, '-c', 'core.fsmonitor=false', 'init', '--quiet', '--bare', 'planted');
  await appendFile(join(tree, 'planted/config'), `[include]\n\tpath = ${inner}\n`);
  await putFiles(tree, { 'a.txt': 'changed\n' });
  // The trap works: an ordinary git in that place steps into it.
  expect(() => git(tree, '-c', 'core.worktree=', '-c', 'alias.x=!true', 'fetch', 'origin')).toThrow();
  expect(await readFile(join(trap, 'ran'), 'utf8')).not.toBe('');
  await rm(join(trap, 'ran'));

  const collection = await made.collect();
  expect(collection).toMatchObject({
    kind: 'collected',
    collected: {
      head,
      changed: ['.gitattributes', 'b.txt', 'sub'],
      uncommitted: expect.arrayContaining(['a.txt', 'nested/', 'planted/']),
    },
  });
  const fresh = join(made.places.root, 'fresh');
  const order = { source: quarantine, commit: head, branch: BRANCH, tree: fresh, subdir: '' };
  expect(await checkOut(order, TOOLS)).toMatchObject({ kind: 'made' });
  expect(await readdir(trap)).not.toContain('ran');
});

const WAYS: Readonly<
  Record<string, (made: Workspace, other: Awaited<ReturnType<typeof foreign>>) => Promise<void>>
> = {
  alternates: async ({ places }, { objects }) => {
    await mkdir(join(places.tree, '.git/objects/info'), { recursive: true });
    await writeFile(join(places.tree, '.git/objects/info/alternates'), `${objects}\n`);
  },
  'a link to a folder of objects': async ({ places }, { objects, tree }) => {
    const own = join(places.tree, '.git/objects', tree.slice(0, 2));
    await rm(own, { recursive: true, force: true });
    await symlink(join(objects, tree.slice(0, 2)), own);
  },
  'a link to an object': async ({ places }, { objects, tree }) => {
    const at = (folder: string): string => join(folder, tree.slice(0, 2), tree.slice(2));
    await mkdir(join(places.tree, '.git/objects', tree.slice(0, 2)), { recursive: true });
    await symlink(at(objects), at(join(places.tree, '.git/objects')));
  },
  'a link to all objects': async ({ places }, { objects }) => {
    await rename(join(places.tree, '.git/objects'), join(places.tree, 'mine'));
    await symlink(objects, join(places.tree, '.git/objects'));
  },
  'a link to a git directory': async ({ places }, { path }) => {
    await rename(join(places.tree, '.git'), join(places.tree, 'mine'));
    await symlink(join(path, '.git'), join(places.tree, '.git'));
  },
  'a file that names a git directory': async ({ places }, { path }) => {
    await rename(join(places.tree, '.git'), join(places.tree, 'mine'));
    await writeFile(join(places.tree, '.git'), `gitdir: ${join(path, '.git')}\n`);
  },
  'a common directory': async ({ places }, { path }) => {
    await writeFile(join(places.tree, '.git/commondir'), `${join(path, '.git')}\n`);
  },
  'a tree that is a link': async ({ places }, { path }) => {
    await rename(places.tree, `${places.tree}.mine`);
    await symlink(path, places.tree);
  },
};

/** Words of the refusal, so that none of them fails for another reason. */
const WORDS: Readonly<Record<string, string>> = {
  alternates: 'bad tree object',
  'a link to a folder of objects': 'is a link or no folder',
  'a link to an object': 'is a link',
  'a link to all objects': 'its folder of objects is gone or a link',
  'a link to a git directory': '.git is no folder',
  'a file that names a git directory': '.git is no folder',
  'a common directory': 'bad tree object',
  'a tree that is a link': 'this is no folder any more',
};

test.each(Object.keys(WAYS))('objects of another repository do not travel: %s', async (way) => {
  const made = await workspace();
  const other = await foreign();
  // The engineer knows the names of what it may not read.
  await writeFile(
    join(made.places.tree, 'c'),
    `tree ${other.tree}\nparent ${made.base}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nx\n`,
  );
  const head = made.git('hash-object', '-w', '-t', 'commit', '--literally', 'c');
  await writeFile(join(made.places.tree, '.git/refs/heads', BRANCH), `${head}\n`);
  git(other.path, 'branch', BRANCH);
  await WAYS[way]?.(made, other);
  const collection = await made.collect();
  expect(collection).toMatchObject({ kind: 'failed', cause: 'workspace' });
  expect(collection.kind === 'failed' && collection.detail).toContain(WORDS[way]);
});

test('a branch that is a link, and a list of branches that is one, are not followed', async () => {
  for (const kind of ['ref', 'folder', 'packed'] as const) {
    const made = await workspace();
    const other = await foreign();
    git(other.path, 'branch', BRANCH);
    const refs = join(made.places.tree, '.git/refs/heads');
    if (kind === 'ref') {
      await rm(join(refs, BRANCH));
      await symlink(join(other.path, '.git/refs/heads', BRANCH), join(refs, BRANCH));
    } else {
      await rm(join(refs, 'bnerd'), { recursive: true });
      if (kind === 'folder') await symlink(join(other.path, '.git/refs/heads/bnerd'), join(refs, 'bnerd'));
      else {
        git(other.path, 'pack-refs', '--all');
        await symlink(join(other.path, '.git/packed-refs'), join(made.places.tree, '.git/packed-refs'));
      }
    }
    const collection = await made.collect();
    expect(collection, kind).toMatchObject({ kind: 'failed', cause: 'workspace' });
    expect(JSON.stringify(collection)).not.toContain(other.head);
  }
});

test('replaced, grafted and shallow history changes nothing of what is told', async () => {
  const made = await workspace();
  await putFiles(made.places.tree, { x: 'x\n' });
  const first = commit(made, 'first of mine');
  await putFiles(made.places.tree, { y: 'y\n' });
  const head = commit(made, 'second of mine');
  const orphan = made.git(
    'commit-tree',
    made.git('rev-parse', 'HEAD^{tree}'),
    '-p',
    made.base,
    '-m',
    'other',
  );
  made.git('replace', head, orphan);
  await writeFile(join(made.places.tree, '.git/shallow'), `${head}\n`);
  await mkdir(join(made.places.tree, '.git/info'), { recursive: true });
  await writeFile(join(made.places.tree, '.git/info/grafts'), `${head} ${made.base}\n`);
  expect(await made.collect()).toMatchObject({
    kind: 'collected',
    collected: { head, commits: [{ sha: head }, { sha: first }], changed: ['x', 'y'] },
  });
});

test('a history that hides behind a shallow mark is not taken', async () => {
  const made = await workspace();
  await putFiles(made.places.tree, { x: 'x\n' });
  // Its second parent is nowhere, which a shallow mark would excuse.
  await writeFile(
    join(made.places.tree, 'c'),
    `tree ${made.git('rev-parse', 'HEAD^{tree}')}\nparent ${made.base}\nparent ${'1'.repeat(40)}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nx\n`,
  );
  const head = made.git('hash-object', '-w', '-t', 'commit', '--literally', 'c');
  await writeFile(join(made.places.tree, '.git/refs/heads', BRANCH), `${head}\n`);
  await writeFile(join(made.places.tree, '.git/shallow'), `${head}\n`);
  expect(await made.collect()).toMatchObject({ kind: 'failed', cause: 'workspace' });
});

test('a pipe in the place of an object, an index or a branch does not keep us waiting', async () => {
  for (const where of ['objects/ab', 'pack', 'ref', 'packed-refs', 'HEAD'] as const) {
    const made = await workspace();
    const gitDir = join(made.places.tree, '.git');
    if (where === 'objects/ab') {
      await mkdir(join(gitDir, 'objects/ab'), { recursive: true });
      makePipe(join(gitDir, 'objects/ab', '1'.repeat(38)));
    } else if (where === 'pack') makePipe(join(gitDir, 'objects/pack', `pack-${'1'.repeat(40)}.idx`));
    else if (where === 'HEAD') {
      await rm(join(gitDir, 'HEAD'));
      makePipe(join(gitDir, 'HEAD'));
    } else {
      await rm(join(gitDir, 'refs/heads', BRANCH));
      makePipe(where === 'ref' ? join(gitDir, 'refs/heads', BRANCH) : join(gitDir, 'packed-refs'));
    }
    const collection = await made.collect();
    if (where === 'HEAD') expect(collection).toMatchObject({ collected: { strayed: 'nothing' } });
    else expect(collection, where).toMatchObject({ kind: 'failed', cause: 'workspace' });
  }
});

test('an index of a pack that lies about its objects brings nothing in under a wrong name', async () => {
  const made = await workspace();
  await putFiles(made.places.tree, { x: 'honest\n' });
  const head = commit(made);
  const blob = made.git('rev-parse', 'HEAD:x');
  made.git('repack', '-a', '-d', '--quiet');
  const packs = join(made.places.tree, '.git/objects/pack');
  const index = (await readdir(packs)).find((name) => name.endsWith('.idx')) ?? '';
  const bytes = await readFile(join(packs, index));
  const at = bytes.indexOf(Buffer.from(blob, 'hex'));
  const liar = Buffer.from(bytes);
  // The name of the blob becomes that of its neighbour's content.
  liar[at + 19] = (liar[at + 19] ?? 0) ^ 1;
  await chmod(join(packs, index), 0o600);
  await writeFile(join(packs, index), liar);
  expect(await made.collect()).toMatchObject({
    kind: 'failed',
    cause: 'workspace',
    detail: expect.stringContaining(head),
  });
});

test('an object that says it has gigabytes gets no memory for them', async () => {
  const made = await workspace();
  const name = 'e'.repeat(40);
  const objects = join(made.places.tree, '.git/objects');
  await mkdir(join(objects, 'ee'));
  await writeFile(join(objects, 'ee', 'e'.repeat(38)), deflateSync(`tree ${3 * 2 ** 30}\0short`));
  await writeFile(
    join(made.places.tree, 'c'),
    `tree ${name}\nparent ${made.base}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nx\n`,
  );
  const head = made.git('hash-object', '-w', '-t', 'commit', '--literally', 'c');
  await writeFile(join(made.places.tree, '.git/refs/heads', BRANCH), `${head}\n`);
  expect(await made.collect()).toMatchObject({
    kind: 'failed',
    detail: expect.stringContaining('over limit'),
  });
});
