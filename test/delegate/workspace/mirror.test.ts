import {
  access,
  appendFile,
  chmod,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { adviceFor, mirror } from '../../../src/delegate/workspace/mirror.js';
import { gitFailure } from '../../../src/delegate/workspace/our-git.js';
import { gitServer } from '../../helpers/git-http.js';
import { commitAll, git, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { runnerFolder, sourceRepository, spy, TOOLS } from '../../helpers/workspace.js';

const head = (repository: string, name = 'HEAD'): string => git(repository, 'rev-parse', name);
const refs = (gitDir: string): string[] =>
  git(gitDir, '--git-dir=.', 'for-each-ref', '--format=%(refname)').split('\n');

test('it holds the history of the commit that was asked for, and no branch, tag, hook or remote', async () => {
  const repo = await sourceRepository();
  const base = head(repo, 'HEAD~1');
  git(repo, 'tag', 'v1', base);
  const settings = await runnerFolder();
  const made = await mirror({ repo, base }, settings, TOOLS);
  if (made.kind !== 'ready') throw new Error(made.detail);
  expect(made.gitDir).toMatch(/\/mirrors\/[0-9a-f]{64}\.git$/);
  expect(refs(made.gitDir)).toEqual([`refs/bnerd/bases/${base}`]);
  expect(() => git(made.gitDir, '--git-dir=.', 'cat-file', '-e', head(repo))).toThrow();
  expect(await readdir(made.gitDir)).not.toContain('hooks');
  expect(await readFile(join(made.gitDir, 'config'), 'utf8')).not.toContain('remote');
  expect(await readdir(join(settings.workdir, 'mirrors'))).toHaveLength(1);
});

test('a commit that is there is not asked for again; one that is missing is brought', async () => {
  const repo = await sourceRepository();
  const settings = await runnerFolder(['http']);
  const server = await gitServer(join(repo, '..'));
  const order = (base: string): { repo: string; base: string } => ({
    repo: `${server.url}/repository/.git`,
    base,
  });
  const first = head(repo);
  expect(await mirror(order(first), settings, TOOLS)).toMatchObject({ kind: 'ready' });
  const asked = server.asked.length;
  expect(await mirror(order(first), settings, TOOLS)).toMatchObject({ kind: 'ready' });
  expect(server.asked).toHaveLength(asked);
  await putFiles(repo, { 'b.txt': 'b\n' });
  const second = commitAll(repo, 'third');
  const made = await mirror(order(second), settings, TOOLS);
  expect(server.asked.length).toBeGreaterThan(asked);
  expect(made.kind === 'ready' && refs(made.gitDir).sort()).toEqual(
    [first, second].map((sha) => `refs/bnerd/bases/${sha}`).sort(),
  );
});

test('a server that gives only what a branch stands on is looked through', async () => {
  const repo = await sourceRepository();
  git(repo, 'config', 'protocol.version', '0');
  // Protocol 0 without the permission to name a commit: what older hosts do.
  const server = await gitServer(join(repo, '..'), {
    first: (request) => {
      delete request.headers['git-protocol'];
      return false;
    },
  });
  const made = await mirror(
    { repo: `${server.url}/repository/.git`, base: head(repo, 'HEAD~1') },
    await runnerFolder(['http']),
    TOOLS,
  );
  expect(made.kind === 'ready' && refs(made.gitDir)).toEqual([
    `refs/bnerd/bases/${head(repo, 'HEAD~1')}`,
    'refs/bnerd/seen/heads/main',
  ]);
});

test('several at once make one mirror with all that they asked for', async () => {
  const repo = await sourceRepository();
  const settings = await runnerFolder();
  const bases = [head(repo), head(repo, 'HEAD~1'), head(repo), head(repo, 'HEAD~1')];
  const all = await Promise.all(bases.map((base) => mirror({ repo, base }, settings, TOOLS)));
  for (const each of all) expect(each).toEqual({ kind: 'ready', gitDir: expect.any(String) });
  const again = await Promise.all(
    ['x', 'y', 'z'].map(async (name) => {
      await putFiles(repo, { [name]: name });
      return commitAll(repo, name);
    }),
  );
  const more = await Promise.all([...again, ...again].map((base) => mirror({ repo, base }, settings, TOOLS)));
  for (const each of more) expect(each).toMatchObject({ kind: 'ready' });
  const names = await readdir(join(settings.workdir, 'mirrors'));
  expect(names).toHaveLength(1);
  expect(refs(join(settings.workdir, 'mirrors', names[0] ?? ''))).toHaveLength(5);
});

test.each<[string, (gitDir: string, decoy: string, repo: string) => Promise<unknown>]>([
  [
    'says another repository for this one',
    (gitDir, decoy, repo) => appendFile(join(gitDir, 'config'), `[url "${decoy}"]\n\tinsteadOf = ${repo}\n`),
  ],
  ['takes in another file', (gitDir) => appendFile(join(gitDir, 'config'), '[include]\n\tpath = x\n')],
  [
    'has settings in another place',
    (gitDir, decoy) => writeFile(join(gitDir, 'commondir'), `${decoy}/.git\n`),
  ],
  [
    'has objects of another repository',
    (gitDir, decoy) => writeFile(join(gitDir, 'objects/info/alternates'), `${decoy}/.git/objects\n`),
  ],
  ['has a history that was cut', (gitDir, _, repo) => writeFile(join(gitDir, 'shallow'), `${head(repo)}\n`)],
  [
    'is a link',
    async (gitDir, decoy) => {
      await rename(gitDir, join(decoy, 'moved.git'));
      await symlink(join(decoy, 'moved.git'), gitDir);
    },
  ],
  ['has no settings', (gitDir) => rm(join(gitDir, 'config'))],
])('M6 one that somebody has changed is made anew: it %s', async (_, change) => {
  const repo = await sourceRepository();
  const decoy = await sourceRepository({ 'decoy.txt': 'decoy\n' });
  const settings = await runnerFolder();
  const order = { repo, base: head(repo) };
  const made = await mirror(order, settings, TOOLS);
  if (made.kind !== 'ready') throw new Error(made.detail);
  const config = await readFile(join(made.gitDir, 'config'), 'utf8');
  await change(made.gitDir, decoy, repo);
  await putFiles(repo, { 'b.txt': 'b\n' });
  const base = commitAll(repo, 'third');
  expect(await mirror({ repo, base }, settings, TOOLS)).toEqual(made);
  expect(await readFile(join(made.gitDir, 'config'), 'utf8')).toBe(config);
  expect(refs(made.gitDir)).toEqual([`refs/bnerd/bases/${base}`]);
  expect(git(made.gitDir, '--git-dir=.', 'rev-list', '--count', base)).toBe('3');
  expect(await readdir(join(settings.workdir, 'mirrors'))).toHaveLength(1);
});

test('what cannot be had is said with what to do, and leaves nothing behind', async () => {
  const repo = await sourceRepository();
  const settings = await runnerFolder(['file', 'https']);
  const base = head(repo);
  const missing = '0123456789012345678901234567890123456789';
  git(repo, 'clone', '--quiet', '--depth=1', `file://${repo}`, 'shallow');
  for (const [order, words] of [
    [{ repo, base: missing }, [`has no commit ${missing}`, 'push the commit']],
    [{ repo: `${repo}/nowhere`, base }, ['nowhere', 'check the address']],
    [{ repo: join(repo, 'shallow'), base }, ['is shallow']],
    [{ repo: 'http://127.0.0.1:1/x', base }, ['does not use http', 'allowed: file, https']],
    [{ repo: 'ssh://git@example.invalid/x', base }, ['does not use ssh']],
    [{ repo: 'git@example.invalid:x', base }, ['does not use ssh']],
    [{ repo: 'https://me:secret@example.invalid/x', base }, ['carries a password', 'runner.git-env']],
    [{ repo: 'ext::sh -c touch% ran', base }, ['no address']],
    [{ repo: '--upload-pack=touch ran', base }, ['no address']],
    [{ repo: 'relative/path', base }, ['no address']],
  ] as const) {
    const made = await mirror(order, settings, TOOLS);
    expect(made, order.repo).toMatchObject({ kind: 'failed', cause: 'workspace' });
    for (const word of words) expect(made.kind === 'failed' && made.detail).toContain(word);
    expect(JSON.stringify(made)).not.toContain('secret');
  }
  expect(await readdir(join(settings.workdir, 'mirrors'))).toEqual([]);
  const cancelled = await mirror({ repo, base }, settings, { ...TOOLS, signal: AbortSignal.abort() });
  expect(cancelled).toMatchObject({ kind: 'failed', cause: 'cancelled' });
});

test('no access and no space have words of their own', () => {
  for (const [message, words] of [
    ["fatal: could not read Username for 'https://h': terminal prompts disabled", 'runner.git-env'],
    ['git@h: Permission denied (publickey).', 'runner.git-env'],
    ['Host key verification failed.', 'known_hosts'],
    ["fatal: unable to access 'https://h/': Could not resolve host: h", 'network'],
    ["fatal: repository 'https://h/x/' not found", 'no such repository'],
  ] as const)
    expect(adviceFor(message)).toContain(words);
  const full = { kind: 'failed', code: 128, message: 'fatal: write error: No space left on device' } as const;
  expect(gitFailure(full, 'mirror of x', TOOLS)).toMatchObject({
    cause: 'disk_full',
    detail: expect.stringContaining('bnerd runner prune'),
  });
});

test('the operator’s variables reach the git of the runner, and its hardening stays', async () => {
  const repo = await sourceRepository();
  const folder = await tempDir('ask');
  const ask = join(folder, 'ask.sh');
  await writeFile(ask, `#!/bin/sh\nenv > '${folder}/env'\necho x\n`);
  await chmod(ask, 0o755);
  const server = await gitServer(join(repo, '..'), {
    first: (request, response) => {
      if (request.headers.authorization !== undefined) return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return true;
    },
  });
  const settings = await runnerFolder(['http']);
  const order = { repo: `${server.url}/repository/.git`, base: head(repo) };
  const refused = await mirror(order, settings, TOOLS);
  expect(refused).toMatchObject({ kind: 'failed', detail: expect.stringContaining('runner.git-env') });
  const env = { GIT_ASKPASS: ask, GIT_DIR: '/elsewhere', GIT_CONFIG_GLOBAL: '/elsewhere', GIT_TRACE: '0' };
  expect(await mirror(order, { ...settings, env }, TOOLS)).toMatchObject({ kind: 'ready' });
  const seen = await readFile(join(folder, 'env'), 'utf8');
  expect(seen).toContain('GIT_CONFIG_GLOBAL=/dev/null');
  expect(seen).not.toContain('/elsewhere');
});

test('nothing that the configuration of the source names is run', async () => {
  const repo = await sourceRepository();
  const trap = await tempDir('trap');
  const program = await spy(trap);
  for (const key of [
    'uploadpack.packObjectsHook',
    'core.fsmonitor',
    'core.alternateRefsCommand',
    'core.sshCommand',
  ])
    git(repo, 'config', key, `${program} ${key}`);
  git(repo, 'config', 'url.ext::sh.insteadOf', repo);
  const made = await mirror({ repo, base: git(repo, 'rev-parse', 'HEAD') }, await runnerFolder(), TOOLS);
  expect(made).toMatchObject({ kind: 'ready' });
  await expect(access(join(trap, 'ran'))).rejects.toThrow('ENOENT');
});

test('over ssh nobody is asked anything, and the operator may say another program', async () => {
  const repo = await sourceRepository();
  const folder = await tempDir('ssh');
  // The far side: the last word is the command for it; what comes before is kept.
  const script = `#!/bin/sh\necho "$0 $*" >> '${folder}/asked'\nfor word; do last=$word; done\nexec sh -c "$last"\n`;
  for (const name of ['ssh', 'other-ssh']) {
    await writeFile(join(folder, name), script);
    await chmod(join(folder, name), 0o755);
  }
  const order = { repo: `ssh://git@example.invalid${repo}`, base: head(repo) };
  const tools = { ...TOOLS, path: `${folder}:${TOOLS.path}` };
  expect(await mirror(order, await runnerFolder(['ssh']), tools)).toMatchObject({ kind: 'ready' });
  const env = { GIT_SSH_COMMAND: `${join(folder, 'other-ssh')} -i key` };
  const settings = { ...(await runnerFolder(['ssh'])), env };
  expect(await mirror({ ...order, repo: `git@example.invalid:${repo}` }, settings, TOOLS)).toMatchObject({
    kind: 'ready',
  });
  const asked = (await readFile(join(folder, 'asked'), 'utf8')).trim().split('\n');
  expect(asked[0]).toContain(`ssh -o BatchMode=yes`);
  expect(asked[0]).toContain('git@example.invalid');
  expect(asked.at(-1)).toContain('other-ssh -i key');
});
