// spec/team.md §1 "Trust is one rule", invariant 13: what approves a file, and what does not.
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitAll, git } from '../../helpers/repository.js';
import { BY, DIGEST, OTHER_DIGEST, operator, REVOKED_BY } from './trusting.js';

const UNTRUSTED = { kind: 'untrusted', changed: false };

describe("the operator's own file", () => {
  test('without one nothing is trusted, and nothing is wrong', async () => {
    const me = await operator();
    const trust = me.trust();
    expect(await trust.verdict(me.question())).toEqual(UNTRUSTED);
    expect(await trust.placeTrusted(me.project)).toBe(false);
    expect(await trust.findings()).toEqual([]);
  });

  test('approves exactly one text of one file of one kind in one place', async () => {
    const me = await operator();
    await me.write({ files: [me.approval()] });
    const trust = me.trust();
    expect(await trust.verdict(me.question())).toEqual({
      kind: 'trusted',
      by: `ann@example.com in ${me.own}`,
    });
    const elsewhere = join(me.project, '..', 'copy');
    git(me.home, 'clone', '--quiet', me.project, elsewhere);
    for (const other of [
      { kind: 'recipe' as const },
      { tier: 'mission' as const },
      { path: '.bnerd/roles/A.md' },
      { path: 'sub/.bnerd/roles/a.md' },
      { root: elsewhere },
    ]) {
      expect(await trust.verdict(me.question(other)), JSON.stringify(other)).toEqual(UNTRUSTED);
    }
    expect(await trust.verdict(me.question({ digest: OTHER_DIGEST }))).toEqual({
      kind: 'untrusted',
      changed: true,
    });
  });

  test('an entry that names another root commit does not count, even for the same path', async () => {
    const me = await operator();
    await me.write({ files: [me.approval({ root_commit: 'c'.repeat(40) })] });
    expect(await me.trust().verdict(me.question())).toEqual(UNTRUSTED);
  });

  test('a place needs path and root commit, and both must match', async () => {
    const me = await operator();
    const place = { path: me.project, root_commit: me.commit, ...BY };
    await me.write({ places: [place] });
    expect(await me.trust().verdict(me.question())).toMatchObject({ kind: 'trusted' });
    expect(await me.trust().placeTrusted(me.project)).toBe(true);
    await me.write({ places: [{ ...place, root_commit: 'c'.repeat(40) }] });
    expect(await me.trust().placeTrusted(me.project)).toBe(false);
    await me.write({ places: [{ ...place, path: me.mission }] });
    expect(await me.trust().placeTrusted(me.project)).toBe(false);
  });

  test('a place is the same after a merge of another history, and not in a shallow clone', async () => {
    const me = await operator();
    await me.write({ places: [{ path: me.project, root_commit: me.commit, ...BY }] });
    git(me.project, 'checkout', '--quiet', '--orphan', 'other');
    commitAll(me.project, 'another root');
    git(me.project, 'merge', '--quiet', '--allow-unrelated-histories', '-m', 'both', 'main');
    expect(await me.trust().placeTrusted(me.project)).toBe(true);
    const shallow = join(me.home, 'shallow');
    git(me.home, 'clone', '--quiet', '--depth=1', `file://${me.project}`, shallow);
    await me.write({ places: [{ path: shallow, root_commit: me.commit, ...BY }] });
    expect(await me.trust().placeTrusted(shallow)).toBe(false);
  });

  test.each([
    ['a revocation of the file', (_: string) => ({ files: [{ path: '.bnerd/roles/a.md', ...REVOKED_BY }] })],
    ['a revocation of the text, anywhere', () => ({ files: [{ digest: DIGEST, ...REVOKED_BY }] })],
    ['one of everything in the place', (root: string) => ({ files: [{ root, ...REVOKED_BY }] })],
  ])('%s beats every approval and the trusted place', async (_, revoked) => {
    const me = await operator();
    const places = [{ path: me.project, root_commit: me.commit, ...BY }];
    await me.write({ files: [me.approval()], places, revoked: revoked(me.project) });
    expect(await me.trust().verdict(me.question())).toEqual({
      kind: 'revoked',
      by: `eve@example.com in ${me.own}`,
    });
  });

  test('a revoked place is no longer trusted for good; a file approved by itself still is', async () => {
    const me = await operator();
    const places = [{ path: me.project, root_commit: me.commit, ...BY }];
    await me.write({ places, revoked: { places: [{ path: me.project, ...REVOKED_BY }] } });
    expect(await me.trust().placeTrusted(me.project)).toBe(false);
    expect(await me.trust().verdict(me.question())).toEqual(UNTRUSTED);
    await me.write({
      files: [me.approval()],
      places,
      revoked: { places: [{ path: me.project, ...REVOKED_BY }] },
    });
    expect(await me.trust().verdict(me.question())).toMatchObject({ kind: 'trusted' });
  });
});

