import { appendFile, chmod, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  fingerprintDifferences,
  partOf,
  takeFingerprint,
} from '../../../src/delegate/workspace/fingerprint.js';
import { mirror } from '../../../src/delegate/workspace/mirror.js';
import { keepPlaces, takePlaces } from '../../../src/delegate/workspace/places.js';
import type { BriefPlaces } from '../../../src/delegate/workspace/workspace.js';
import { commitAll, git, makeRepository, putFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { BRANCH, BRIEF, spy, TOOLS, type Workspace, workspace } from '../../helpers/workspace.js';

interface Scene extends Workspace {
  readonly kept: BriefPlaces;
  readonly working: BriefPlaces;
  /** What differs after this was done. */
  after(change: (scene: Scene) => unknown): Promise<readonly string[]>;
}

async function scene(): Promise<Scene> {
  const made = await workspace({ '.gitignore': 'dist/\n' });
  const { workdir } = made.settings;
  const place = async (brief: string): Promise<BriefPlaces> => {
    const places = await takePlaces(workdir, brief);
    if ('kind' in places) throw new Error(places.detail);
    await putFiles(places.root, { 'tree/src/a.ts': 'a\n', 'tree/.git/config': '' });
    return places;
  };
  const kept = await place('run-other.t1.a1.o1');
  await keepPlaces(kept, { brief: 'run-other.t1.a1.o1', at: '2026-01-01T00:00:00.000Z', why: 'it failed' });
  const working = await place('run-other.t2.a1.o1');
  // The team's own work is under way: that is no difference.
  await putFiles(made.source, { 'README.md': 'being edited\n', 'new.txt': 'x\n' });
  const watched = { workdir, brief: BRIEF, workspace: made.source };
  const all: Scene = {
    ...made,
    kept,
    working,
    after: async (change) => {
      const before = await takeFingerprint(watched, TOOLS);
      await change(all);
      return fingerprintDifferences(before, await takeFingerprint(watched, TOOLS));
    },
  };
  return all;
}

test('what others and the engineer itself do by right is no difference', async () => {
  const { after, settings, source, places, working, mirror: gitDir } = await scene();
  expect(
    await after(async () => {
      await putFiles(places.tree, { 'work.txt': 'x' });
      await putFiles(working.root, { 'tree/other.txt': 'x' });
      await takePlaces(settings.workdir, 'run-third.t1.a1.o1');
      git(source, 'branch', BRANCH);
      const commit = git(source, 'commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'x');
      git(source, 'update-ref', 'refs/heads/bnerd/other', commit);
      expect(await mirror({ repo: source, base: commit }, settings, TOOLS)).toMatchObject({
        kind: 'ready',
        gitDir,
      });
      const other = await makeRepository(join(await tempDir('other'), 'other'));
      await mirror({ repo: other, base: commitAll(other, 'x') }, settings, TOOLS);
      // A look by another git refreshes the index; a build writes what is ignored.
      git(source, 'status');
      await putFiles(source, { 'dist/out.js': 'x' });
      const config = await readFile(join(source, '.git/config'));
      await writeFile(join(source, '.git/config'), config);
    }),
  ).toEqual([]);
  expect(await after(({ kept }) => rm(kept.root, { recursive: true }))).toEqual([]);
});

const team = 'the team’s repository';
/** What is done, one after the other, and how it is told; what takes the place away comes last. */
const CHANGES: readonly [string, (scene: Scene) => unknown, readonly (string | RegExp)[]][] = [
  ['a tag is made', ({ source }) => git(source, 'tag', 'v1'), [`ref refs/tags/v1 of ${team} is new`]],
  [
    'a file is changed',
    ({ source }) => putFiles(source, { 'src/a.ts': 'b\n' }),
    [`file src/a.ts of ${team} has changed`],
  ],
  [
    'a changed file is changed again',
    ({ source }) => putFiles(source, { 'README.md': 'edited again' }),
    [`file README.md of ${team} has changed`],
  ],
  [
    'a new file is changed',
    ({ source }) => putFiles(source, { 'new.txt': 'y\n' }),
    [`file new.txt of ${team} has changed`],
  ],
  [
    'a file with a strange name is made',
    ({ source }) => putFiles(source, { 'a\nb': '' }),
    [`file a\\u{a}b of ${team} has changed`],
  ],
  [
    'something is staged',
    ({ source }) => git(source, 'add', 'new.txt'),
    [`file new.txt of ${team} has changed`],
  ],
  [
    'a hook is planted',
    ({ source }) => putFiles(source, { '.git/hooks/post-commit': '#!/bin/sh\n' }),
    [/hooks of .* has changed/],
  ],
  [
    'a setting is planted',
    ({ source }) => git(source, 'config', 'core.fsmonitor', 'x'),
    [`${team}, config, has changed`],
  ],
  [
    'a ref of the mirror is made',
    ({ mirror: at, base }) => git(at, '--git-dir=.', 'update-ref', 'refs/heads/x', base),
    [/^ref refs\/heads\/x of mirror [0-9a-f]{12} is new$/],
  ],
  [
    'a base of the mirror is another commit',
    ({ mirror: at, base }) =>
      git(at, '--git-dir=.', 'update-ref', `refs/bnerd/bases/${'1'.repeat(40)}`, base),
    [/^ref refs\/bnerd\/bases\/1+ of mirror .* is new$/],
  ],
  [
    'a setting of the mirror is planted',
    ({ mirror: at }) => appendFile(join(at, 'config'), '[core]\n\tfsmonitor = x\n'),
    [/^mirror [0-9a-f]{12}, its settings has changed$/],
  ],
  [
    'a kept tree is changed',
    ({ kept }) => putFiles(kept.root, { 'tree/src/a.ts': 'b\n' }),
    [/^brief run-other.t1.a1.o1, which is kept, has changed$/],
  ],
  [
    'a kept git directory is changed',
    ({ kept }) => putFiles(kept.root, { 'tree/.git/hooks/x': '' }),
    [/^brief run-other.t1/],
  ],
  [
    'a branch of the team is moved',
    ({ source }) => git(source, 'update-ref', 'refs/heads/main', 'HEAD~1'),
    [/^ref refs\/heads\/main of/, /commit of HEAD/, /^file /],
  ],
  [
    'HEAD is moved',
    ({ source }) => git(source, 'symbolic-ref', 'HEAD', 'refs/heads/x'),
    [/HEAD, has changed/, /commit of HEAD/],
  ],
  ['a kept brief loses its mark', ({ kept }) => rm(join(kept.root, 'kept.json')), [/^brief run-other.t1/]],
  [
    'the repository is removed',
    ({ source }) => rm(join(source, '.git'), { recursive: true }),
    [`${team} itself has changed`],
  ],
];

test('L228 each change is told by its name, and no other is', async () => {
  const { after } = await scene();
  for (const [what, change, names] of CHANGES) {
    const found = await after(change);
    for (const name of names)
      expect(found, what).toContainEqual(typeof name === 'string' ? name : expect.stringMatching(name));
    if (names.length === 1 && !what.includes('removed')) expect(found, what).toHaveLength(1);
  }
});

test('a change whose time is set back is seen', async () => {
  const { after } = await scene();
  const found = await after(async ({ kept }) => {
    const path = join(kept.root, 'tree/src/a.ts');
    const old = new Date(0);
    await utimes(path, old, old);
    await writeFile(path, 'b\n');
    await utimes(path, old, old);
  });
  expect(found).toHaveLength(1);
});

test('many differences are bounded and counted', async () => {
  const { after } = await scene();
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`many/${at}`, 'x']));
  const found = await after(({ source }) => putFiles(source, many));
  expect(found).toHaveLength(51);
  expect(found.at(-1)).toBe('… and 10 more');
});

