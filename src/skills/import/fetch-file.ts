/**
 * One file of a repository of others, at one commit (spec/skills.md §9): the ref is resolved to the full commit id and
 * the bytes are read with plumbing, never by a checkout, so that no filter, attribute or link of the repository acts.
 *
 * Always true of what is fetched: it is a regular file of that commit, not reached through a link or a submodule, at
 * most `MAX_FILE_BYTES`, UTF-8 without NUL, and its bytes give the id that the commit names.
 */

import { createHash } from 'node:crypto';
import type { Finding } from '../../shared/findings.js';
import { gitFailureText } from '../../shared/git-words.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { GitAddress } from './git-address.js';
import type { WantedRef } from './git-wish.js';
import {
  FETCH_LIMITS,
  type FetchTools,
  type ScratchOutcome,
  ScratchRepository,
} from './scratch-repository.js';

/** What to fetch: words that `git-address.ts` and `git-wish.ts` have accepted. */
export interface FetchOrder {
  readonly address: GitAddress;
  readonly ref: WantedRef;
  /** Path in the repository. */
  readonly file: string;
}

export type Fetched =
  | {
      readonly kind: 'fetched';
      /** The commit id in full. */
      readonly commit: string;
      readonly text: string;
    }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** A body and a frontmatter at their bounds, with room for the white space that neither counts. */
export const MAX_FILE_BYTES = 131_072;

/** Where the commit is put in our own repository. */
const OURS = 'refs/bnerd/import';

const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Fetches a file. Nothing is left behind; rejects only when the temporary folder cannot be used. */
export async function fetchFile(order: FetchOrder, tools: FetchTools): Promise<Fetched> {
  const scratch = await ScratchRepository.open(tools);
  try {
    const commit = await fetchCommit(scratch, order);
    if (commit.kind === 'refused') return commit;
    const blob = await findBlob(scratch, commit.id, order.file);
    if (blob.kind === 'refused') return blob;
    const read = await readBlob(scratch, blob.id, order.file);
    return read.kind === 'refused' ? read : { kind: 'fetched', commit: commit.id, text: read.text };
  } finally {
    await scratch.close();
  }
}

type Refused = Extract<Fetched, { kind: 'refused' }>;
type Identified = { readonly kind: 'id'; readonly id: string } | Refused;

/** What to ask the other side for, and the id of the object that this is there. */
type Located = { readonly kind: 'located'; readonly wanted: string; readonly objectId: string } | Refused;

