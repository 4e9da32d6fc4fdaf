/** A repository, a runner's folder, and the workspace of a brief in it: made by the code, so that a test begins where an engineer does. */

import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CheckoutOrder, checkOut } from '../../src/delegate/workspace/checkout.js';
import { type CollectOrder, collect } from '../../src/delegate/workspace/collect.js';
import { type MirrorSettings, mirror } from '../../src/delegate/workspace/mirror.js';
import type { GitTools } from '../../src/delegate/workspace/our-git.js';
import { takePlaces } from '../../src/delegate/workspace/places.js';
import type { BriefPlaces, Collection } from '../../src/delegate/workspace/workspace.js';
import { commitAll, git, makeRepository, putFiles } from './repository.js';
import { tempDir } from './temp-dir.js';

export const TOOLS: GitTools = {
  path: process.env['PATH'] ?? '/usr/bin:/bin',
  signal: new AbortController().signal,
  timeoutMs: 60_000,
};

export const BRANCH = 'bnerd/run-feature-01/1-1';
export const BRIEF = 'run-feature-01.t1.a1.o1';

export interface Workspace {
  /** The repository that the team works on. */
  readonly source: string;
  readonly base: string;
  readonly settings: MirrorSettings;
  readonly mirror: string;
  readonly places: BriefPlaces;
  readonly given: readonly string[];
  /** Runs git as the engineer would. */
  git(...words: readonly string[]): string;
  /** Collects, as the runner does after the engineer has gone. */
  collect(change?: Partial<CollectOrder>, tools?: GitTools): Promise<Collection>;
}

/** Settings of a runner in a fresh folder. */
export async function runnerFolder(protocols: readonly string[] = ['file']): Promise<MirrorSettings> {
  return { workdir: await tempDir('runner'), protocols, env: {} };
}

/** A repository with two commits on `main`. */
export async function sourceRepository(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const source = await makeRepository(join(await tempDir('source'), 'repository'));
  await putFiles(source, { 'README.md': 'one\n', 'src/a.ts': 'a\n' });
  commitAll(source, 'first');
  await putFiles(source, { 'README.md': 'one\ntwo\n', ...files });
  commitAll(source, 'second');
  return source;
}

/** Takes the folder of a brief and checks out there, as a runner does; throws where it may not. */
export async function makeWorkspace({
  workdir,
  brief,
  ...order
}: Omit<CheckoutOrder, 'tree'> & { readonly workdir: string; readonly brief: string }): Promise<{
  readonly places: BriefPlaces;
  readonly given: readonly string[];
}> {
  const places = await takePlaces(workdir, brief);
  if ('kind' in places) throw new Error(places.detail);
  const made = await checkOut({ ...order, tree: places.tree }, TOOLS);
  if (made.kind === 'failed') throw new Error(made.detail);
  return { places, given: made.given };
}

/** The workspace of a brief on the head of a repository. */
export async function workspace(files: Readonly<Record<string, string>> = {}): Promise<Workspace> {
  const source = await sourceRepository(files);
  const base = git(source, 'rev-parse', 'HEAD');
  const settings = await runnerFolder();
  const mirrored = await mirror({ repo: source, base }, settings, TOOLS);
  if (mirrored.kind !== 'ready') throw new Error(mirrored.detail);
  const order = { source: mirrored.gitDir, commit: base, branch: BRANCH, subdir: '' };
  const { places, given } = await makeWorkspace({ ...order, workdir: settings.workdir, brief: BRIEF });
  const collecting = {
    places,
    mirror: mirrored.gitDir,
    base,
    branch: BRANCH,
    given,
    protect: [],
    artifacts: [],
  };
  return {
    source,
    base,
    settings,
    mirror: mirrored.gitDir,
    places,
    given,
    git: (...words) => git(places.tree, ...words),
    collect: (change, tools = TOOLS) => collect({ ...collecting, ...change }, tools),
  };
}

/** A program that writes its arguments to `<folder>/ran` and passes its input on; gives its path. */
export async function spy(folder: string): Promise<string> {
  const path = join(folder, 'spy.sh');
  await writeFile(path, `#!/bin/sh\necho "$@" >> '${join(folder, 'ran')}'\ncat\n`);
  await chmod(path, 0o755);
  return path;
}

/** Makes a named pipe, which keeps whoever opens it waiting. */
export function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}
