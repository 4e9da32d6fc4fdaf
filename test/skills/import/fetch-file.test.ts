import { execFileSync } from 'node:child_process';
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Fetched, fetchFile } from '../../../src/skills/import/fetch-file.js';
import { readMirror } from '../../../src/skills/import/git-address.js';
import { readRef } from '../../../src/skills/import/git-wish.js';
import { FETCH_LIMITS } from '../../../src/skills/import/scratch-repository.js';
import { gitServer } from '../../helpers/git-http.js';
import { commitAll, git, makeRepository, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';

const PATH = process.env['PATH'] ?? '';
const TEXT = '---\nname: pdf\ndescription: d\n---\n\nBody with ä, 🎉 and a\ttab.\n';

/** A repository with one file of this text. */
async function upstream(files: Readonly<Record<string, string>> = { 'SKILL.md': TEXT }) {
  const root = await tempDir('upstream');
  const path = await makeRepository(join(root, 'pdf'));
  await putFiles(path, files);
  return { root, path, commit: commitAll(path, 'first') };
}

interface Wish {
  readonly ref: string;
  readonly file?: string;
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
}

async function fetchFrom(url: string, { ref, file = 'SKILL.md', signal, maxBytes }: Wish): Promise<Fetched> {
  const mirror = readMirror(url);
  const wanted = readRef(ref);
  if (mirror.kind === 'refused' || wanted.kind === 'refused')
    throw new Error('the test asks for nothing good');
  const temporaryDirectory = await tempDir('scratch');
  const tools = {
    gitPath: PATH,
    temporaryDirectory,
    signal: signal ?? new AbortController().signal,
    maxBytes: maxBytes ?? FETCH_LIMITS.bytes,
  };
  const fetched = await fetchFile({ address: mirror.address, ref: wanted.ref, file }, tools);
  expect(await readdir(temporaryDirectory)).toEqual([]);
  return fetched;
}

function code(fetched: Fetched): string {
  return fetched.kind === 'refused' ? (fetched.findings[0]?.code ?? '') : fetched.kind;
}

describe.each(['file', 'http'] as const)('a file of a repository, over %s', (protocol) => {
  async function address(root: string): Promise<string> {
    return protocol === 'file' ? `file://${root}/pdf` : `${(await gitServer(root)).url}/pdf/.git`;
  }

  test('comes from a branch, a tag, a tag with a message and a commit, with the full commit id', async () => {
    const { root, path, commit } = await upstream();
    git(path, 'tag', 'light');
    git(path, 'tag', '-m', 'noted', 'v1.0.0');
    await writeFile(join(path, 'SKILL.md'), `${TEXT}More.\n`);
    const later = commitAll(path, 'second');
    const url = await address(root);
    const old = { kind: 'fetched', commit, text: TEXT };
    expect(await fetchFrom(url, { ref: 'main' })).toEqual({
      kind: 'fetched',
      commit: later,
      text: `${TEXT}More.\n`,
    });
    expect(await fetchFrom(url, { ref: 'refs/heads/main' })).toMatchObject({ commit: later });
    expect(await fetchFrom(url, { ref: 'light' })).toEqual(old);
    expect(await fetchFrom(url, { ref: 'v1.0.0' })).toEqual(old);
    expect(await fetchFrom(url, { ref: 'refs/tags/v1.0.0' })).toEqual(old);
    expect(await fetchFrom(url, { ref: commit })).toEqual(old);
  });

  test('that is both a tag and a branch is refused, until it is said which', async () => {
    const { root, path, commit } = await upstream();
    git(path, 'tag', 'v1');
    await writeFile(join(path, 'SKILL.md'), 'other');
    const later = commitAll(path, 'second');
    git(path, 'branch', 'v1');
    const url = await address(root);
    expect(await fetchFrom(url, { ref: 'v1' })).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'ambiguous-ref', path: '--ref', remedy: 'write refs/tags/v1 or refs/heads/v1' }],
    });
    expect(await fetchFrom(url, { ref: 'refs/tags/v1' })).toMatchObject({ commit });
    expect(await fetchFrom(url, { ref: 'refs/heads/v1' })).toMatchObject({ commit: later });
  });

  test('is not there: ref, commit, file, folder', async () => {
    const { root, commit } = await upstream({ 'skills/pdf/SKILL.md': TEXT });
    const url = await address(root);
    expect(code(await fetchFrom(url, { ref: 'absent' }))).toBe('unknown-ref');
    expect(code(await fetchFrom(url, { ref: commit.slice(0, 12) }))).toBe('unknown-ref');
    expect(code(await fetchFrom(url, { ref: 'f'.repeat(40) }))).toBe('fetch-failed');
    for (const file of ['SKILL.md', 'skills', 'skills/pdf', 'skills/pdf/SKILL.md/x', 'skills/*/SKILL.md']) {
      expect(code(await fetchFrom(url, { ref: 'main', file })), file).toBe('no-such-file');
    }
    expect(await fetchFrom(url, { ref: 'main', file: 'skills/pdf/SKILL.md' })).toMatchObject({ text: TEXT });
  });
});

