// The words of an order, judged before git sees them: each row is something that was tried on some importer.
import { describe, expect, test } from 'vitest';
import { readMirror, readUrl } from '../../../src/skills/import/git-address.js';
import { readFilePath, readRef } from '../../../src/skills/import/git-wish.js';

const code = (read: { readonly kind: string; readonly finding?: { readonly code: string } }): string =>
  read.finding?.code ?? read.kind;

describe('--url', () => {
  test.each([
    ['https://github.com/example/commit-guide'],
    ['https://github.com/example/commit-guide.git'],
    ['https://git.example.org:8443/a/b%20c'],
  ])('%s is an address', (url) => {
    expect(readUrl(url)).toEqual({
      kind: 'address',
      address: { url, protocol: 'https', flag: '--url' },
      findings: [],
    });
  });

  test.each([
    ['', 'url-protocol'],
    ['ext::sh -c touch% /tmp/x', 'url-protocol'],
    ['fd::17/foo', 'url-protocol'],
    ['--upload-pack=touch /tmp/x', 'url-protocol'],
    ['-oProxyCommand=touch', 'url-protocol'],
    ['file:///etc', 'url-protocol'],
    ['http://example.org/x', 'url-protocol'],
    ['http://127.0.0.1/x', 'url-protocol'],
    ['ssh://-oProxyCommand=x/y', 'url-protocol'],
    ['ssh://user:secret@example.org/x', 'url-protocol'],
    ['git://example.org/x', 'url-protocol'],
    ['git@github.com:example/x', 'url-protocol'],
    ['/srv/git/x', 'url-protocol'],
    [' https://example.org/x', 'url-protocol'],
    ['HTTPS://example.org/x', 'url-protocol'],
    ['https::https://example.org/x', 'url-protocol'],
    ['https://', 'url-malformed'],
    ['https://example.org', 'url-not-plain'],
    ['https://example.org/', 'url-no-repository'],
    ['https://user@example.org/x', 'url-user-info'],
    ['https://user:secret@example.org/x', 'url-user-info'],
    ['https://example.org@evil.example/x', 'url-user-info'],
    ['https://example.org/x@y', 'url-parts'],
    ['https://example.org/x?y', 'url-parts'],
    ['https://example.org/x#y', 'url-parts'],
    ['https://example.org:443/x', 'url-not-plain'],
    ['https://example.org:99999/x', 'url-malformed'],
    ['https://EXAMPLE.org/x', 'url-not-plain'],
    ['https://example.org/a/../../x', 'url-not-plain'],
    ['https://example.org/%2e%2e/x', 'url-not-plain'],
    ['https://2130706433/x', 'url-not-plain'],
    ['https://0x7f.1/x', 'url-not-plain'],
    ['https://example.org/x\n--upload-pack=y', 'url-malformed'],
    ['https://example.org/x\ty', 'url-malformed'],
    ['https://example.org/x y', 'url-malformed'],
    ['https://example.org/x%0ay', 'url-malformed'],
    ['https://example.org/x%00y', 'url-malformed'],
    ['https://example.org\\@evil.example/x', 'url-malformed'],
    ['https://ex\u0430mple.org/x', 'url-malformed'],
    ['https://example\u3002org/x', 'url-malformed'],
    ['https://example.org/\u202ex', 'url-malformed'],
    [`https://example.org/${'x'.repeat(1_024)}`, 'url-too-long'],
  ])('%j is refused: %s', (url, right) => {
    const read = readUrl(url);
    expect(code(read)).toBe(right);
    expect(JSON.stringify(read)).not.toContain('secret');
  });

  test('letters beyond ASCII in their encoded form are told of', () => {
    expect(readUrl('https://xn--exmple-4nf.org/x')).toMatchObject({
      kind: 'address',
      findings: [{ code: 'url-look-alike', severity: 'warning', path: '--url' }],
    });
  });
});

describe('--source', () => {
  test.each([
    ['https://mirror.example.org/x', 'https'],
    ['file:///srv/git/x', 'file'],
    ['http://127.0.0.1:8080/x', 'http'],
    ['http://localhost:8080/x', 'http'],
    ['http://[::1]:8080/x', 'http'],
  ])('%s is an address', (url, protocol) => {
    expect(readMirror(url)).toMatchObject({ kind: 'address', address: { url, protocol } });
  });

  test.each([
    ['http://example.org/x', 'url-protocol'],
    ['http://127.0.0.1.example.org/x', 'url-protocol'],
    ['http://localhost.example.org/x', 'url-protocol'],
    ['http://10.0.0.1/x', 'url-protocol'],
    ['file://server/share', 'url-malformed'],
    ['file:///a/../b', 'url-not-plain'],
    ['file:relative', 'url-protocol'],
    ['file:///', 'url-no-repository'],
  ])('%j is refused: %s', (url, right) => {
    expect(code(readMirror(url))).toBe(right);
  });
});

describe('--ref', () => {
  test.each([
    ['v1.2.0'],
    ['main'],
    ['release/1.x'],
    ['refs/tags/v1'],
    ['refs/heads/main'],
    ['HEAD'],
    ['a@b'],
  ])('%s is a name', (ref) => {
    expect(readRef(ref)).toMatchObject({ kind: 'ref', ref: { kind: 'name', name: ref } });
  });

  test.each([['a'.repeat(40)], ['0'.repeat(64)]])('%s is a commit', (sha) => {
    expect(readRef(sha)).toEqual({ kind: 'ref', ref: { kind: 'commit', sha } });
  });

  test.each([
    [''],
    ['--'],
    ['-x'],
    ['--upload-pack=x'],
    ['@'],
    ['main@{yesterday}'],
    ['HEAD~1'],
    ['HEAD^'],
    ['v1^{commit}'],
    [':/text'],
    ['a..b'],
    ['main:evil'],
    ['+main'],
    ['refs/heads/*'],
    ['v?'],
    ['v[1]'],
    ['a\\b'],
    ['a b'],
    ['a\nb'],
    ['a\u0000b'],
    ['a\u200bb'],
    ['m\u0430in'],
    ['.hidden'],
    ['a/.b'],
    ['a//b'],
    ['/a'],
    ['a/'],
    ['a.'],
    ['a.lock'],
    ['a.lock/b'],
    ['refs/pull/1/head'],
    ['refs/remotes/origin/main'],
    ['refs/heads/'],
    ['A'.repeat(40)],
    ['a'.repeat(41)],
    ['x'.repeat(201)],
  ])('%j is refused', (ref) => {
    expect(code(readRef(ref))).toBe('bad-ref');
  });
});

describe('--file', () => {
  test.each([['SKILL.md'], ['skills/pdf/SKILL.md'], ['a b/ä.md']])('%s is a path', (path) => {
    expect(readFilePath(path)).toEqual({ kind: 'path', path });
  });

  test.each([
    [''],
    ['/etc/passwd'],
    ['../SKILL.md'],
    ['a/../SKILL.md'],
    ['a/..'],
    ['./SKILL.md'],
    ['a//b'],
    ['a/'],
    ['~/x'],
    ['C:/x'],
    ['a\\b'],
    ['-x'],
    [':(top)x'],
    ['a\nb'],
    ['a\u0000b'],
    ['a\u202eb'],
    ['x'.repeat(513)],
    ['a/'.repeat(16).concat('x')],
  ])('%j is refused', (path) => {
    expect(code(readFilePath(path))).toBe('bad-file');
  });
});
