/**
 * What came of an engineer's work, judged from outside once its processes are gone (spec/runner.md §3 "Workspace", W1).
 *
 * Its objects are copied without git (`take-objects.ts`), fetched from the copy into the quarantine with every object
 * checked, and told from there. What it did not commit is found with the quarantine's own git directory over its tree:
 * attributes of the tree then name filters that nobody has configured.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cancelled } from '../../shared/abort.js';
import { CancelledError } from '../../shared/errors.js';
import { folderBytes } from '../../shared/folder-bytes.js';
import type { GitOutcome } from '../../shared/git.js';
import { LOCAL_FETCH_OPTIONS, TRANSPORT_OPTIONS } from '../../shared/git-transport.js';
import { makeFolder } from '../../shared/make-folder.js';
import { type Described, describeWork } from './describe-work.js';
import { bare, failed, fileFailure, type GitTools, gitFailure, ourGit, WARY } from './our-git.js';
import { initBare } from './own-repository.js';
import { isPlainFolder } from './plain-file.js';
import { removeTree } from './remove-tree.js';
import { shownPath } from './shown-path.js';
import { type Taken, takeObjects } from './take-objects.js';
import type { BriefPlaces, Collection } from './workspace.js';

export interface CollectOrder {
  readonly places: Pick<BriefPlaces, 'tree' | 'quarantine'>;
  /** Git directory of the mirror that the workspace was made from. */
  readonly mirror: string;
  readonly base: string;
  readonly branch: string;
  /** What the checkout has named: files of objects that lie in the mirror. */
  readonly given: readonly string[];
  /** Globs whose changed files are named. */
  readonly protect: readonly string[];
  /** Files that the head must have. */
  readonly artifacts: readonly string[];
  readonly bounds?: CollectBounds;
}

export interface CollectBounds {
  /** Of objects, packed, beside those of the mirror. */
  readonly bytes: number;
  /** Files of objects. */
  readonly files: number;
  /** New objects. */
  readonly objects: number;
}

/** A result has at most 16 MiB; what an engineer made and threw away again has room beside it. */
export const COLLECT_BOUNDS: CollectBounds = { bytes: 1 << 30, files: 200_000, objects: 200_000 };

/** Takes the work out into `places.quarantine`, which is made anew, and tells what it is. */
export async function collect(order: CollectOrder, tools: GitTools): Promise<Collection> {
  const { tree, quarantine } = order.places;
  const what = `work of the engineer at ${tree}`;
  const incoming = `${quarantine}.incoming`;
  try {
    if (!(await isPlainFolder(tree)))
      return failed(
        'workspace',
        `${what}: this is no folder any more: the engineer has removed or replaced it`,
      );
    for (const folder of [quarantine, incoming]) await removeTree(folder);
    const head = await take(order, incoming, what, tools);
    if (head.kind !== 'taken') return head;
    const described = await describeWork({ ...order, head: head.head }, tools);
    return described.kind === 'described' ? told(described, order, head) : described;
  } catch (error) {
    if (error instanceof CancelledError) return failed('cancelled', `${what}: it was cancelled`);
    return fileFailure(error, what);
  } finally {
    await removeTree(incoming);
  }
}

type Taking = Extract<Taken, { kind: 'taken' }> | Extract<Collection, { kind: 'failed' }>;

async function take(order: CollectOrder, incoming: string, what: string, tools: GitTools): Promise<Taking> {
  const { base, branch, mirror, given, places, bounds = COLLECT_BOUNDS } = order;
  const { tree, quarantine } = places;
  for (const gitDir of [quarantine, incoming]) {
    const problem = await emptyBeside(mirror, gitDir, base, tools);
    if (problem !== null) return gitFailure(problem, what, tools);
  }
  const into = join(incoming, 'objects');
  const most = { bytes: bounds.bytes + (await folderBytes(join(mirror, 'objects'))), files: bounds.files };
  const taken = await takeObjects({ tree, branch, into, given, bounds: most }, tools.signal).catch(
    (error: unknown): never => {
      throw tools.signal.aborted ? cancelled(tools.signal) : error;
    },
  );
  if (taken.kind === 'refused')
    return { kind: 'failed', cause: taken.cause, detail: `${what}: ${taken.why}` };
  const outcome = await fetchHead(order, incoming, taken.head, tools);
  if (outcome.kind !== 'done') return gitFailure(outcome, `${what}, commit ${taken.head}`, tools);
  const objects = await newObjects(quarantine, tools);
  if (objects > bounds.objects)
    return {
      kind: 'failed',
      cause: 'result_too_large',
      detail: `${what}: ${objects} new objects; at most ${bounds.objects} are taken`,
    };
  const descends = ['merge-base', '--is-ancestor', base, taken.head];
  const ancestry = await ourGit(tools, bare(quarantine), descends);
  if (ancestry.kind === 'done') return taken;
  if (ancestry.kind !== 'failed' || ancestry.code !== 1) return gitFailure(ancestry, what, tools);
  return failed(
    'workspace',
    `${what}: ${branch} does not descend from ${base}: the engineer has rewritten the history it was given`,
  );
}

/** A repository of ours with nothing in it, which sees what the mirror has. Null: it is made. */
async function emptyBeside(
  mirror: string,
  gitDir: string,
  base: string,
  tools: GitTools,
): Promise<Exclude<GitOutcome, { kind: 'done' }> | null> {
  await makeFolder(gitDir, 0o700);
  const made = await initBare(tools, gitDir, base);
  if (made.kind !== 'done') return made;
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true });
  await writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${join(mirror, 'objects')}\n`);
  // What a fetch begins with, so that nothing travels that is here.
  const said = await ourGit(tools, bare(gitDir), ['update-ref', 'refs/bnerd/base', base]);
  return said.kind === 'done' ? null : said;
}

async function fetchHead(
  { places: { quarantine }, branch, base }: CollectOrder,
  incoming: string,
  head: string,
  tools: GitTools,
): Promise<GitOutcome> {
  const ref = `refs/heads/${branch}`;
  if (head === base) return ourGit(tools, bare(quarantine), ['update-ref', ref, head]);
  const named = await ourGit(tools, bare(incoming), ['update-ref', ref, head], WARY);
  if (named.kind !== 'done') return named;
  const fetch = [
    ...TRANSPORT_OPTIONS,
    ...['-c', 'fetch.fsckObjects=true', '-c', 'transfer.fsckObjects=true', '-c', 'fetch.unpackLimit=1'],
    ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'],
    ...['--no-recurse-submodules', ...LOCAL_FETCH_OPTIONS, '--end-of-options', incoming, `${ref}:${ref}`],
  ];
  return ourGit(tools, bare(quarantine), fetch, { ...WARY, protocols: ['file'] });
}

async function newObjects(gitDir: string, tools: GitTools): Promise<number> {
  const counted = await ourGit(tools, bare(gitDir), ['count-objects', '-v']);
  if (counted.kind !== 'done') return Number.POSITIVE_INFINITY; // a count that nobody knows is within no bound
  const of = (name: string): number =>
    Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted.output)?.[1] ?? Number.NaN);
  const sum = of('count') + of('in-pack');
  return Number.isNaN(sum) ? Number.POSITIVE_INFINITY : sum;
}

function told(
  { kind: _, ...work }: Extract<Described, { kind: 'described' }>,
  { base }: CollectOrder,
  { head, strayed }: Extract<Taken, { kind: 'taken' }>,
): Collection {
  return {
    kind: 'collected',
    collected: {
      head: head === base ? null : head,
      strayed: strayed === null ? null : shownPath(strayed).slice(0, 200),
      ...work,
    },
  };
}
