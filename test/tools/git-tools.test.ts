import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { redactorOf } from '../../src/shared/secrets/redactor.js';
import { gitAccess } from '../../src/tools/git/access.js';
import { commitAll, git } from '../helpers/repository.js';
import type { House } from './house.js';
import { house } from './house.js';

async function withHistory(): Promise<House> {
  const at = await house();
  await at.put('a.txt', 'one\n');
  await at.put('src/b.txt', 'bee\n');
  commitAll(at.roots.workspace, 'first commit');
  await at.put('a.txt', 'one\ntwo\n');
  git(at.roots.workspace, 'commit', '--quiet', '--all', '--message=second commit');
  return at;
}

test('a secret is not shown by the id of its blob, nor by that of the tree it lies in', async () => {
  const at = await house();
  await at.put('a.txt', 'one\n');
  await at.put('.env', 'TOKEN=very-secret\n');
  await at.put('.aws/plain', 'very-secret\n');
  commitAll(at.roots.workspace, 'first commit');
  const id = (name: string): string => git(at.roots.workspace, 'rev-parse', `HEAD:${name}`).trim();
  const [blob, other, tree, top] = [id('.env'), id('a.txt'), id('.aws'), id('')];
  const empty = git(at.roots.workspace, 'hash-object', '-t', 'tree', '-w', '/dev/null').trim();
  const calls: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
    ['git_show', { revision: blob }],
    ['git_show', { revision: blob.slice(0, 7) }],
    ['git_show', { revision: tree, file: 'plain' }],
    ['git_diff', { from: other, to: blob }],
    ['git_diff', { from: `${other}..${blob}` }],
    ['git_diff', { from: `${empty}...${tree}` }],
    ['git_diff', { from: empty, to: tree }],
    ['git_diff', { from: tree }],
    ['git_log', { revision: top }],
    ['shell_exec', { command: `git show ${blob}` }],
    ['shell_exec', { command: `git show ${tree}:plain` }],
    ['shell_exec', { command: `git diff ${other} ${blob}` }],
  ];
  for (const [tool, args] of calls) {
    const { outcome, text } = await at.call(tool, args);
    expect([tool, args, outcome, text]).toEqual([
      tool,
      args,
      'error',
      expect.not.stringContaining('very-secret'),
    ]);
  }
  git(at.roots.workspace, 'tag', '--annotate', '--message=a tag', 'v1');
  expect((await at.call('git_show', { revision: 'v1', file: 'a.txt' })).text).toBe('one');
  expect((await at.call('git_log', { revision: 'v1' })).text).toMatch(/first commit$/);
});

test('status, log, diff, show and blame tell what git tells', async () => {
  const at = await withHistory();
  await at.put('src/b.txt', 'bee\nsea\n');
  await at.put('new.txt', 'x');
  expect((await at.call('git_status', {})).text).toBe('## main\n M src/b.txt\n?? new.txt');
  expect((await at.call('git_log', {})).text).toMatch(
    /^[0-9a-f]{7} \d{4}-\d\d-\d\d Ada: second commit\n[0-9a-f]{7} .* Ada: first commit$/,
  );
  expect((await at.call('git_log', { limit: 1, stat: true })).text).toMatch(
    /second commit\n\n a\.txt \| 1 \+/,
  );
  expect((await at.call('git_log', { paths: ['src'] })).text).not.toContain('second');
  expect((await at.call('git_diff', {})).text).toMatch(/^diff --git a\/src\/b\.txt b\/src\/b\.txt.*\+sea$/su);
  expect((await at.call('git_diff', { from: 'HEAD~1', to: 'HEAD' })).text).toContain('+two');
  expect((await at.call('git_diff', { from: 'HEAD~1..HEAD', stat: true })).text).toContain('a.txt | 1 +');
  expect((await at.call('git_diff', { staged: true })).text).toBe('(nothing)');
  expect((await at.call('git_show', {})).text).toMatch(/second commit.*\+two$/su);
  expect((await at.call('git_show', { revision: 'HEAD~1', file: 'a.txt' })).text).toBe('one');
  const blame = (await at.call('git_blame', { path: 'a.txt' })).text;
  expect(blame.split('\n')).toHaveLength(2);
  expect(blame).toMatch(/Ada +\d{4}-\d\d-\d\d 2\) two$/);
  expect((await at.call('git_blame', { path: 'a.txt', first: 2, count: 1 })).text.split('\n')).toHaveLength(
    1,
  );
});

