import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Collected } from '../../../src/delegate/workspace/workspace.js';
import { git, putFiles } from '../../helpers/repository.js';
import { BRANCH, makePipe, TOOLS, type Workspace, workspace } from '../../helpers/workspace.js';

const commit = (made: Workspace, subject: string): string => {
  made.git('add', '--all');
  made.git('commit', '--quiet', '--message', subject);
  return made.git('rev-parse', 'HEAD');
};

async function collected(made: Workspace, change?: Parameters<Workspace['collect']>[0]): Promise<Collected> {
  const collection = await made.collect(change);
  if (collection.kind !== 'collected') throw new Error(collection.detail);
  return collection.collected;
}

test('commits, files, guarded files, artifacts and what is not committed are told', async () => {
  const made = await workspace({ '.gitignore': 'ignored/\n', 'old.txt': 'x\n' });
  const { tree } = made.places;
  await putFiles(tree, { 'src/b.ts': 'b\n', 'test/b.test.ts': 'b\nc\n', 'docs/out.md': 'x\n' });
  const first = commit(made, 'feat: b');
  made.git('mv', 'old.txt', 'new.txt');
  await symlink('docs/out.md', join(tree, 'link.md'));
  const second = commit(made, 'move');
  await putFiles(tree, { 'README.md': 'changed\n', 'loose/file': 'x', 'ignored/file': 'x' });
  await rm(join(tree, 'src/a.ts'));
  made.git('add', 'README.md');
  const order = {
    protect: ['test/**', '.ci/**', 'old.*'],
    artifacts: ['docs/out.md', 'docs/missing.md', 'link.md', 'docs'],
  };
  expect(await collected(made, order)).toEqual({
    head: second,
    strayed: null,
    commits: [
      { sha: second, subject: 'move' },
      { sha: first, subject: 'feat: b' },
    ],
    diffstat: { files: 6, insertions: 6, deletions: 1 },
    changed: ['docs/out.md', 'link.md', 'new.txt', 'old.txt', 'src/b.ts', 'test/b.test.ts'],
    protected: ['old.txt', 'test/b.test.ts'],
    uncommitted: ['README.md', 'loose/', 'src/a.ts'],
    missingArtifacts: ['docs/missing.md', 'link.md', 'docs'],
    leftOut: { commits: 0, changed: 0, protected: 0, uncommitted: 0 },
  });
  expect(git(made.places.quarantine, '--git-dir=.', 'rev-parse', BRANCH)).toBe(second);
});

test('without a commit there is no head; a HEAD that stands elsewhere is told', async () => {
  const made = await workspace();
  expect(await collected(made)).toMatchObject({ head: null, commits: [], changed: [], strayed: null });
  made.git('switch', '--quiet', '--create', 'feature/mine');
  await putFiles(made.places.tree, { x: 'x' });
  commit(made, 'on another branch');
  expect(await collected(made)).toMatchObject({ head: null, strayed: 'refs/heads/feature/mine' });
});

test('a repository that was packed anew is taken as well as one of loose objects', async () => {
  const made = await workspace();
  await putFiles(made.places.tree, { x: 'x' });
  const head = commit(made, 'x');
  expect(await collected(made)).toMatchObject({ head });
  made.git('repack', '-a', '-d', '--quiet');
  made.git('pack-refs', '--all');
  expect(await collected(made)).toMatchObject({ head, changed: ['x'] });
});

test('a name that hides what it is is shown, and no line break takes a file from a glob', async () => {
  const made = await workspace();
  await putFiles(made.places.tree, {
    'test/a\nb.ts': 'x',
    'test/\u202eevil\u001b[2J.ts': 'x',
    'test/.env': 'x',
  });
  commit(made, 'feat: \u001b[31mred\u202e');
  await putFiles(made.places.tree, { 'bad\nname': 'x' });
  expect(await collected(made, { protect: ['test/**'] })).toMatchObject({
    commits: [{ subject: 'feat: [31mred' }],
    protected: ['test/.env', 'test/a\\u{a}b.ts', 'test/\\u{202e}evil\\u{1b}[2J.ts'],
    uncommitted: ['bad\\u{a}name'],
  });
});

