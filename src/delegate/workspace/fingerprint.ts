/**
 * What must not change while an engineer works, taken before and after (spec/runner.md §3 "Verify", `escaped`): what is left
 * of other briefs, the mirrors, and the team's workspace where it lies on this machine.
 *
 *  F1 everything has a name for people, and each difference is told by it;
 *  F2 what others change by right is no difference: briefs that are still at work, a new commit in a mirror, a folder that
 *     was pruned, branches under `refs/heads/bnerd/`;
 *  F3 a place that cannot be looked at is a state of its own: it is a difference when it was none before.
 *
 * It is evidence, not a wall: what lies elsewhere on the machine is outside of it, and whether a member of the team has
 * changed the workspace meanwhile, the record knows.
 */

import { readdir, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sha256 } from '../../shared/digest.js';
import { type BareGitPlace, configuredFilters, type GitPlace } from '../../shared/git.js';
import { gitDirectory } from '../../shared/git-directory.js';
import { isInside } from '../../shared/inner-path.js';
import { baseRef, LOOKED_THROUGH, mirrorsFolder } from './mirror.js';
import { bare, type GitTools, gitFailure, ourGit } from './our-git.js';
import { briefsFolder, keptBriefs, UNFINISHED } from './places.js';
import { isPlainFolder, readPlainFile } from './plain-file.js';
import { shownPath } from './shown-path.js';
import { type LookBudget, statDigest, statLine } from './stat-digest.js';

export interface Watched {
  /** The runner's folder. */
  readonly workdir: string;
  /** The brief at work. */
  readonly brief: string;
  /** The team's repository, where it lies on this machine; else null. */
  readonly workspace: string | null;
}

/** By the name of each thing, how it was. */
export type Fingerprint = ReadonlyMap<string, string>;

/** Files of kept trees, all together: a large repository has a hundred thousand. */
const ENTRIES = 300_000;

/** Of a list that git gives. */
const LIST_BYTES = 16 << 20;

/** Changed files of a workspace that are looked at one by one. */
const CHANGED_FILES = 5_000;

/** Differences that are named. */
const NAMED = 50;

const TEAMS = 'the team’s repository';

export async function takeFingerprint(watched: Watched, tools: GitTools): Promise<Fingerprint> {
  const found = new Map<string, string>();
  const budget: LookBudget = { entries: ENTRIES };
  await addBriefs(found, watched, budget, tools.signal);
  await addMirrors(found, watched.workdir, budget, tools);
  if (watched.workspace !== null)
    await addWorkspace(found, { ...watched, workspace: watched.workspace }, budget, tools);
  return found;
}

/** The part that is the team's repository, and the part that is the runner's own: who may change them differs. */
export function partOf(fingerprint: Fingerprint, part: 'runner' | 'team'): Fingerprint {
  const isTeams = (name: string): boolean => name.startsWith(TEAMS) || name.endsWith(` of ${TEAMS}`);
  return new Map([...fingerprint].filter(([name]) => isTeams(name) === (part === 'team')));
}

/** The names of what differs, for people, bounded. None: nothing has changed. */
export function fingerprintDifferences(before: Fingerprint, after: Fingerprint): readonly string[] {
  const differences: string[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [then, now] = [before.get(name), after.get(name)];
    if (then === now || isByRight(name, then, now)) continue;
    const how = name.startsWith('ref ')
      ? then === undefined
        ? 'is new'
        : now === undefined
          ? 'is gone'
          : 'was moved'
      : 'has changed';
    differences.push(`${name} ${how}`);
  }
  const named = differences.sort().slice(0, NAMED);
  return named.length === differences.length ? named : [...named, `… and ${differences.length - NAMED} more`];
}

/** F2: whoever else uses the folder takes briefs, keeps and prunes them, and makes and removes mirrors. */
function isByRight(name: string, then: string | undefined, now: string | undefined): boolean {
  if (name.startsWith('brief ')) return then === undefined || then === AT_WORK || now === undefined;
  return name.startsWith('mirror ') && (then === undefined || now === undefined);
}

const AT_WORK = 'at work';

/** Of a list whose entries stand for themselves (F3). */
const READ = 'read';

/** What was kept of other briefs. */
async function addBriefs(
  found: Map<string, string>,
  { workdir, brief: own }: Watched,
  budget: LookBudget,
  signal: AbortSignal,
): Promise<void> {
  const names = await readdir(briefsFolder(workdir)).catch(() => []);
  const kept = new Map((await keptBriefs(workdir)).map(({ brief, root }) => [brief, root]));
  for (const name of names.filter((each) => each !== own && !each.startsWith(UNFINISHED)).sort()) {
    const root = kept.get(name);
    const state = root === undefined ? AT_WORK : await statDigest(root, budget, signal);
    found.set(`brief ${shownPath(name)}, which is kept,`, state);
  }
}

/** What decides how git behaves in a repository, by content: tools write some of it anew without changing it. */
const SETTINGS: readonly string[] = [
  'HEAD',
  'config',
  'config.worktree',
  'info/attributes',
  'info/exclude',
  'info/grafts',
  'objects/info/alternates',
];

const SETTINGS_BYTES = 1 << 20;

async function settingState(path: string): Promise<string> {
  const read = await readPlainFile(path, SETTINGS_BYTES);
  if (read.kind === 'read') return sha256(read.bytes);
  return read.kind === 'missing' ? read.kind : read.why;
}

