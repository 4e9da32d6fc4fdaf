/**
 * What git says of a tree that somebody else may have written: which history it has, and what a file was at a
 * commit. Asked with hardened git, in the repository that lies in the tree itself.
 *
 * A root commit is a parentless commit of HEAD's history. Forks share it, and whoever has one of its commits can
 * make a history that holds it: it tells repositories apart, it proves nothing about their files.
 */

import { type GitOutcome, hardenedGit, runGit } from '../../shared/git.js';
import { gitDirectory } from '../../shared/git-directory.js';
import { gitFailureText } from '../../shared/git-words.js';
import { isInside } from '../../shared/inner-path.js';
import { programPath } from '../../shared/program-path.js';

export type RootCommits =
  /** The one of the first-parent history comes first; none: no repository, or nothing is committed. */
  | { readonly kind: 'known'; readonly commits: readonly string[] }
  /** `why` is a sentence: a shallow clone, a broken repository, no git. */
  | { readonly kind: 'unknown'; readonly why: string };

export type CommittedFile =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Who wrote a text last, by the history of its repository. */
export type LastAuthor =
  /** `email` as the commit has it, which its author chose. */
  | { readonly kind: 'known'; readonly email: string; readonly commit: string }
  /** `why` is a sentence. */
  | { readonly kind: 'unknown'; readonly why: string };

/** Walking a history of a million commits takes this long on a slow disk. */
const TIMEOUT_MS = 60_000;

/** Room for thousands of root commits. */
const COMMITS_BYTES = 256 * 1024;

/**
 * The root commits of a tree.
 * @param root real path of the tree; `.git` is looked for here and nowhere above
 * @param gitPath `PATH` to find git in; entries inside the tree are not used
 */
export async function rootCommits(root: string, gitPath: string): Promise<RootCommits> {
  const git = await gitIn(root, gitPath);
  if (git === 'none') return { kind: 'known', commits: [] };
  if (git === 'unusable') return { kind: 'unknown', why: `what lies at .git of ${root} cannot be used` };
  const shallow = await git(['rev-parse', '--is-shallow-repository'], COMMITS_BYTES);
  if (shallow.kind !== 'done') return { kind: 'unknown', why: words(shallow) };
  if (shallow.output.trim() !== 'false') {
    return { kind: 'unknown', why: 'it is a shallow clone, whose history does not reach a root commit' };
  }
  if (!(await hasCommit(git))) return { kind: 'known', commits: [] };
  const roots = ['rev-list', '--max-parents=0'];
  const first = await git([...roots, '--first-parent', 'HEAD', '--'], COMMITS_BYTES);
  const all = await git([...roots, 'HEAD', '--'], COMMITS_BYTES);
  for (const outcome of [first, all]) {
    if (outcome.kind !== 'done') return { kind: 'unknown', why: words(outcome) };
    if (outcome.cut) return { kind: 'unknown', why: 'it has too many root commits' };
  }
  return { kind: 'known', commits: [...new Set([...commitsOf(first), ...commitsOf(all)])] };
}

/** The commit a tree stands on; null where there is no repository or nothing is committed. */
export async function headCommit(root: string, gitPath: string): Promise<string | null> {
  const git = await gitIn(root, gitPath);
  if (typeof git === 'string') return null;
  return commitsOf(await git(HEAD_COMMIT, COMMITS_BYTES))[0] ?? null;
}

/**
 * A file as a commit has it, whatever the working tree says.
 * @param path relative to the root, of our own writing
 * @param maxBytes a larger file is unreadable
 */