test('lists are bounded and what is left out is counted', async () => {
  const made = await workspace();
  await putFiles(made.places.tree, { x: 'x' });
  const tree = commit(made, 'x') && made.git('write-tree');
  let head = made.git('rev-parse', 'HEAD');
  for (let at = 0; at < 20; at++) head = made.git('commit-tree', tree, '-p', head, '-m', `c${at}`);
  made.git('reset', '--quiet', '--soft', head);
  // A thousand commits at once, without a thousand starts of git.
  const stream = Array.from(
    { length: 1_000 },
    (_, at) =>
      `commit refs/heads/${BRANCH}\ncommitter a <a@example.org> ${at} +0000\ndata 1\nx\n${at === 0 ? `from ${head}\n` : ''}`,
  );
  const many = Array.from({ length: 10_050 }, (_, at) => `M 100644 inline many/${at}\ndata 1\nx\n`);
  await writeFile(join(made.places.tree, 'stream'), [...stream, ...many].join(''));
  made.git('-c', 'alias.take=!git fast-import --quiet < stream', 'take');
  const work = await collected(made, { protect: ['many/**'] });
  expect(work.commits).toHaveLength(1_000);
  expect(work.changed).toHaveLength(10_000);
  // All of `many/` is missing from the tree, which nobody has checked out.
  expect(work.uncommitted).toHaveLength(1_000);
  expect(work.leftOut).toEqual({ commits: 21, changed: 51, protected: 50, uncommitted: 9_051 });
  expect(work.diffstat.files).toBe(10_051);
});

test('lists of long names are bounded by their bytes as well, so that a result can always be read', async () => {
  const made = await workspace();
  const deep = Array.from({ length: 4 }, () => '\u0001'.repeat(200)).join('/');
  const files = Array.from(
    { length: 2_000 },
    (_, at) => `M 100644 inline "${deep.replaceAll('\u0001', '\\001')}/${at}"\ndata 1\nx\n`,
  );
  const commits = Array.from(
    { length: 1_000 },
    (_, at) =>
      `commit refs/heads/${BRANCH}\ncommitter a <a@example.org> ${at} +0000\ndata 600\n${'€'.repeat(200)}\n${at === 0 ? `from ${made.base}\n` : ''}`,
  );
  await writeFile(join(made.places.tree, 'stream'), [...commits, ...files].join(''));
  made.git('-c', 'alias.take=!git fast-import --quiet < stream', 'take');
  const work = await collected(made, { protect: ['**'] });
  expect(work.diffstat.files).toBe(2_000);
  expect(work.leftOut.changed).toBe(2_000 - work.changed.length);
  expect(work.leftOut.commits).toBe(1_000 - work.commits.length);
  expect(work.leftOut.commits).toBeGreaterThan(0);
  expect(work.protected.length).toBeLessThan(work.changed.length);
  expect(Buffer.byteLength(JSON.stringify(work))).toBeLessThan(1_150_000);
});

test('what is too large is refused by its bound', async () => {
  const made = await workspace();
  await putFiles(made.places.tree, { x: 'x', y: randomBytes(20_000).toString('base64') });
  commit(made, 'x');
  const bounds = { bytes: 1 << 20, files: 100, objects: 100 };
  for (const [change, words] of [
    [{ bytes: 10 }, 'more than'],
    [{ files: 2 }, 'more than 2 files of objects'],
    [{ objects: 3 }, '4 new objects; at most 3'],
  ] as const) {
    const collection = await made.collect({ bounds: { ...bounds, ...change } });
    expect(collection).toMatchObject({ kind: 'failed', cause: 'result_too_large' });
    expect(collection.kind === 'failed' && collection.detail).toContain(words);
  }
  expect(await made.collect({ bounds })).toMatchObject({ kind: 'collected' });
});

type Harm = (made: Workspace) => unknown;

