// spec/team.md §1 "Trust is one rule" through the program: places, and trust files that come from elsewhere.
import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitAll, git } from '../helpers/repository.js';
import { hasTerminal, Terminal } from '../helpers/terminal.js';
import { put, type Stranger, stranger } from './stranger.js';

/** A clone of the repository at another path. */
function clone(at: Stranger, ...flags: readonly string[]): string {
  const path = join(at.place.root, 'clone');
  git(at.place.root, 'clone', '--quiet', ...flags, `file://${at.repository}`, path);
  return path;
}

describe('a place', () => {
  test('trusted for good: every file, now and after a change, here and in no clone', async () => {
    const at = await stranger();
    const run = await at.bnerd(['trust', '--repo', '--yes', '--as', 'ann'], {
      cwd: join(at.repository, '.claude'),
    });
    const commit = git(at.repository, 'rev-parse', 'HEAD');
    expect(run).toMatchObject({ exit: 0, stdout: '' });
    expect(run.stderr).toBe(
      `trusted for good ${at.repository} (root commit ${commit}) as ann in ${at.own}\n`,
    );
    expect(new Set((await at.files()).map(({ state }) => state))).toEqual(new Set(['trusted']));
    expect(await at.isInEffect()).toBe(true);
    await at.write(
      '.bnerd/teams/review/team.md',
      '---\nname: review\ndescription: New\nlead: boss\nroles: [boss]\n---\nx\n',
    );
    expect(await at.isInEffect()).toBe(true);
    expect(await at.isInEffect({ cwd: clone(at) })).toBe(false);
    expect((await at.bnerd(['trust'])).stdout).toContain(
      `place ${at.repository} (root commit ${commit}): trusted for good by ann in ${at.own}\n`,
    );
  });

  test('another repository at the same path is not trusted', async () => {
    const at = await stranger();
    await at.here(['trust', '--repo', '--yes']);
    await rename(join(at.repository, '.git'), join(at.place.root, 'git-before'));
    expect(await at.isInEffect()).toBe(false);
    git(at.repository, 'init', '--quiet');
    git(at.repository, 'commit', '--quiet', '--allow-empty', '--message', 'not the same');
    expect(await at.isInEffect()).toBe(false);
  });

  test('revoked it is as before; files approved one by one stay approved', async () => {
    const at = await stranger();
    await at.approve('review');
    await at.here(['trust', '--repo', '--yes']);
    expect(await at.bnerd(['trust', '--revoke', '--repo'])).toMatchObject({
      exit: 0,
      stderr: `revoked the trust in ${at.repository} in ${at.own}\n`,
    });
    expect((await at.files()).map(({ name, state }) => [name, state])).toEqual([
      ['review', 'trusted'],
      ['boss', 'untrusted'],
      ['tone', 'untrusted'],
      ['lore', 'untrusted'],
    ]);
    expect((await at.here(['trust', '--repo', '--yes'])).exit).toBe(0);
    expect(await at.file('boss')).toMatchObject({ state: 'trusted' });
  });

  test('without a terminal and without --yes it is refused, as is what has no root commit', async () => {
    const at = await stranger();
    expect(await at.bnerd(['trust', '--repo'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('error needs-yes'),
    });
    for (const [path, why] of [
      [at.place.work, 'there is no git repository here or above'],
      [join(at.place.root, 'nowhere'), 'it does not exist'],
    ] as const) {
      expect(await at.bnerd(['trust', '--repo', path, '--yes'])).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining(why),
      });
    }
    git(at.place.work, 'init', '--quiet');
    expect((await at.bnerd(['trust', '--repo', at.place.work, '--yes'])).stderr).toContain(
      'nothing is committed in it yet (commit first, or approve its files one by one with bnerd trust)',
    );
    commitAll(at.repository, 'second');
    const shallow = clone(at, '--depth=1');
    expect((await at.bnerd(['trust', '--repo', shallow, '--yes'])).stderr).toContain('it is a shallow clone');
    expect(await readdir(at.place.root)).not.toContain('state');
  });

  test('a mission repository that was found and is trusted for good counts as named', async () => {
    const at = await stranger({
      '.bnerd/context.md': 'A mission.\n',
      'orchestrator/teams/review/team.md':
        '---\nname: review\ndescription: d\nlead: boss\nroles: [boss]\n---\nx\n',
    });
    expect(await at.isInEffect()).toBe(false);
    await at.here(['trust', '--repo', '--yes']);
    expect(await at.isInEffect()).toBe(true);
    await at.here(['trust', '--revoke', '--repo']);
    expect(await at.isInEffect()).toBe(false);
  });

  if (hasTerminal()) {
    test('at the terminal it is asked about with its path and root commit', async () => {
      const at = await stranger();
      const terminal = new Terminal(['trust', '--repo'], { place: at.place, cwd: at.repository });
      await terminal.shows(
        `trust ${at.repository} (root commit ${git(at.repository, 'rev-parse', 'HEAD')}) for good`,
      );
      await terminal.shows('? [y/N]: ');
      terminal.type('y\n');
      expect(await terminal.ended).toBe(0);
      expect(await at.file('boss')).toMatchObject({ state: 'trusted' });
    });
  }
});