describe('a file that was named', () => {
  test('approves by root commit alone, file or place, in every clone', async () => {
    const me = await operator();
    const clone = join(me.home, 'clone');
    git(me.home, 'clone', '--quiet', me.project, clone);
    const { root: _, ...approval } = me.approval();
    const extra = [await me.write({ files: [approval] }, join(me.home, 'ci.yaml'))];
    expect(await me.trust({ extra }).verdict(me.question({ root: clone }))).toMatchObject({
      kind: 'trusted',
      by: `ann@example.com in ${extra[0]}`,
    });
    expect(await me.trust({ extra }).placeTrusted(clone)).toBe(false);
    await me.write({ places: [{ root_commit: me.commit, ...BY }] }, extra[0]);
    expect(await me.trust({ extra }).placeTrusted(clone)).toBe(true);
    expect(await me.trust({ extra }).placeTrusted(me.mission)).toBe(false);
  });

  test('a revocation in it beats an approval in the own file, also where the root cannot be known', async () => {
    const me = await operator();
    await me.write({ files: [me.approval()] });
    const revoked = { files: [{ root_commit: me.commit, ...REVOKED_BY }] };
    const extra = [await me.write({ revoked }, join(me.home, 'ci.yaml'))];
    expect(await me.trust({ extra }).verdict(me.question())).toMatchObject({ kind: 'revoked' });
    const shallow = join(me.home, 'shallow');
    commitAll(me.project, 'second');
    git(me.home, 'clone', '--quiet', '--depth=1', `file://${me.project}`, shallow);
    expect(await me.trust({ extra }).verdict(me.question({ root: shallow }))).toMatchObject({
      kind: 'revoked',
    });
    expect(await me.trust({ extra }).verdict(me.question({ root: me.mission }))).toEqual(UNTRUSTED);
  });

  test('one that lies in a tree it could approve is refused', async () => {
    const me = await operator();
    const extra = [await me.write({ files: [me.approval()] }, join(me.project, 'ci/trust.yaml'))];
    const trust = me.trust({ extra });
    expect(await trust.findings()).toMatchObject([{ code: 'unusable-trust-file', severity: 'error' }]);
    expect(await trust.verdict(me.question())).toEqual(UNTRUSTED);
    const link = join(me.home, 'link.yaml');
    await symlink(extra[0] ?? '', link);
    expect(await me.trust({ extra: [link] }).findings()).toMatchObject([
      { message: expect.stringContaining(`lies in ${me.project}`) },
    ]);
  });

  test('one that does not exist is refused', async () => {
    const me = await operator();
    expect(await me.trust({ extra: [join(me.home, 'none.yaml')] }).findings()).toMatchObject([
      { severity: 'error', message: expect.stringContaining('does not exist') },
    ]);
  });
});

