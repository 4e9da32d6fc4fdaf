import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { GitPlace } from '../../src/shared/git.js';
import { configuredFilters, hardenedGit, PATCH_OPTIONS, runGit } from '../../src/shared/git.js';
import { commitAll, git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';

const PATH = process.env['PATH'] ?? '/usr/bin:/bin';
const limits = { signal: new AbortController().signal, timeoutMs: 20_000, maxBytes: 100_000 };

async function repository(): Promise<GitPlace & { root: string }> {
  const root = await tempDir('git');
  await writeFile(join(root, 'a.txt'), 'one\n');
  commitAll(root, 'first');
  return { root, gitDir: join(root, '.git'), workTree: root };
}

const run = (place: GitPlace, args: string[], filters: readonly string[] = []) =>
  runGit(hardenedGit(place, args, { path: PATH, filters }), limits);

test('git directory and work tree are said, nothing of the environment is inherited', () => {
  const command = hardenedGit({ gitDir: '/g', workTree: '/w' }, ['status'], { path: '/bin' });
  expect(command.argv.slice(0, 3)).toEqual(['--no-pager', '--git-dir=/g', '--work-tree=/w']);
  expect(command.argv.at(-1)).toBe('status');
  expect(command.cwd).toBe('/w');
  expect(command.env).toMatchObject({
    PATH: '/bin',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOW_PROTOCOL: '',
  });
  const settings = command.argv.join(' ');
  for (const setting of [
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'safe.bareRepository=explicit',
  ]) {
    expect(settings).toContain(setting);
  }
});

test('a repository without a tree is where its commands run', async () => {
  const { root, gitDir } = await repository();
  const bare = join(root, 'bare.git');
  git(root, 'clone', '--quiet', '--bare', gitDir, bare);
  const command = hardenedGit({ gitDir: bare, workTree: null }, ['rev-parse', '--is-bare-repository'], {
    path: PATH,
  });
  expect(command.cwd).toBe(bare);
  expect(command.argv.join(' ')).not.toContain('--work-tree');
  expect(await runGit(command, limits)).toMatchObject({ kind: 'done', output: 'true\n' });
});

test('further variables are given, but for those that say another repository or undo what is set', () => {
  const env = {
    SSH_AUTH_SOCK: '/s',
    GIT_DIR: '/x',
    GIT_INDEX_FILE: '/x',
    GIT_CONFIG_GLOBAL: '/x',
    PATH: '/x',
  };
  const command = hardenedGit({ gitDir: '/g', workTree: '/w' }, ['status'], { path: '/bin', env });
  expect(command.env).toMatchObject({ SSH_AUTH_SOCK: '/s', GIT_CONFIG_GLOBAL: '/dev/null', PATH: '/bin' });
  expect(command.env).not.toHaveProperty('GIT_DIR');
  expect(command.env).not.toHaveProperty('GIT_INDEX_FILE');
});

test('every program that a repository may name is named here, and none of them runs', {
  timeout: 60_000,
}, async () => {
  const place = await repository();
  const { root } = place;
  const ran = join(root, '.git', 'ran');
  const spy = join(root, '.git', 'spy.sh');
  await writeFile(spy, `#!/bin/sh\necho "$@" >> ${ran}\ncat\n`);
  await chmod(spy, 0o755);
  await writeFile(join(root, '.gitattributes'), 'a.txt filter=evil diff=evil\n');
  for (const [key, value] of [
    ['core.fsmonitor', `${spy} fsmonitor`],
    ['core.pager', `${spy} pager`],
    ['pager.log', 'true'],
    ['core.editor', `${spy} editor`],
    ['core.sshCommand', `${spy} ssh`],
    ['core.askPass', spy],
    ['credential.helper', `!${spy} credential`],
    ['diff.external', `${spy} external`],
    ['diff.evil.command', `${spy} driver`],
    ['diff.evil.textconv', `${spy} textconv`],
    ['filter.evil.clean', `${spy} clean`],
    ['filter.evil.smudge', `${spy} smudge`],
    ['filter.evil.required', 'true'],
    ['gpg.program', spy],
    ['log.showSignature', 'true'],
    ['commit.gpgSign', 'true'],
  ] as const) {
    git(root, 'config', key, value);
  }
  await mkdir(join(root, '.git/hooks'), { recursive: true });
  for (const hook of [
    'pre-commit',
    'post-commit',
    'post-index-change',
    'prepare-commit-msg',
    'reference-transaction',
  ]) {
    await writeFile(join(root, '.git/hooks', hook), `#!/bin/sh\necho hook ${hook} >> ${ran}\n`);
    await chmod(join(root, '.git/hooks', hook), 0o755);
  }
  await writeFile(join(root, 'a.txt'), 'two\n');
  // The trap works: an ordinary git steps into it.
  git(root, 'status');
  git(root, 'diff');
  expect(await readFile(ran, 'utf8')).toMatch(/fsmonitor/);
  await writeFile(ran, '');

  const found = await configuredFilters(place, { path: PATH }, limits);
  expect(found).toEqual({ kind: 'filters', names: ['evil'] });
  const filters = ['evil'];
  await writeFile(join(root, 'a.txt'), 'three\n');
  for (const args of [
    ['status', '--short'],
    ['diff', ...PATCH_OPTIONS, '--end-of-options', 'HEAD'],
    ['log', ...PATCH_OPTIONS, '--patch', '--end-of-options', 'HEAD'],
    ['show', ...PATCH_OPTIONS, '--end-of-options', 'HEAD'],
    ['blame', '--no-textconv', '--', 'a.txt'],
    ['add', '--all', '--', 'a.txt'],
  ]) {
    expect(await run(place, args, filters), args[0]).toMatchObject({ kind: 'done' });
  }
  const identity = { name: 'bnerd writer', email: 'writer@bnerd.invalid' };
  const commit = hardenedGit(place, ['commit', '--quiet', '-m', 'second'], { path: PATH, filters, identity });
  expect(await runGit(commit, limits)).toMatchObject({ kind: 'done' });
  const fetch = await run(place, ['fetch', 'ssh://example.invalid/x'], filters);
  expect(fetch).toMatchObject({ kind: 'failed', message: expect.stringContaining('not allowed') });
  expect(await readFile(ran, 'utf8')).toBe('');
  expect(git(root, '-c', 'log.showSignature=false', 'log', '-1', '--format=%an <%ae> %cn')).toBe(
    'bnerd writer <writer@bnerd.invalid> bnerd writer',
  );
});

test('a bare repository that lies in the tree is not met', async () => {
  const place = await repository();
  const bare = join(place.root, 'planted');
  git(place.root, 'init', '--quiet', '--bare', bare);
  const ran = join(place.root, 'ran');
  git(bare, '--git-dir=.', 'config', 'core.fsmonitor', `touch ${ran}; false`);
  const command = hardenedGit(place, ['status', '--short'], { path: PATH });
  expect(await runGit({ ...command, cwd: bare }, limits)).toMatchObject({
    kind: 'done',
    output: expect.stringContaining('?? '),
  });
  await expect(readFile(ran)).rejects.toThrow('ENOENT');
});

test('the configuration of the user and of the system is not read', async () => {
  const place = await repository();
  const home = await tempDir('home');
  await writeFile(join(home, '.gitconfig'), '[alias]\n\tmine = status\n[user]\n\tname = Somebody\n');
  const command = hardenedGit(place, ['config', '--get', 'user.name'], { path: PATH });
  expect(command.env['HOME']).toBe('/dev/null');
  expect(await runGit(command, limits)).toMatchObject({ kind: 'failed', code: 1 });
});

test('a filter whose name cannot be switched off lets nothing run', async () => {
  const place = await repository();
  git(place.root, 'config', 'filter.a=b.clean', 'false');
  expect(await configuredFilters(place, { path: PATH }, limits)).toMatchObject({ kind: 'failed' });
});

test('failures, a deadline, a cancellation, a bound and a missing git are outcomes', async () => {
  const place = await repository();
  expect(await run(place, ['log', '--end-of-options', 'no-such-branch', '--'])).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('no-such-branch'),
  });
  const waits = hardenedGit(place, ['-c', 'alias.wait=!sleep 60', 'wait'], { path: PATH });
  // The alias starts a grandchild that holds the output open: it is ended with the group.
  expect(await runGit(waits, { ...limits, timeoutMs: 100 })).toEqual({ kind: 'timeout' });
  const controller = new AbortController();
  const running = runGit(waits, { ...limits, signal: controller.signal });
  setImmediate(() => controller.abort());
  expect(await running).toEqual({ kind: 'cancelled' });
  expect(await runGit(waits, { ...limits, signal: AbortSignal.abort() })).toEqual({ kind: 'cancelled' });
  await writeFile(join(place.root, 'big.txt'), 'x'.repeat(99).concat('\n').repeat(5_000));
  git(place.root, 'add', '.');
  const big = await run(place, ['diff', '--cached', ...PATCH_OPTIONS]);
  expect(big).toMatchObject({ kind: 'done', cut: true });
  expect(big.kind === 'done' && big.output.length).toBeLessThanOrEqual(100_000);
  const nowhere = hardenedGit(place, ['status'], { path: '/nonexistent' });
  expect(await runGit(nowhere, limits)).toEqual({ kind: 'missing' });
});

test('a word with a zero byte is refused as git refuses one, and throws nothing', async () => {
  const place = await repository();
  expect(await run(place, ['rev-parse', '--verify', '--end-of-options', 'a\0b'])).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('zero byte'),
  });
});