test.each(['--output=/tmp/x', '-p', ':/text', 'HEAD --exec=x', 'HEAD;rm', '$(x)', 'HEAD:a.txt', '', '../x'])(
  '%j is no revision',
  async (revision) => {
    const at = await withHistory();
    for (const [name, args] of [
      ['git_log', { revision }],
      ['git_show', { revision }],
      ['git_diff', { from: revision }],
      ['git_blame', { path: 'a.txt', revision }],
    ] as const) {
      expect(await at.call(name, args), name).toMatchObject({
        outcome: 'error',
        text: expect.stringContaining('is not understood'),
      });
    }
  },
);

test('a path is a path: no option, no magic, no way out', async () => {
  const at = await withHistory();
  for (const path of ['../outside', '/etc/passwd', `${at.top}/outside/x`]) {
    expect((await at.call('git_log', { paths: [path] })).text).toMatch(/leads out/);
    expect((await at.call('git_blame', { path })).text).toMatch(/leads out/);
  }
  await at.put(':(exclude)a.txt', 'odd');
  await at.put('--stat', 'odd');
  git(at.roots.workspace, 'add', '.');
  expect((await at.call('git_diff', { staged: true, paths: [':(exclude)a.txt'] })).text).toContain('+odd');
  expect((await at.call('git_diff', { staged: true, paths: ['--stat'] })).text).toContain('+odd');
  expect((await at.call('git_diff', { staged: true, paths: ['*'] })).text).toBe('(nothing)');
});

test('files with secrets stay out of patches, files and blame, and are named', async () => {
  const at = await house();
  await at.put('.env', 'TOKEN=very-secret\n');
  await at.put('a.txt', 'one\n');
  await at.put('keys/server.key', 'very-secret');
  commitAll(at.roots.workspace, 'first commit');
  await at.put('.env', 'TOKEN=very-secret-2\n');
  await at.put('a.txt', 'two\n');
  const left = '(files with secrets are left out: ';
  const diff = (await at.call('git_diff', {})).text;
  expect(diff).toContain('+two');
  expect(diff).toContain(`${left}.env)`);
  const show = (await at.call('git_show', {})).text;
  expect(show).toContain('+one');
  expect(show).toContain(`${left}.env, keys/server.key)`);
  const answers = [
    diff,
    show,
    (await at.call('git_diff', { paths: ['.env'] })).text,
    (await at.call('git_show', { file: '.env' })).text,
    (await at.call('git_show', { file: 'keys/server.key' })).text,
    (await at.call('git_blame', { path: '.env' })).text,
    (await at.call('git_log', { stat: true })).text,
    (await at.call('shell_exec', { command: 'git diff' })).text,
    (await at.call('shell_exec', { command: 'git show' })).text,
  ];
  for (const answer of answers) expect(answer).not.toContain('very-secret');
});