describe('the trust file of a named mission repository', () => {
  const approved = async () => {
    const me = await operator();
    const { root: _, ...approval } = me.approval();
    const path = join(me.mission, 'orchestrator/trust.yaml');
    await me.write({ files: [approval] }, path);
    return { me, path, approval, commit: commitAll(me.mission, 'trust') };
  };

  test('counts for project files as the commit has it, whatever the working tree says', async () => {
    const { me, path, approval, commit } = await approved();
    const mission = { path: me.mission, commit };
    expect(await me.trust({ mission }).verdict(me.question())).toMatchObject({
      kind: 'trusted',
      by: `ann@example.com in ${path} at ${commit.slice(0, 12)}`,
    });
    await me.write({ files: [{ ...approval, digest: OTHER_DIGEST }] }, path);
    const other = me.question({ digest: OTHER_DIGEST });
    expect(await me.trust({ mission }).verdict(other)).toEqual({ kind: 'untrusted', changed: true });
    const later = { path: me.mission, commit: commitAll(me.mission, 'more') };
    expect(await me.trust({ mission: later }).verdict(other)).toMatchObject({ kind: 'trusted' });
    // The commit of the start counts, not the newest.
    expect(await me.trust({ mission }).verdict(other)).toEqual({ kind: 'untrusted', changed: true });
  });

  test('is that of the commit by its name, whatever a local replacement makes of it', async () => {
    const me = await operator();
    await me.write({ files: [] }, join(me.mission, 'orchestrator/trust.yaml'));
    const commit = commitAll(me.mission, 'nothing is approved');
    await me.write({ files: [me.approval()] }, join(me.mission, 'orchestrator/trust.yaml'));
    const other = commitAll(me.mission, 'something is');
    git(me.mission, 'replace', commit, other);
    const trust = me.trust({ mission: { path: me.mission, commit } });
    expect(await trust.verdict(me.question())).toEqual({ kind: 'untrusted', changed: false });
  });

  test('without a commit it is not used, and that is said', async () => {
    const { me } = await approved();
    const trust = me.trust({ mission: { path: me.mission, commit: null } });
    expect(await trust.verdict(me.question())).toEqual(UNTRUSTED);
    expect(await trust.findings()).toMatchObject([{ code: 'trust-file-not-used', severity: 'warning' }]);
  });

  test('its places do not count, and that is said; its revocations beat everything', async () => {
    const { me, path } = await approved();
    const places = [{ root_commit: me.commit, ...BY }];
    await me.write({ places, revoked: { files: [{ digest: OTHER_DIGEST, ...REVOKED_BY }] } }, path);
    await me.write({ files: [me.approval({ digest: OTHER_DIGEST })] });
    const trust = me.trust({ mission: { path: me.mission, commit: commitAll(me.mission, 'places') } });
    expect(await trust.verdict(me.question())).toEqual({ kind: 'untrusted', changed: true });
    expect(await trust.placeTrusted(me.project)).toBe(false);
    expect(await trust.findings()).toMatchObject([{ code: 'not-in-effect', severity: 'warning', line: 2 }]);
    expect(await trust.verdict(me.question({ digest: OTHER_DIGEST }))).toMatchObject({ kind: 'revoked' });
  });

  test('a link in its place is an error', async () => {
    const me = await operator();
    await mkdir(join(me.mission, 'orchestrator'));
    await writeFile(join(me.mission, 'real.yaml'), 'version: 1\n');
    await symlink('../real.yaml', join(me.mission, 'orchestrator/trust.yaml'));
    const mission = { path: me.mission, commit: commitAll(me.mission, 'link') };
    expect(await me.trust({ mission }).findings()).toMatchObject([
      { severity: 'error', message: expect.stringContaining('no regular file') },
    ]);
  });
});