describe('trust files from elsewhere', () => {
  /** A trust file of an operator that approves `review` in every clone. */
  async function carried(at: Stranger): Promise<string> {
    const { digest } = await at.file('review');
    const commit = git(at.repository, 'rev-list', '--max-parents=0', 'HEAD');
    const path = join(at.place.root, 'ci.yaml');
    await writeFile(
      path,
      `version: 1\nfiles:\n  - kind: recipe\n    tier: project\n    path: .bnerd/teams/review/team.md\n    root_commit: ${commit}\n    digest: "${digest}"\n    approver: ci\n    at: today\n`,
    );
    return path;
  }

  test('the own word in one clone is none in another; a file brought by --trust or BNERD_TRUST is', async () => {
    const at = await stranger();
    await at.approve('review');
    const cwd = clone(at);
    expect(await at.isInEffect()).toBe(true);
    expect(await at.isInEffect({ cwd })).toBe(false);
    const trust = await carried(at);
    expect(await at.isInEffect({ cwd }, '--trust', trust)).toBe(true);
    expect(await at.isInEffect({ cwd, env: { BNERD_TRUST: '../ci.yaml' } })).toBe(true);
    expect(await at.file('review', { cwd }, '--trust', trust)).toMatchObject({
      state: 'trusted',
      by: `ci in ${trust}`,
    });
  });

  test('one that lies in the repository it approves is refused, also behind a link', async () => {
    const at = await stranger();
    const trust = await carried(at);
    const inside = join(at.repository, 'ci.yaml');
    await rename(trust, inside);
    await symlink(inside, trust);
    for (const path of [inside, trust]) {
      const run = await at.bnerd(['trust', '--trust', path]);
      expect(run).toMatchObject({ exit: 2, stdout: '' });
      expect(run.stderr).toContain(`lies in ${at.repository}, whose files it could approve`);
      expect(await at.isInEffect({}, '--trust', path)).toBe(false);
    }
  });

  test('that of a named mission repository counts as committed, and not as it lies there', async () => {
    const at = await stranger();
    const mission = join(at.place.root, 'mission');
    const approval = await readFile(await carried(at), 'utf8');
    await put(join(mission, 'orchestrator/trust.yaml'), 'version: 1\n');
    commitAll(mission, 'nothing is approved');
    await put(join(mission, 'orchestrator/trust.yaml'), approval);
    const named = ['--mission-repo', mission];
    expect(await at.isInEffect({}, ...named)).toBe(false);
    commitAll(mission, 'approved');
    expect(await at.isInEffect({}, ...named)).toBe(true);
    await put(join(mission, 'orchestrator/trust.yaml'), 'broken: [');
    expect(await at.isInEffect({}, ...named)).toBe(true);
    // A found one does not speak for itself, however it is committed.
    await put(join(at.repository, 'orchestrator/trust.yaml'), approval);
    await put(join(at.repository, '.bnerd/context.md'), 'A mission.\n');
    commitAll(at.repository, 'a mission that approves itself');
    expect(await at.isInEffect()).toBe(false);
  });
});

describe('the own trust file', () => {
  test('lies where BNERD_HOME says, and moves with it', async () => {
    const at = await stranger();
    await at.approve('review');
    const moved = join(at.place.root, 'moved');
    const env = { BNERD_HOME: moved };
    expect(await at.isInEffect({ env })).toBe(false);
    await mkdir(moved, { mode: 0o700 });
    await rename(at.own, join(moved, 'trust.yaml'));
    expect(await at.isInEffect({ env })).toBe(true);
    expect(await at.isInEffect()).toBe(false);
  });

  test.each([
    ['an unknown key', 'version: 1\nrevokd: {}\n', ':2: error unknown-key'],
    ['broken YAML', 'version: 1\nfiles: [\n', ': error yaml-error'],
  ])('with %s it refuses every word and every run, and nothing counts', async (_, text, message) => {
    const at = await stranger();
    await at.here(['trust', '--repo', '--yes']);
    await writeFile(at.own, text);
    for (const words of [
      ['trust'],
      ['trust', 'boss', '--digest', '1:x'],
      ['trust', '--revoke', 'boss'],
      ['team', 'run', 'review'],
    ]) {
      const run = await at.bnerd(words);
      expect(run.exit, words.join(' ')).toBe(2);
      expect(run.stderr).toContain(at.own);
      expect(run.stderr).toContain(message);
    }
    expect(await at.isInEffect()).toBe(false);
    expect(await at.readOwn()).toBe(text);
  });

  test('that others may write is not believed', async () => {
    const at = await stranger();
    await at.approve('review');
    await chmod(at.own, 0o666);
    const run = await at.bnerd(['trust']);
    expect(run).toMatchObject({ exit: 2, stderr: expect.stringContaining(`chmod go-w ${at.own}`) });
    expect(await at.isInEffect()).toBe(false);
  });
});