test('nothing that the team’s repository configures is run, and links lead nowhere', async () => {
  const { after, source, kept } = await scene();
  const trap = await tempDir('trap');
  const program = await spy(trap);
  for (const key of ['core.fsmonitor', 'filter.evil.clean', 'core.alternateRefsCommand'])
    git(source, 'config', key, program);
  await putFiles(source, { '.gitattributes': '* filter=evil\n' });
  const secret = await tempDir('secret');
  await symlink(secret, join(kept.root, 'tree/link'));
  await mkdir(join(kept.root, 'tree/closed'));
  await chmod(join(kept.root, 'tree/closed'), 0);
  expect(await after(() => writeFile(join(secret, 'x'), 'x'))).toEqual([]);
  await expect(readFile(join(trap, 'ran'))).rejects.toThrow('ENOENT');
});

test('a workspace without a tree, a linked one, and one that is no repository have a fingerprint as well', async () => {
  const { source, settings } = await scene();
  const away = await tempDir('away');
  git(source, 'clone', '--quiet', '--bare', '.', join(away, 'bare.git'));
  git(source, 'worktree', 'add', '--quiet', '--detach', join(away, 'linked'));
  const differs = async (at: string, change: () => unknown): Promise<readonly string[]> => {
    const watched = { workdir: settings.workdir, brief: BRIEF, workspace: at };
    const before = await takeFingerprint(watched, TOOLS);
    await change();
    return fingerprintDifferences(before, await takeFingerprint(watched, TOOLS));
  };
  const bareGit = (): string =>
    git(join(away, 'bare.git'), '--git-dir=.', 'update-ref', 'refs/heads/x', 'HEAD');
  expect(await differs(join(away, 'bare.git'), bareGit)).toEqual([`ref refs/heads/x of ${team} is new`]);
  const config = (): string => git(source, 'config', 'core.fsmonitor', 'x');
  expect(await differs(join(away, 'linked'), config)).toEqual([`${team}, common config, has changed`]);
  // The runner's own folder may lie in it.
  const watchedInside = { workdir: join(source, 'runner'), brief: BRIEF, workspace: source };
  await putFiles(source, { 'runner/log': 'x' });
  const inside = await takeFingerprint(watchedInside, TOOLS);
  await putFiles(source, { 'runner/log': 'xy', 'runner/new': 'x' });
  expect(fingerprintDifferences(inside, await takeFingerprint(watchedInside, TOOLS))).toEqual([]);
  const plain = await tempDir('plain');
  expect(await differs(plain, () => makeRepository(plain))).toContain(`${team} itself has changed`);
});

test('the part of the team and the part of the runner are told apart, and are the whole', async () => {
  const { source, settings, kept } = await scene();
  const watched = { workdir: settings.workdir, brief: BRIEF, workspace: source };
  const before = await takeFingerprint(watched, TOOLS);
  git(source, 'update-ref', 'refs/heads/x', 'HEAD');
  await putFiles(source, { 'of the team.txt': 'x' });
  await putFiles(kept.root, { 'tree/src/a.ts': 'changed\n' });
  const after = await takeFingerprint(watched, TOOLS);
  const differences = (part: 'runner' | 'team'): readonly string[] =>
    fingerprintDifferences(partOf(before, part), partOf(after, part));
  expect(differences('runner')).toEqual(['brief run-other.t1.a1.o1, which is kept, has changed']);
  expect(differences('team')).toEqual([
    `file of the team.txt of ${team} has changed`,
    `ref refs/heads/x of ${team} is new`,
  ]);
});