test('no part of a secret is left where an output is cut, by us or by git', async () => {
  const SECRET = 'geheim-schlüssel-1234-ä-öüß';
  const at = await house();
  const root = at.roots.workspace;
  const git48 = 48 * 1024;
  const context = `static_configuration_of_the_deployment_of_the_service_of_billing = "${SECRET}"`;
  await at.put('context.txt', `${context}\n${'\n'.repeat(20)}one\n`);
  const deep = `${'long-folder-name/'.repeat(5)}${SECRET}/x`;
  await at.put(deep, 'x\n');
  for (let cut = 1; cut < Buffer.byteLength(SECRET); cut += 1)
    await at.put(`cut-${cut}.txt`, `${'x'.repeat(git48 - cut)}${SECRET}`);
  commitAll(root, 'first commit');
  await at.put('context.txt', `${context}\n${'\n'.repeat(20)}two\n`);
  const secrets = redactorOf([{ name: 'KEY', value: SECRET }]);
  const access = gitAccess({ roots: at.roots, path: process.env['PATH'] ?? '', secrets });
  const { signal } = new AbortController();
  const answers: string[] = [];
  for (let cut = 1; cut < Buffer.byteLength(SECRET); cut += 1) {
    const request = { kind: 'file', revision: 'HEAD', path: `cut-${cut}.txt` } as const;
    answers.push((await access.read(request, '.', signal)).text);
  }
  const asked = { revisions: [], staged: false, stat: false, paths: [] };
  answers.push((await access.read({ ...asked, kind: 'diff' }, '.', signal)).text);
  answers.push(
    (await access.read({ kind: 'show', revision: 'HEAD', stat: true, paths: [] }, '.', signal)).text,
  );
  answers.push(
    (await access.read({ kind: 'log', revisions: [], limit: 1, stat: true, paths: [] }, '.', signal)).text,
  );
  for (const text of answers) {
    expect(text).not.toContain(SECRET.slice(0, 4));
    expect(text).not.toContain(SECRET.slice(-4));
  }
});

test('nothing that a repository names runs in a tool of class Read, and in a plain git line of a shell', async () => {
  const at = await withHistory();
  const root = at.roots.workspace;
  const ran = join(at.top, 'ran');
  const spy = join(at.top, 'spy.sh');
  await writeFile(spy, `#!/bin/sh\necho "$@" >> ${ran}\ncat\n`);
  await chmod(spy, 0o755);
  await at.put('.gitattributes', '*.txt filter=evil diff=evil\n');
  for (const [key, value] of [
    ['core.fsmonitor', `${spy} fsmonitor`],
    ['core.pager', `${spy} pager`],
    ['diff.external', `${spy} external`],
    ['diff.evil.textconv', `${spy} textconv`],
    ['filter.evil.clean', `${spy} clean`],
    ['core.hooksPath', at.top],
    ['log.showSignature', 'true'],
    ['gpg.program', spy],
  ] as const) {
    git(root, 'config', key, value);
  }
  await writeFile(join(at.top, 'post-index-change'), `#!/bin/sh\necho hook >> ${ran}\n`);
  await chmod(join(at.top, 'post-index-change'), 0o755);
  await at.put('a.txt', 'changed\n');
  await writeFile(ran, '');
  for (const [name, args] of [
    ['git_status', {}],
    ['git_diff', {}],
    ['git_log', { stat: true }],
    ['git_show', {}],
    ['git_blame', { path: 'a.txt' }],
    ['shell_exec', { command: 'git status' }],
    ['shell_exec', { command: 'git diff HEAD' }],
    ['shell_exec', { command: 'git log --oneline -3' }],
    ['shell_exec', { command: 'git show HEAD' }],
    ['shell_exec', { command: 'git blame a.txt' }],
  ] as const) {
    const tool = await at.tool(name);
    expect(await tool.prepare(args)).toMatchObject({ kind: 'ready', class: 'read' });
    expect(await at.call(name, args), `${name} ${JSON.stringify(args)}`).toMatchObject({ outcome: 'ok' });
  }
  expect(await readFile(ran, 'utf8')).toBe('');
  // The filter would have to run for the right bytes: a commit of such a file is refused, not made wrong.
  expect(await at.call('git_commit', { message: 'x', paths: ['a.txt'] })).toMatchObject({
    outcome: 'error',
    text: expect.stringContaining('filter "evil"'),
  });
  expect(await readFile(ran, 'utf8')).toBe('');
});