export async function committedFile(
  { root, commit, path, maxBytes }: { root: string; commit: string; path: string; maxBytes: number },
  gitPath: string,
): Promise<CommittedFile> {
  const unreadable = (why: string): CommittedFile => ({ kind: 'unreadable', why });
  if (!COMMIT.test(commit)) return unreadable(`"${commit}" is no commit`);
  const git = await gitIn(root, gitPath);
  if (typeof git === 'string') return unreadable(`${root} is no git repository that can be used`);
  const listed = await git(['ls-tree', '-z', '--full-tree', commit, '--', path], COMMITS_BYTES);
  if (listed.kind !== 'done') return unreadable(words(listed));
  if (listed.output === '') return { kind: 'absent' };
  const blob = /^100(?:644|755) blob ([0-9a-f]+)\t/.exec(listed.output)?.[1];
  if (blob === undefined) return unreadable('it is no regular file there');
  const read = await git(['cat-file', 'blob', blob], maxBytes + 1);
  if (read.kind !== 'done') return unreadable(words(read));
  if (Buffer.byteLength(read.output) > maxBytes) return unreadable(`it has more than ${maxBytes} bytes`);
  return { kind: 'read', text: read.output };
}

/**
 * The author of the commit that changed a file last, as long as the text in hand is the committed one.
 * @param path relative to the root, of our own writing
 * @param isText whether a committed text is the one that is asked about
 */
export async function lastAuthor(
  { root, path, isText }: { root: string; path: string; isText: (committed: string) => boolean },
  gitPath: string,
): Promise<LastAuthor> {
  const unknown = (why: string): LastAuthor => ({ kind: 'unknown', why });
  const git = await gitIn(root, gitPath);
  const commit = await headCommit(root, gitPath);
  if (typeof git === 'string' || commit === null)
    return unknown(`${root} is no git repository with a commit`);
  const file = await committedFile({ root, commit, path, maxBytes: AUTHORED_BYTES }, gitPath);
  if (file.kind === 'unreadable') return unknown(file.why);
  if (file.kind === 'absent' || !isText(file.text)) return unknown('this text is not committed');
  const changed = await git(['rev-list', '--max-count=1', commit, '--', path], COMMITS_BYTES);
  const [last] = commitsOf(changed);
  if (last === undefined) return unknown('no commit of its history changed it');
  const object = await git(['cat-file', 'commit', last], AUTHORED_BYTES);
  if (object.kind !== 'done') return unknown(words(object));
  const email = /^author [^\n]*<([^>\n]*)> \d+ [+-]\d+$/m.exec(object.output.split('\n\n', 1)[0] ?? '')?.[1];
  if (email === undefined) return unknown(`commit ${last} names no author`);
  // The oldest commit of a shallow clone seems to have written everything in it.
  const hasParents = /^parent /m.test(object.output);
  const cutOff =
    hasParents &&
    (await git(['rev-parse', '--verify', '--quiet', `${last}^`], COMMITS_BYTES)).kind !== 'done';
  return cutOff
    ? unknown('it is a shallow clone, whose history does not say')
    : { kind: 'known', email, commit: last };
}

/** Texts of the catalogue have at most this; so have the heads of commits. */
const AUTHORED_BYTES = 1024 * 1024;

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const HEAD_COMMIT = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];

type Git = (args: readonly string[], maxBytes: number) => Promise<GitOutcome>;

async function gitIn(root: string, gitPath: string): Promise<Git | 'none' | 'unusable'> {
  const found = await gitDirectory(root);
  if (found.kind !== 'found') return found.kind;
  // A `git` that the tree brings along is not the one to ask about it.
  const options = { path: await programPath(gitPath, (folder) => isInside(folder, root)) };
  const signal = new AbortController().signal; // ends with its deadline
  return (args, maxBytes) => {
    // A commit is what its name says: local replacements are nobody else's history.
    const command = hardenedGit(
      { gitDir: found.gitDir, workTree: root },
      ['--no-replace-objects', ...args],
      options,
    );
    return runGit(command, { signal, timeoutMs: TIMEOUT_MS, maxBytes });
  };
}

async function hasCommit(git: Git): Promise<boolean> {
  const head = await git(HEAD_COMMIT, COMMITS_BYTES);
  // Anything but "there is none" is said by the walk.
  return !(head.kind === 'failed' && head.code === 1);
}

function commitsOf(outcome: GitOutcome): string[] {
  return outcome.kind === 'done' ? outcome.output.split('\n').filter((line) => COMMIT.test(line)) : [];
}

function words(outcome: Exclude<GitOutcome, { kind: 'done' }>): string {
  return gitFailureText(outcome, TIMEOUT_MS).replaceAll(/\s+/g, ' ');
}