/** Of each mirror what nobody changes by right: its settings, and refs that say what is not so. */
async function addMirrors(
  found: Map<string, string>,
  workdir: string,
  budget: LookBudget,
  tools: GitTools,
): Promise<void> {
  const folder = mirrorsFolder(workdir);
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith(UNFINISHED));
  for (const name of names.sort()) {
    const gitDir = join(folder, name);
    const shown = `mirror ${basename(name, '.git').slice(0, 12)}`;
    const settings = await Promise.all(SETTINGS.map((part) => settingState(join(gitDir, part))));
    settings.push(await statDigest(join(gitDir, 'hooks'), budget, tools.signal));
    found.set(`${shown}, its settings`, sha256(settings.join('\n')));
    const refs = await refsOf(bare(gitDir), tools);
    found.set(`${shown}, its refs`, typeof refs === 'string' ? refs : READ);
    if (typeof refs !== 'string')
      for (const [ref, commit] of refs)
        if (ref !== baseRef(commit) && !ref.startsWith(LOOKED_THROUGH))
          found.set(`ref ${shownPath(ref)} of ${shown}`, commit);
  }
}

async function addWorkspace(
  found: Map<string, string>,
  { workspace, workdir }: { readonly workspace: string; readonly workdir: string },
  budget: LookBudget,
  tools: GitTools,
): Promise<void> {
  const place = await repositoryAt(workspace);
  found.set(`${TEAMS} itself`, place === null ? 'missing' : place.gitDir);
  if (place === null) return;
  const common = await ourGit(tools, place, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  const folders = new Set([place.gitDir, common.kind === 'done' ? common.output.trim() : place.gitDir]);
  for (const folder of folders) {
    for (const part of SETTINGS) {
      const at = folder === place.gitDir ? part : `common ${part}`;
      found.set(`${TEAMS}, ${at},`, await settingState(join(folder, part)));
    }
    found.set(`${TEAMS}, hooks of ${folder},`, await statDigest(join(folder, 'hooks'), budget, tools.signal));
  }
  const head = await ourGit(tools, place, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  found.set(`${TEAMS}, the commit of HEAD,`, head.kind === 'done' ? head.output.trim() : head.kind);
  const refs = await refsOf(place, tools);
  found.set(`${TEAMS}, its refs`, typeof refs === 'string' ? refs : READ);
  if (typeof refs !== 'string')
    for (const [ref, commit] of refs)
      if (!ref.startsWith('refs/heads/bnerd/')) found.set(`ref ${shownPath(ref)} of ${TEAMS}`, commit);
  if (place.workTree !== null) await addFiles(found, place, await realpath(workdir), tools);
}

/** What differs from HEAD, each with its own state, so that a second change of a changed file is seen. */
async function addFiles(
  found: Map<string, string>,
  place: GitPlace,
  workdir: string,
  tools: GitTools,
): Promise<void> {
  const name = `${TEAMS}, its files`;
  const filters = await configuredFilters(
    place,
    { path: tools.path },
    { signal: tools.signal, timeoutMs: tools.timeoutMs, maxBytes: LIST_BYTES },
  );
  if (filters.kind !== 'filters') {
    found.set(name, gitFailure(filters, 'filters', tools).detail);
    return;
  }
  const options = [
    '--porcelain=v2',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=all',
  ];
  const status = await ourGit(tools, place, ['status', ...options], {
    filters: filters.names,
    maxBytes: LIST_BYTES,
  });
  if (status.kind !== 'done') {
    found.set(name, gitFailure(status, 'status', tools).detail);
    return;
  }
  const entries = status.output.split('\0').filter((entry) => entry !== '');
  for (const entry of entries.slice(0, CHANGED_FILES)) {
    const path = pathOf(entry);
    if (isInside(join(place.workTree, path), workdir)) continue; // the runner's own
    found.set(
      `file ${shownPath(path)} of ${TEAMS}`,
      `${entry} ${await statLine(join(place.workTree, path))}`,
    );
  }
  found.set(name, entries.length > CHANGED_FILES || status.cut ? sha256(status.output) : '');
}

/** `? path`, or the ninth field of a changed entry, or the eleventh of one with conflicts. */
function pathOf(entry: string): string {
  const fields = { '1': 8, u: 10 }[entry.charAt(0)] ?? 1;
  return entry.split(' ').slice(fields).join(' ');
}

async function refsOf(
  place: GitPlace | BareGitPlace,
  tools: GitTools,
): Promise<ReadonlyMap<string, string> | string> {
  const listed = await ourGit(tools, place, ['for-each-ref', '--format=%(refname) %(objectname)'], {
    maxBytes: LIST_BYTES,
  });
  if (listed.kind !== 'done') return gitFailure(listed, 'refs', tools).detail;
  const lines = listed.output.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line): [string, string] => [
      line.slice(0, line.lastIndexOf(' ')),
      line.slice(line.lastIndexOf(' ') + 1),
    ]),
  );
}

/** A tree with its repository, or a repository without one. */
async function repositoryAt(path: string): Promise<GitPlace | BareGitPlace | null> {
  const root = await realpath(path).catch(() => null);
  if (root === null) return null;
  const found = await gitDirectory(root);
  if (found.kind === 'found') return { gitDir: found.gitDir, workTree: root };
  return (await isPlainFolder(join(root, 'objects'))) && (await isPlainFolder(join(root, 'refs')))
    ? bare(root)
    : null;
}