describe('what a repository may try', () => {
  test('links and submodules are not followed, and say so', async () => {
    const { root, path } = await upstream({ 'real/SKILL.md': TEXT });
    git(path, 'config', 'core.symlinks', 'true');
    const hash = git(path, 'rev-parse', 'HEAD');
    git(path, 'update-index', '--add', '--cacheinfo', `160000,${hash},module`);
    const link = git(path, 'hash-object', '-w', 'real/SKILL.md');
    git(path, 'update-index', '--add', '--cacheinfo', `120000,${link},SKILL.md`);
    git(path, 'update-index', '--add', '--cacheinfo', `120000,${link},folder`);
    git(path, 'commit', '--quiet', '-m', 'links');
    for (const [file, words] of [
      ['SKILL.md', 'is a link'],
      ['folder/SKILL.md', 'is a link'],
      ['module/SKILL.md', 'is a submodule'],
      ['real', 'is a folder'],
    ] as const) {
      const fetched = await fetchFrom(`file://${root}/pdf`, { ref: 'main', file });
      expect(fetched).toMatchObject({ kind: 'refused', findings: [{ code: 'no-such-file' }] });
      expect(JSON.stringify(fetched)).toContain(words);
    }
  });

  test('filters, attributes, hooks and settings of the repository have no effect', async () => {
    const { root, path } = await upstream({
      'SKILL.md': TEXT,
      '.gitattributes': '*.md filter=evil text eol=crlf ident export-subst\n',
      '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = https://example.invalid/x\n',
      '.lfsconfig': '[lfs]\n\turl = https://example.invalid\n',
    });
    const ran = join(root, 'ran');
    const act = `touch ${ran}`;
    for (const [key, value] of [
      ['filter.evil.smudge', act],
      ['filter.evil.clean', act],
      ['core.fsmonitor', act],
      ['core.sshCommand', act],
      ['core.gitProxy', act],
      ['uploadpack.packObjectsHook', act],
      ['core.alternateRefsCommand', act],
      ['core.pager', act],
      ['credential.helper', `!${act}`],
    ] as const) {
      git(path, 'config', key, value);
    }
    for (const hook of [
      'post-checkout',
      'pre-upload',
      'post-upload',
      'reference-transaction',
      'post-merge',
    ]) {
      await writeFile(join(path, '.git/hooks', hook), `#!/bin/sh\n${act}\n`);
      await chmod(join(path, '.git/hooks', hook), 0o755);
    }
    expect(await fetchFrom(`file://${root}/pdf`, { ref: 'main' })).toMatchObject({
      kind: 'fetched',
      text: TEXT,
    });
    expect((await readdir(root)).sort()).toEqual(['pdf']);
  });

  test('a repository that would fetch what it lacks from elsewhere gets nothing fetched', async () => {
    const { root, path } = await upstream();
    const ran = join(root, 'ran');
    const blob = git(path, 'rev-parse', 'HEAD:SKILL.md');
    const file = join(path, '.git/objects', blob.slice(0, 2), blob.slice(2));
    await chmod(file, 0o600);
    await rm(file);
    git(path, 'config', 'core.repositoryFormatVersion', '1');
    git(path, 'config', 'extensions.partialClone', 'evil');
    git(path, 'config', 'remote.evil.url', `ext::sh -c touch% ${ran}`);
    git(path, 'config', 'remote.evil.promisor', 'true');
    git(path, 'config', 'protocol.ext.allow', 'always');
    expect(code(await fetchFrom(`file://${root}/pdf`, { ref: 'main' }))).not.toBe('fetched');
    expect((await readdir(root)).sort()).toEqual(['pdf']);
  });

  test('objects that break the rules of git are refused as they arrive', async () => {
    const { root, path } = await upstream();
    const blob = git(path, 'rev-parse', 'HEAD:SKILL.md');
    const tree = execFileSync('git', ['mktree'], { cwd: path, input: `100644 blob ${blob}\tSKILL.md\n` })
      .toString()
      .trim();
    const evil = execFileSync('git', ['mktree', '--missing'], {
      cwd: path,
      input: `100644 blob ${blob}\tSKILL.md\n040000 tree ${tree}\t.git\n`,
    })
      .toString()
      .trim();
    git(path, 'update-ref', 'refs/heads/evil', git(path, 'commit-tree', evil, '-m', 'evil'));
    expect(code(await fetchFrom(`file://${root}/pdf`, { ref: 'evil' }))).toBe('fetch-failed');
  });

  test('a tag of something else than a commit, and the id of a tag, are no commits', async () => {
    const { root, path } = await upstream();
    git(path, 'tag', 'blob', git(path, 'rev-parse', 'HEAD:SKILL.md'));
    git(path, 'tag', '-m', 'noted', 'noted');
    const url = `file://${root}/pdf`;
    expect(code(await fetchFrom(url, { ref: 'blob' }))).toBe('not-a-commit');
    expect(code(await fetchFrom(url, { ref: git(path, 'rev-parse', 'refs/tags/noted') }))).toBe(
      'not-a-commit',
    );
  });

  test.each<[string, string | Buffer, string]>([
    [
      'a pointer of Git LFS',
      'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
      'lfs-pointer',
    ],
    ['bytes that are no UTF-8', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xf0, 0x9f, 0x98]), 'not-text'],
    ['a NUL', '---\n\0\n', 'not-text'],
    ['one byte too many', 'x'.repeat(131_073), 'file-too-large'],
  ])('%s is refused', async (_, content, right) => {
    const { root, path } = await upstream();
    await writeFile(join(path, 'SKILL.md'), content);
    commitAll(path, 'second');
    const fetched = await fetchFrom(`file://${root}/pdf`, { ref: 'main' });
    expect(fetched).toMatchObject({
      kind: 'refused',
      findings: [{ code: right, path: 'upstream:SKILL.md' }],
    });
    // A server that leaves out what is too large must not be asked for it again.
    git(path, 'config', 'uploadpack.allowFilter', 'true');
    expect(code(await fetchFrom(`file://${root}/pdf`, { ref: 'main' }))).toBe(right);
  });

  test('a file of exactly the size that is read comes whole', async () => {
    const { root, path } = await upstream();
    await writeFile(join(path, 'SKILL.md'), 'x'.repeat(131_072));
    commitAll(path, 'second');
    git(path, 'config', 'uploadpack.allowFilter', 'true');
    expect(await fetchFrom(`file://${root}/pdf`, { ref: 'main' })).toMatchObject({
      text: 'x'.repeat(131_072),
    });
  });
});