describe('a trust file that cannot be used takes all trust away', () => {
  test.each([
    ['unknown key', 'version: 1\nrevokd: {}\n', 2, '`revokd` is no key of a trust file'],
    [
      'unknown key of an entry',
      'version: 1\nrevoked:\n  files:\n    - pth: a\n',
      4,
      '`revoked.files[0].pth`',
    ],
    ['other version', 'version: 2\n', 1, '`version` is the number 2; expected one of 1'],
    ['no version', 'files: []\n', undefined, '`version` is missing'],
    ['broken YAML', 'version: 1\nfiles: [\n', 3, 'YAML'],
    ['a list', '- version\n', 1, 'no mapping'],
    ['key twice', 'version: 1\nfiles: []\nfiles: []\n', 3, 'twice'],
    ['a path that leads out', 'version: 1\nrevoked:\n  files:\n    - path: ../a\n', 4, 'no ".." in it'],
    [
      'a revocation of nothing',
      `version: 1\nrevoked:\n  places:\n    - {revoker: e, at: t}\n`,
      4,
      'must name',
    ],
  ])('%s', async (_, text, line, message) => {
    const me = await operator();
    await me.write({ files: [me.approval()] }, join(me.home, 'ci.yaml'));
    await me.write(text);
    const trust = me.trust({ extra: [join(me.home, 'ci.yaml')] });
    const [finding] = await trust.findings();
    expect(finding).toMatchObject({
      severity: 'error',
      path: me.own,
      message: expect.stringContaining(message),
    });
    expect(finding?.line).toBe(line);
    expect(await trust.verdict(me.question())).toEqual(UNTRUSTED);
    expect(await trust.placeTrusted(me.project)).toBe(false);
  });

  test('an own entry without root, an own place without path', async () => {
    const me = await operator();
    const { root: _, ...approval } = me.approval();
    await me.write({ files: [approval], places: [{ root_commit: me.commit, ...BY }] });
    expect((await me.trust().findings()).map(({ message }) => message)).toEqual([
      '`files[0]` must name `root`: the same text elsewhere is not approved by it',
      '`places[0]` must name `path`: forks have the same root commit',
    ]);
  });

  test.each([
    ['a link', async (own: string) => symlink('/dev/null', own), 'is a link'],
    ['a folder', async (own: string) => mkdir(own), 'is no regular file'],
    [
      'no UTF-8',
      async (own: string) => writeFile(own, Buffer.from([0xff]), { mode: 0o600 }),
      'cannot be read',
    ],
    [
      'too large',
      async (own: string) => writeFile(own, ' '.repeat(1 << 21), { mode: 0o600 }),
      'bytes; at most',
    ],
  ])('%s', async (_, put, message) => {
    const me = await operator();
    await put(me.own);
    expect(await me.trust().findings()).toMatchObject([
      {
        code: 'unusable-trust-file',
        severity: 'error',
        path: me.own,
        message: expect.stringContaining(message),
      },
    ]);
  });

  test('others may write it, or its folder', async () => {
    const me = await operator();
    await me.write({ files: [me.approval()] });
    await chmod(me.own, 0o620);
    expect(await me.trust().findings()).toMatchObject([{ remedy: `chmod go-w ${me.own}` }]);
    expect(await me.trust().verdict(me.question())).toEqual(UNTRUSTED);
    await chmod(me.own, 0o600);
    await chmod(me.home, 0o770);
    expect(await me.trust().findings()).toMatchObject([{ remedy: `chmod go-w ${me.home}` }]);
    await chmod(me.home, 0o755);
    expect(await me.trust().verdict(me.question())).toMatchObject({ kind: 'trusted' });
  });
});

test.each(['first', 'alone', 'current', 'none'])(
  'a git that the tree brings along is not asked: %s',
  async (kind) => {
    const me = await operator();
    await me.write({ places: [{ path: me.project, root_commit: 'c'.repeat(40), ...BY }] });
    await writeFile(join(me.project, 'git'), `#!/bin/sh\necho ${'c'.repeat(40)}\n`, { mode: 0o755 });
    const paths: Record<string, string> = {
      first: `${me.project}:.:${process.env['PATH'] ?? ''}`,
      alone: me.project,
      current: '.',
      none: '', // to a system this is the current directory
    };
    expect(await me.trust({ gitPath: paths[kind] ?? '' }).placeTrusted(me.project)).toBe(false);
    await me.write({ places: [{ path: me.project, root_commit: me.commit, ...BY }] });
    expect(await me.trust({ gitPath: paths[kind] ?? '' }).placeTrusted(me.project)).toBe(true);
  },
);
