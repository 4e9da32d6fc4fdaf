/**
 * The work in a quarantine, in words and numbers: commits, files, what a gate must see, what was left behind in the tree.
 * Everything that is listed is bounded and shown so that it can be read; what is left out is counted.
 */

import { PATCH_OPTIONS } from '../../shared/git.js';
import { oneLine } from '../../shared/terminal-text.js';
import { bare, failed, type GitTools, gitFailure, ourGit, type WorkspaceFailure } from './our-git.js';
import { firstOf, pathsUnder, shownPath } from './shown-path.js';
import type { BriefPlaces, Collected } from './workspace.js';

export interface WorkOrder {
  readonly places: Pick<BriefPlaces, 'tree' | 'quarantine'>;
  readonly base: string;
  /** In the quarantine, and descends from the base. */
  readonly head: string;
  readonly branch: string;
  readonly protect: readonly string[];
  readonly artifacts: readonly string[];
}

export type Described =
  | ({ readonly kind: 'described' } & Omit<Collected, 'head' | 'strayed'>)
  | WorkspaceFailure;

/** Numbers are those of the schema of a result; bytes together leave it far below what is read of one. */
const LISTED = {
  commits: { items: 1_000, bytes: 256 << 10 },
  changed: { items: 10_000, bytes: 512 << 10 },
  protected: { items: 10_000, bytes: 256 << 10 },
  uncommitted: { items: 1_000, bytes: 64 << 10 },
} as const;

const SUBJECT_CHARACTERS = 500;

type Git = (args: readonly string[], at?: 'tree') => Promise<string>;

/** A command that has failed; read by `describeWork`, thrown nowhere else. */
class Failure extends Error {
  readonly failure: WorkspaceFailure;

  constructor(failure: WorkspaceFailure) {
    super(failure.detail);
    this.failure = failure;
  }
}

export async function describeWork(order: WorkOrder, tools: GitTools): Promise<Described> {
  try {
    const git = gitOf(order, tools);
    const { base, head, artifacts, protect } = order;
    const { commits, count } = await commitsOf(git, base, head);
    const { files, insertions, deletions } = await changesOf(git, base, head);
    const underGlobs = pathsUnder(protect, files);
    const uncommitted = await uncommittedOf(git, order);
    const [changed, guarded, left] = [
      firstOf(files.map(shownPath), LISTED.changed),
      firstOf(underGlobs.map(shownPath), LISTED.protected),
      firstOf(uncommitted.map(shownPath), LISTED.uncommitted),
    ];
    return {
      kind: 'described',
      commits,
      diffstat: { files: files.length, insertions, deletions },
      changed,
      protected: guarded,
      uncommitted: left,
      missingArtifacts: await missingOf(git, head, artifacts),
      leftOut: {
        commits: count - commits.length,
        changed: files.length - changed.length,
        protected: underGlobs.length - guarded.length,
        uncommitted: uncommitted.length - left.length,
      },
    };
  } catch (error) {
    if (error instanceof Failure) return error.failure;
    throw error;
  }
}

function gitOf({ places: { tree, quarantine } }: WorkOrder, tools: GitTools): Git {
  return async (args, at) => {
    const place = at === 'tree' ? { gitDir: quarantine, workTree: tree } : bare(quarantine);
    const outcome = await ourGit(tools, place, args);
    if (outcome.kind === 'done' && !outcome.cut) return outcome.output;
    const what = `looking at the work of the engineer at ${tree}`;
    throw new Failure(
      outcome.kind === 'done'
        ? failed('workspace', `${what}: git ${args[0]} lists more than can be told; there are too many files`)
        : gitFailure(outcome, what, tools),
    );
  };
}

async function commitsOf(
  git: Git,
  base: string,
  head: string,
): Promise<{ commits: Collected['commits']; count: number }> {
  const range = `${base}..${head}`;
  const count = Number(await git(['rev-list', '--count', range, '--']));
  const format = ['--topo-order', `--max-count=${LISTED.commits.items}`, '-z', '--format=%H %s'];
  const log = await git(['log', ...PATCH_OPTIONS, '--no-patch', ...format, range, '--']);
  const commits = log
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const end = entry.indexOf(' ');
      return { sha: entry.slice(0, end), subject: oneLine(entry.slice(end + 1), SUBJECT_CHARACTERS) };
    });
  return { commits: firstOf(commits, LISTED.commits), count };
}

/** A renamed file is one that went and one that came: both have to be seen. */
async function changesOf(
  git: Git,
  base: string,
  head: string,
): Promise<{ files: string[]; insertions: number; deletions: number }> {
  // Between commits nobody steps into a submodule; that it became another one has to be seen.
  const seen = [...PATCH_OPTIONS, '--ignore-submodules=none', '--no-renames'];
  const output = await git(['diff', ...seen, '--numstat', '-z', base, head, '--']);
  const files: string[] = [];
  let insertions = 0;
  let deletions = 0;
  for (const entry of output.split('\0')) {
    const match = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(entry);
    if (match === null) continue;
    const [, added = '-', gone = '-', path = ''] = match;
    files.push(path);
    // A binary file has no lines.
    insertions += added === '-' ? 0 : Number(added);
    deletions += gone === '-' ? 0 : Number(gone);
  }
  return { files: files.sort(), insertions, deletions };
}

/** What in the tree is not as the head has it, but for what its own `.gitignore` leaves out. */
async function uncommittedOf(git: Git, { head, branch }: WorkOrder): Promise<string[]> {
  await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  await git(['read-tree', head]);
  const options = [
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=normal',
    '--ignore-submodules=all',
  ];
  const output = await git(['status', ...options], 'tree');
  const entries = output.split('\0').filter((entry) => entry !== '');
  return entries.map((entry) => entry.slice(3)).sort();
}

async function missingOf(git: Git, head: string, artifacts: readonly string[]): Promise<string[]> {
  if (artifacts.length === 0) return [];
  const output = await git(['ls-tree', '-z', '--full-tree', head, '--', ...artifacts]);
  const files = output
    .split('\0')
    .flatMap((entry) => /^100(?:644|755) blob [0-9a-f]+\t(.+)$/s.exec(entry)?.[1] ?? []);
  return artifacts.filter((artifact) => !files.includes(artifact));
}
