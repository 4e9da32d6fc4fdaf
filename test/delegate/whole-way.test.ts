// The way of a brief's work through all parts: from the team's repository to an engineer and back, with nothing but git between.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Deliveries } from '../../src/delegate/deliver/deliver.js';
import { bundle } from '../../src/delegate/workspace/bundle.js';
import { collect } from '../../src/delegate/workspace/collect.js';
import { fingerprintDifferences, takeFingerprint } from '../../src/delegate/workspace/fingerprint.js';
import { mirror } from '../../src/delegate/workspace/mirror.js';
import { commitAll, git, makeRepository, putFiles } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { BRANCH, BRIEF, makeWorkspace, runnerFolder, TOOLS } from '../helpers/workspace.js';

test.each(['sha1', 'sha256'] as const)(
  'work goes out and comes back, in a repository of %s, with a merge of older history in it',
  async (format) => {
    const repo = await makeRepository(join(await tempDir('team'), 'repository'), format);
    await putFiles(repo, { 'a.txt': 'a\n' });
    const old = commitAll(repo, 'old');
    await putFiles(repo, { 'b.txt': 'b\n' });
    const base = commitAll(repo, 'base');
    const settings = await runnerFolder();
    const { workdir } = settings;
    const mirrored = await mirror({ repo, base }, settings, TOOLS);
    if (mirrored.kind !== 'ready') throw new Error(mirrored.detail);
    const source = mirrored.gitDir;
    const { places, given } = await makeWorkspace({
      ...{ workdir, brief: BRIEF, source },
      ...{ commit: base, branch: BRANCH, subdir: '' },
    });
    const watched = { workdir, brief: BRIEF, workspace: repo };
    const before = await takeFingerprint(watched, TOOLS);

    const engineer = (...words: string[]): string => git(places.tree, ...words);
    engineer('switch', '--quiet', '--detach', old);
    await putFiles(places.tree, { 'side.txt': 'side\n' });
    const side = commitAll(places.tree, 'side');
    engineer('switch', '--quiet', BRANCH);
    engineer('merge', '--quiet', '--no-edit', side);
    const head = engineer('rev-parse', 'HEAD');

    const order = {
      places,
      mirror: source,
      base,
      branch: BRANCH,
      given,
      protect: [],
      artifacts: ['side.txt'],
    };
    const collection = await collect(order, TOOLS);
    expect(collection).toMatchObject({
      collected: { head, changed: ['side.txt'], missingArtifacts: [], strayed: null },
    });
    const path = join(workdir, 'bundle');
    expect(
      await bundle({ quarantine: places.quarantine, base, head, branch: BRANCH, path }, TOOLS),
    ).toMatchObject({
      kind: 'bundled',
    });
    expect(fingerprintDifferences(before, await takeFingerprint(watched, TOOLS))).toEqual([]);

    const deliveries = new Deliveries(TOOLS, join(workdir, 'scratch'));
    const { signal } = TOOLS;
    const delivery = await deliveries.deliver(
      { workspace: repo, bundle: path, base, head, branch: BRANCH },
      signal,
    );
    expect(delivery).toMatchObject({ kind: 'delivered', made: 'now' });
    expect(git(repo, 'log', '--format=%s', `${base}..${BRANCH}`).split('\n').sort()).toEqual(
      [`Merge commit '${side}' into ${BRANCH}`, 'side'].sort(),
    );
    git(repo, 'fsck', '--strict');
    expect(git(repo, 'status', '--porcelain')).toBe('');
    expect(fingerprintDifferences(before, await takeFingerprint(watched, TOOLS))).toEqual([]);
  },
);

test('every git of ours carries the marks of its owner', async () => {
  const repo = await makeRepository(join(await tempDir('team'), 'repository'));
  await putFiles(repo, { 'a.txt': 'a\n' });
  const base = commitAll(repo, 'first');
  const trace = join(await tempDir('trace'), 'trace');
  // git itself tells what it was given.
  const marks = { BNERD_TEAM: 'run-feature-01', GIT_TRACE2_EVENT: trace, GIT_TRACE2_ENV_VARS: 'BNERD_TEAM' };
  const settings = await runnerFolder();
  expect(await mirror({ repo, base }, settings, { ...TOOLS, marks })).toMatchObject({ kind: 'ready' });
  const events = (await readFile(trace, 'utf8'))
    .trim()
    .split('\n')
    .map((line): { event: string; sid: string; param?: string } => JSON.parse(line));
  const programs = new Set(events.map(({ sid }) => sid));
  const marked = new Set(events.filter(({ param }) => param === 'BNERD_TEAM').map(({ sid }) => sid));
  expect(programs.size).toBeGreaterThan(3);
  expect([...marked].sort()).toEqual([...programs].sort());
});