test('only a repository in a root itself is used', async () => {
  const at = await house();
  await writeFile(join(at.top, 'x'), '');
  commitAll(at.top, 'first commit'); // around the workspace
  await mkdir(join(at.roots.workspace, 'nested'));
  commitAll(join(at.roots.workspace, 'nested'), 'first commit');
  const none = await at.call('git_log', {});
  expect(none).toMatchObject({ outcome: 'error', text: expect.stringContaining('no git repository') });
  await at.put('../library/lib.txt', 'lib\n');
  commitAll(at.roots.reads[0] ?? '', 'first commit');
  expect((await at.call('git_log', {})).text).toMatch(/^\(repository reads:1\)\n[0-9a-f]+ .*first commit$/);
  expect((await at.call('git_show', { file: 'lib.txt', repository: 'reads:1' })).text).toContain('lib');
  expect((await at.call('git_log', { repository: '.' })).outcome).toBe('error');
  expect((await at.call('git_log', { repository: 'elsewhere' })).text).toContain('allowed: ., reads:1');
  expect((await at.call('git_commit', { message: 'x', paths: ['.'] })).text).toContain(
    'no git repository in .',
  );
});

test('a linked work tree is a repository too', async () => {
  const at = await house();
  const main = join(at.top, 'main');
  await mkdir(main);
  commitAll(main, 'first commit');
  git(main, 'worktree', 'add', '--quiet', '-b', 'side', join(at.roots.workspace, 'tree'));
  const { readFile: read } = await import('node:fs/promises');
  await writeFile(join(at.roots.workspace, '.git'), await read(join(at.roots.workspace, 'tree/.git')));
  expect((await at.call('git_status', {})).text).toMatch(/^## side/);
});

test('a commit takes the named paths only, with the member as author, and leaves what others staged', async () => {
  const at = await withHistory();
  const root = at.roots.workspace;
  await at.put('staged.txt', 'by somebody else');
  git(root, 'add', 'staged.txt');
  await at.put('mine/new.txt', 'new');
  await at.put('a.txt', 'changed\n');
  await at.put('src/b.txt', 'not named\n');
  const result = await at.call('git_commit', {
    message: 'third\n\nwhy: "because" $(x)',
    paths: ['mine', 'a.txt'],
  });
  expect(result.text).toMatch(/^committed [0-9a-f]{40} third \(2 files\)$/);
  expect(git(root, 'log', '-1', '--format=%an <%ae>|%cn|%B')).toBe(
    'bnerd writer <writer@bnerd.invalid>|bnerd writer|third\n\nwhy: "because" $(x)',
  );
  expect(git(root, 'show', '--name-only', '--format=').trim().split('\n')).toEqual(['a.txt', 'mine/new.txt']);
  expect(git(root, 'status', '--short')).toBe(' M src/b.txt\nA  staged.txt');
  expect(await at.call('git_commit', { message: 'again', paths: ['a.txt'] })).toMatchObject({
    outcome: 'error',
    text: expect.stringContaining('nothing to commit'),
  });
});

test('a commit of everything refuses files with secrets, runs no hook, and takes deletions', async () => {
  const at = await withHistory();
  const root = at.roots.workspace;
  await at.put('.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n');
  await chmod(join(root, '.git/hooks/pre-commit'), 0o755);
  await at.put('.env', 'TOKEN=1');
  expect(await at.call('git_commit', { message: 'all', paths: ['.'] })).toMatchObject({
    outcome: 'error',
    text: expect.stringContaining('.env holds secrets'),
  });
  git(root, 'rm', '--quiet', 'src/b.txt');
  expect(await at.call('git_commit', { message: 'gone', paths: ['src'] })).toMatchObject({ outcome: 'ok' });
  expect(git(root, 'show', '--name-status', '--format=').trim()).toBe('D\tsrc/b.txt');
});