test.each<[string, Harm, string]>([
  [
    'the branch begins elsewhere',
    (made) => made.git('reset', '--quiet', '--soft', 'HEAD~1') + commit(made, 'other'),
    'has rewritten the history',
  ],
  [
    'the branch is removed',
    (made) => made.git('switch', '--quiet', '--orphan', 'x') + made.git('branch', '-D', BRANCH),
    'is gone',
  ],
  ['the branch is renamed', (made) => made.git('branch', '-m', 'renamed'), 'is gone'],
  [
    'the branch names nothing',
    (made) => writeFile(join(made.places.tree, '.git/refs/heads', BRANCH), `${'0'.repeat(39)}1\n`),
    '0000000000000001',
  ],
  [
    'the branch names a branch',
    (made) => writeFile(join(made.places.tree, '.git/refs/heads', BRANCH), 'ref: refs/heads/x\n'),
    'names no commit',
  ],
  [
    'the branch names a tree',
    (made) =>
      writeFile(join(made.places.tree, '.git/refs/heads', BRANCH), made.git('rev-parse', 'HEAD^{tree}')),
    'git says',
  ],
  [
    'the repository is removed',
    (made) => rm(join(made.places.tree, '.git'), { recursive: true }),
    '.git is no folder',
  ],
  [
    'an object is missing',
    async (made) => {
      await putFiles(made.places.tree, { x: 'x' });
      commit(made, 'x');
      const blob = made.git('rev-parse', 'HEAD:x');
      await rm(join(made.places.tree, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    },
    'git says',
  ],
  [
    'an object is broken',
    async (made) => {
      await putFiles(made.places.tree, { x: 'x' });
      commit(made, 'x');
      const blob = made.git('rev-parse', 'HEAD:x');
      const at = (name: string): string =>
        join(made.places.tree, '.git/objects', name.slice(0, 2), name.slice(2));
      await chmod(at(blob), 0o600);
      await writeFile(at(blob), 'not an object');
    },
    'git says',
  ],
])('history that was taken away or broken is a failure that says so: %s', async (_, harm, words) => {
  const made = await workspace();
  await harm(made);
  const collection = await made.collect();
  expect(collection).toMatchObject({ kind: 'failed', cause: 'workspace' });
  expect(collection.kind === 'failed' && collection.detail).toContain(words);
});

test('objects that no git would make are refused: a tree that names .git, a commit without an author', async () => {
  for (const kind of ['tree', 'commit'] as const) {
    const made = await workspace();
    const tree = join(made.places.tree, 'entry');
    await writeFile(
      tree,
      Buffer.concat([Buffer.from('40000 .git\0'), Buffer.from(made.git('rev-parse', 'HEAD:src'), 'hex')]),
    );
    const named = made.git('hash-object', '-w', '-t', 'tree', '--literally', 'entry');
    await writeFile(tree, `tree ${made.git('rev-parse', 'HEAD:')}\nparent ${made.base}\n\nx\n`);
    const anonymous = made.git('hash-object', '-w', '-t', 'commit', '--literally', 'entry');
    const head = kind === 'commit' ? anonymous : made.git('commit-tree', named, '-p', made.base, '-m', 'x');
    await writeFile(join(made.places.tree, '.git/refs/heads', BRANCH), `${head}\n`);
    const collection = await made.collect();
    expect(collection).toMatchObject({ kind: 'failed', cause: 'workspace' });
    expect(collection.kind === 'failed' && collection.detail).toMatch(/fsck error|hasDotgit|missingAuthor/);
  }
});

test('a pipe that git would read for ever ends with the deadline of a command', async () => {
  const made = await workspace();
  makePipe(join(made.places.tree, '.gitattributes'));
  const collection = await made.collect({}, { ...TOOLS, timeoutMs: 3_000 });
  expect(collection).toMatchObject({ kind: 'failed', cause: 'workspace' });
  expect(collection.kind === 'failed' && collection.detail).toContain('git took longer than 3 s');
});

test('pipes, links and folders without rights in the tree neither hold up nor lead out', async () => {
  const made = await workspace();
  const { tree } = made.places;
  await rm(join(tree, 'README.md'));
  makePipe(join(tree, 'README.md'));
  makePipe(join(tree, 'pipe'));
  await symlink('/etc', join(tree, 'etc'));
  await symlink('/etc/passwd', join(tree, '.gitignore'));
  await mkdir(join(tree, 'closed'), { mode: 0 });
  const { uncommitted } = await collected(made);
  expect(uncommitted).toEqual(expect.arrayContaining(['.gitignore', 'README.md', 'etc']));
  expect(uncommitted).not.toContain('pipe');
});
