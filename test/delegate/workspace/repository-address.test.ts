import { expect, test } from 'vitest';
import { readRepositoryAddress } from '../../../src/delegate/workspace/repository-address.js';

const ALL = ['file', 'https', 'ssh', 'http'];

test.each([
  ['/home/me/repository', 'file', '/home/me/repository'],
  ['file:///home/me/a%20b', 'file', '/home/me/a b'],
  ['https://example.org/a/b.git', 'https', null],
  ['ssh://git@example.org:2222/a.git', 'ssh', null],
  ['git@example.org:a/b.git', 'ssh', null],
  ['git@example.org:.config/..b/c..', 'ssh', null],
  ['http://127.0.0.1:8080/a', 'http', null],
])('%s is an address of %s', (repo, protocol, path) => {
  const read = readRepositoryAddress(repo, ALL);
  expect(read).toEqual({ kind: 'address', address: { url: path ?? repo, protocol, path } });
  const others = ALL.filter((name) => name !== protocol);
  expect(readRepositoryAddress(repo, others)).toMatchObject({
    kind: 'refused',
    detail: expect.stringContaining(`does not use ${protocol}; allowed: ${others.join(', ')}`),
  });
});

test.each([
  ['', 'no address'],
  ['repository', 'no address'],
  ['./repository', 'no address'],
  ['-oProxyCommand=x', 'no address'],
  ['ext::sh -c x', 'no address'],
  ['git@-oProxyCommand=x:y', 'no address'],
  ['git@example.org:--upload-pack=x', 'no address'],
  ['ssh://-oProxyCommand=x/y', 'no address'],
  ['file://host/path', 'no address'],
  ['https://example.org', 'no address'],
  ['git://example.org/x', 'no address'],
  ['/a\nb', 'control characters'],
  ['/srv/team/../other', 'shortest form'],
  ['/srv/team/..', 'shortest form'],
  ['/srv/./team', 'shortest form'],
  ['file:///srv/team/%2e%2E/other', 'shortest form'],
  ['https://example.org/team/../other.git', 'shortest form'],
  ['https://example.org/team/.%2e%2fother.git', 'shortest form'],
  ['https://example.org/team\\..\\other.git', 'shortest form'],
  ['ssh://git@example.org/team/../other.git', 'shortest form'],
  ['git@example.org:../other.git', 'shortest form'],
  ['https://user@example.org/x', 'carries a password'],
  ['ssh://git:word@example.org/x', 'carries a password'],
])('%j is refused: %s', (repo, why) => {
  const read = readRepositoryAddress(repo, ALL);
  expect(read).toMatchObject({ kind: 'refused', detail: expect.stringContaining(why) });
  expect(JSON.stringify(read)).not.toContain('word@');
});