describe('servers that are not as expected', () => {
  test('a redirect is not followed, on this machine or to another', async () => {
    const { root } = await upstream();
    const real = await gitServer(root);
    const moved = await gitServer(root, {
      first: (request, response) => {
        response.writeHead(302, { location: `${real.url}${request.url}` });
        response.end();
        return true;
      },
    });
    expect(code(await fetchFrom(`${moved.url}/pdf/.git`, { ref: 'main' }))).toBe('fetch-failed');
    expect(moved.asked.length).toBeGreaterThan(0);
    expect(real.asked).toEqual([]);
  });

  test('one that wants a password gets none, and nobody is asked', async () => {
    const { root } = await upstream();
    const closed = await gitServer(root, {
      first: (request, response) => {
        expect(request.headers.authorization).toBeUndefined();
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' });
        response.end();
        return true;
      },
    });
    const fetched = await fetchFrom(`${closed.url}/pdf/.git`, { ref: 'main' });
    expect(fetched).toMatchObject({ findings: [{ code: 'fetch-failed', path: '--source' }] });
    expect(JSON.stringify(fetched)).toContain('credentials are never asked for');
  });

  test('one that says nothing is given up when the caller does', async () => {
    const { root } = await upstream();
    const called = new AbortController();
    const silent = await gitServer(root, {
      first: () => {
        called.abort();
        return true;
      },
    });
    const wish = { ref: 'main', signal: called.signal };
    expect(code(await fetchFrom(`${silent.url}/pdf/.git`, wish))).toBe('cancelled');
  });

  test('a repository beyond the bound is given up', async () => {
    const { root } = await upstream({ 'SKILL.md': TEXT });
    const slow = await gitServer(root, {
      // Headers and then an answer that never ends: the bound is looked at while git waits.
      first: (request, response) => {
        if (request.method !== 'POST') return false;
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
        return true;
      },
    });
    const wish = { ref: 'f'.repeat(40), maxBytes: 1 };
    expect(code(await fetchFrom(`${slow.url}/pdf/.git`, wish))).toBe('repository-too-large');
  });

  test('without git on the machine there is no fetch', async () => {
    const mirror = readMirror('file:///nowhere');
    const wanted = readRef('main');
    if (mirror.kind === 'refused' || wanted.kind === 'refused')
      throw new Error('the test asks for nothing good');
    const tools = {
      gitPath: '/nonexistent',
      temporaryDirectory: await tempDir('scratch'),
      signal: new AbortController().signal,
      maxBytes: FETCH_LIMITS.bytes,
    };
    const order = { address: mirror.address, ref: wanted.ref, file: 'SKILL.md' };
    expect(code(await fetchFile(order, tools))).toBe('git-missing');
  });
});