async function fetchCommit(scratch: ScratchRepository, { address, ref }: FetchOrder): Promise<Identified> {
  const located = await locate(scratch, address, ref);
  if (located.kind === 'refused') return located;
  const { wanted, objectId } = located;
  const made = await scratch.init(objectId.length === 64 ? 'sha256' : 'sha1');
  if (made.kind !== 'done') return failed(address.flag, made);
  const brought = await bring(scratch, address, wanted);
  if (brought.kind !== 'done') return failed(address.flag, brought);
  const peeled = await scratch.read([
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${OURS}^{commit}`,
  ]);
  const id = peeled.kind === 'done' ? peeled.output.trim() : '';
  if (COMMIT_ID.test(id) && (ref.kind === 'name' || id === ref.sha)) return { kind: 'id', id };
  return refused(
    'not-a-commit',
    '--ref',
    `"${wanted}" is no commit`,
    'name a commit, or a tag or branch of one',
  );
}

/** A commit by its id, or the one branch or tag of this name. */
async function locate(scratch: ScratchRepository, address: GitAddress, ref: WantedRef): Promise<Located> {
  if (ref.kind === 'commit') return { kind: 'located', wanted: ref.sha, objectId: ref.sha };
  const { name, full } = ref;
  const listed = await scratch.speak(address, ['ls-remote', '--quiet'], full);
  if (listed.kind !== 'done') return failed(address.flag, listed);
  const there = listed.output.split('\n').flatMap((line) => {
    const [objectId = '', wanted = ''] = line.split('\t');
    return full.includes(wanted) ? [{ wanted, objectId }] : []; // the patterns match the ends of names
  });
  const [one, other] = there;
  if (one === undefined) {
    const message = `there is no tag and no branch "${name}"`;
    return refused('unknown-ref', '--ref', message, 'name a tag, a branch, or a commit in full');
  }
  if (other === undefined) return { kind: 'located', ...one };
  const message = `"${name}" is a tag and a branch`;
  return refused('ambiguous-ref', '--ref', message, `write ${full.join(' or ')}`);
}

/** Options of a fetch: one thing, without tags, submodules, or maintenance behind our back. */
export const FETCH: readonly string[] = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
];

/** One commit without its history and without files that are too large anyway; where a server allows it. */
async function bring(
  scratch: ScratchRepository,
  address: GitAddress,
  wanted: string,
): Promise<ScratchOutcome> {
  const small = `--filter=blob:limit=${MAX_FILE_BYTES + 1}`;
  const alone = await scratch.speak(address, [...FETCH, '--depth=1', small], [`+${wanted}:${OURS}`]);
  if (alone.kind !== 'failed' || wanted.startsWith('refs/')) return alone;
  // A server may hand out only what its branches and tags name: then the commit lies behind one of them, or nowhere.
  const all = ['+refs/heads/*:refs/bnerd/heads/*', '+refs/tags/*:refs/bnerd/tags/*'];
  const everything = await scratch.speak(address, [...FETCH, small], all);
  if (everything.kind !== 'done') return alone;
  const named = await scratch.read(['update-ref', OURS, wanted]);
  return named.kind === 'done' ? named : alone;
}

async function findBlob(scratch: ScratchRepository, commit: string, file: string): Promise<Identified> {
  const parts = file.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const path = parts.slice(0, depth).join('/');
    const listed = await scratch.read(['ls-tree', '-z', '--full-tree', '--end-of-options', commit, path]);
    if (listed.kind !== 'done') return failed('--file', listed);
    const [, mode = '', id = '', at] = /^(\d{6}) \w+ ([0-9a-f]+)\t([^\0]*)\0$/.exec(listed.output) ?? [];
    const last = depth === parts.length;
    if (at === path && last && /^100(?:644|755|664)$/.test(mode)) return { kind: 'id', id };
    if (at === path && !last && mode === '040000') continue;
    const what = at === path ? (KINDS[mode] ?? 'is a file, not a folder') : 'does not exist';
    return refused(
      'no-such-file',
      '--file',
      `"${path}" ${what} in that commit`,
      'name a file of the repository',
    );
  }
  return refused('no-such-file', '--file', 'it is empty', 'name a file of the repository');
}

const KINDS: Readonly<Record<string, string>> = {
  '120000': 'is a link, which is not followed,',
  '160000': 'is a submodule, which is not entered,',
  '040000': 'is a folder, not a file,',
};

async function readBlob(
  scratch: ScratchRepository,
  id: string,
  file: string,
): Promise<{ readonly kind: 'text'; readonly text: string } | Refused> {
  const path = upstreamPath(file);
  const sized = await scratch.read(['cat-file', '-s', '--end-of-options', id]);
  if (sized.kind === 'cancelled') return failed('--file', sized);
  // What the filter of the fetch left out is not here.
  if (sized.kind !== 'done' || Number(sized.output) > MAX_FILE_BYTES) {
    const message = `the file is larger than ${MAX_FILE_BYTES} bytes`;
    return refused('file-too-large', path, message, 'knowledge of this size belongs into several entries');
  }
  const read = await scratch.read(['cat-file', '--end-of-options', 'blob', id], MAX_FILE_BYTES + 1);
  if (read.kind !== 'done') return failed('--file', read);
  const text = read.output;
  // The output was decoded: what was no UTF-8 does not give the id any more, and neither do other bytes.
  if (blobId(text, id.length) !== id || text.includes('\0')) {
    return refused('not-text', path, 'the file is not UTF-8 text', 'only Markdown is imported');
  }
  if (text.startsWith('version https://git-lfs.github.com/spec/')) {
    const message = 'the file is a pointer of Git LFS, not the text it points to';
    return refused('lfs-pointer', path, message, 'only what git itself holds is imported');
  }
  return { kind: 'text', text };
}

/** The id that git gives to a file of this text. */
function blobId(text: string, digits: number): string {
  const bytes = Buffer.from(text, 'utf8');
  const hash = createHash(digits === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** A file of the repository as findings name it. */
export function upstreamPath(file: string): string {
  return `upstream:${file}`;
}

/** The refusal for a command that gave nothing. */
export function failed(path: string, outcome: Exclude<ScratchOutcome, { kind: 'done' }>): Refused {
  const refuse = (code: string, message: string, remedy: string): Refused =>
    refused(code, path, message, remedy);
  switch (outcome.kind) {
    case 'too-large':
      return refuse(
        'repository-too-large',
        'the repository is larger than what is fetched for one file',
        'name a mirror that holds less with --source',
      );
    case 'cancelled':
      return refuse('cancelled', 'it was called off; nothing was written', 'start it again');
    case 'missing':
      return refuse('git-missing', gitFailureText(outcome, FETCH_LIMITS.timeoutMs), 'install git');
    case 'timeout':
    case 'failed':
      return refuse(
        'fetch-failed',
        oneLine(gitFailureText(outcome, FETCH_LIMITS.timeoutMs), 500),
        'check the address and the ref; credentials are never asked for: clone what is private, and name the clone with --source file:///…',
      );
  }
}

function refused(code: string, path: string, message: string, remedy: string): Refused {
  return { kind: 'refused', findings: [{ code, severity: 'error', path, message, remedy }] };
}
