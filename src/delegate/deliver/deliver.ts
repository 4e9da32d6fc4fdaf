/**
 * The team's side of a result: its commits into the repository of the team's workspace, as a branch that gate members can
 * look at (spec/runner.md §3 "Report").
 *
 *  T1 the bundle is a stranger's until it is judged: exactly one ref, the branch, with the head that the result names;
 *     needed is the base, and at most what the base has; each object checked, in a repository of ours, before one byte of
 *     it reaches the workspace;
 *  T2 one ref is made, and nothing else changes: no file, no index, no HEAD, no other ref; one that is there is never moved;
 *  T3 once or twice is the same: what is there with this head counts as delivered, and what a crash has left of the way
 *     there is in nobody's way;
 *  T4 nothing that the workspace's repository configures runs;
 *  T5 one after the other (case L230);
 *  T6 what was delivered and does not count is taken back: the branch goes while it is still at its head and nobody's
 *     checkout stands on it.
 */

import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { orAborted } from '../../shared/abort.js';
import { CancelledError } from '../../shared/errors.js';
import type { BareGitPlace, GitOutcome, GitPlace } from '../../shared/git.js';
import { gitDirectory } from '../../shared/git-directory.js';
import { BUNDLE_BYTES } from '../workspace/bundle.js';
import {
  bare,
  failed,
  fileFailure,
  type GitAsked,
  type GitTools,
  gitFailure,
  objectFormat,
  ourGit,
  WARY,
  type WorkspaceFailure,
} from '../workspace/our-git.js';
import { initBare } from '../workspace/own-repository.js';
import { readPlainFile } from '../workspace/plain-file.js';
import { removeTree } from '../workspace/remove-tree.js';
import { type BundleHeader, readBundleHeader } from './bundle-header.js';

export interface DeliveryOrder {
  /** The team's workspace: the folder in which `.git` lies. */
  readonly workspace: string;
  /** The file that the runner has left. */
  readonly bundle: string;
  readonly base: string;
  /** As the signed result names it. */
  readonly head: string;
  readonly branch: string;
}

export type Delivery =
  | {
      readonly kind: 'delivered';
      readonly ref: string;
      readonly head: string;
      readonly made: 'now' | 'before';
    }
  /** It will never be taken: the bundle, or what stands in the workspace, is not what it must be. */
  | { readonly kind: 'refused'; readonly code: DeliveryRefusal; readonly detail: string }
  /** It was not done; the same may work later. */
  | WorkspaceFailure;

export type DeliveryRefusal = 'bundle' | 'no_repository' | 'no_base' | 'branch_taken' | 'branch_in_use';

/** As many as a runner takes out of a workspace. */
const OBJECTS = 200_000;

/** A shallow clone has a line for each commit at its edge. */
const SHALLOW_BYTES = 4 << 20;

const IDENTITY = { name: 'bnerd', email: 'bnerd@bnerd.invalid' };

/** Header and pack together. */
const FILE_BYTES = BUNDLE_BYTES + (64 << 10);

/** Deliveries of one process. */
export class Deliveries {
  readonly #tools: Omit<GitTools, 'signal'>;
  readonly #folder: string;
  #last: Promise<unknown> = Promise.resolve();

  /** @param folder for what is being judged; of ours, made when it is missing, and left empty */
  constructor(tools: Omit<GitTools, 'signal'>, folder: string) {
    this.#tools = tools;
    this.#folder = folder;
  }

  /** Takes a bundle into the workspace; begins when the one before has ended. */
  deliver(order: DeliveryOrder, signal: AbortSignal): Promise<Delivery> {
    const before = this.#last;
    const mine = this.#deliver(order, before, { ...this.#tools, signal });
    // One that is called off while it waits lets nobody past the one before it.
    this.#last = Promise.all([before, mine]).then(() => {});
    return mine;
  }

  /**
   * Takes a branch away that was delivered and does not count; true when it was there and is gone.
   * @param order `head`: where it must still be
   */
  async takeBack(
    { workspace, branch, head }: Pick<DeliveryOrder, 'workspace' | 'branch' | 'head'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const before = this.#last;
    const mine = orAborted(before, signal).then(async () => {
      const tools = { ...this.#tools, signal };
      const root = await realpath(workspace);
      const found = await gitDirectory(root);
      if (found.kind !== 'found') return false;
      const place = { gitDir: found.gitDir, workTree: root };
      const ref = `refs/heads/${branch}`;
      const list = await ourGit(tools, place, ['worktree', 'list', '--porcelain']);
      if (list.kind !== 'done' || list.output.split('\n').includes(`branch ${ref}`)) return false;
      return (await ourGit(tools, place, ['update-ref', '-d', ref, head])).kind === 'done';
    });
    const ended = mine.catch(() => false);
    this.#last = Promise.all([before, ended]);
    return ended;
  }

  async #deliver(order: DeliveryOrder, before: Promise<unknown>, tools: GitTools): Promise<Delivery> {
    const what = `delivery of ${order.branch} to ${order.workspace}`;
    let scratch: string | undefined;
    try {
      await orAborted(before, tools.signal);
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      scratch = await mkdtemp(join(this.#folder, 'delivery-'));
      return await new DeliveryInto(order, scratch, what, tools).run();
    } catch (error) {
      if (error instanceof Stop) return error.delivery;
      if (error instanceof CancelledError) return failed('cancelled', `${what}: it was cancelled`);
      return fileFailure(error, what);
    } finally {
      if (scratch !== undefined) await removeTree(scratch);
    }
  }
}

/** A delivery that has ended before its end; thrown and caught here only. */
class Stop extends Error {
  readonly delivery: Delivery;

  constructor(delivery: Delivery) {
    super('the delivery has ended');
    this.delivery = delivery;
  }
}

class DeliveryInto {
  readonly #order: DeliveryOrder;
  readonly #scratch: string;
  readonly #what: string;
  readonly #tools: GitTools;
  readonly #ref: string;

  constructor(order: DeliveryOrder, scratch: string, what: string, tools: GitTools) {
    this.#order = order;
    this.#scratch = scratch;
    this.#what = what;
    this.#tools = tools;
    this.#ref = `refs/heads/${order.branch}`;
  }

  async run(): Promise<Delivery> {
    const { head } = this.#order;
    const there = await this.#workspace();
    const before = await this.#existing(there);
    if (before !== null) return before;
    const { header, bytes } = await this.#bundle();
    const pack = bytes.subarray(header.packAt);
    await this.#judge(there, header, pack);
    await this.#free(there);
    await this.#take(there, pack, []);
    // Made only where there is none, by git's own lock.
    const none = '0'.repeat(head.length);
    const update = ['update-ref', '-m', 'bnerd: delivered', this.#ref, head, none];
    const made = await ourGit(this.#tools, there, update, { identity: IDENTITY });
    if (made.kind === 'done') return { kind: 'delivered', ref: this.#ref, head, made: 'now' };
    return (await this.#existing(there)) ?? gitFailure(made, this.#what, this.#tools);
  }

  async #workspace(): Promise<GitPlace> {
    const { workspace, base } = this.#order;
    const root = await realpath(workspace);
    const found = await gitDirectory(root);
    if (found.kind !== 'found')
      return this.#refuse('no_repository', 'there is no git repository in this folder itself');
    const place = { gitDir: found.gitDir, workTree: root };
    const kind = await ourGit(this.#tools, place, ['cat-file', '-t', base]);
    if (kind.kind === 'done' && kind.output.trim() === 'commit') return place;
    if (kind.kind !== 'failed' && kind.kind !== 'done')
      throw new Stop(gitFailure(kind, this.#what, this.#tools));
    return this.#refuse(
      'no_base',
      `this repository has no commit ${base}, from which the work began; fetch it, then resume`,
    );
  }

  /** What came of an earlier delivery; null: nothing. */
  async #existing(there: GitPlace): Promise<Delivery | null> {
    const { head, branch } = this.#order;
    const outcome = await ourGit(this.#tools, there, ['rev-parse', '--verify', '--quiet', this.#ref]);
    if (outcome.kind === 'failed' && outcome.code === 1) return null;
    const found = this.#output(outcome).trim();
    if (found === head) return { kind: 'delivered', ref: this.#ref, head, made: 'before' };
    return this.#refuse(
      'branch_taken',
      `${branch} is there already, at ${found}; it is not moved to ${head}`,
    );
  }

  async #bundle(): Promise<{ header: BundleHeader; bytes: Buffer }> {
    const { bundle, base, head } = this.#order;
    const read = await readPlainFile(bundle, FILE_BYTES);
    if (read.kind === 'missing') throw new Stop(failed('workspace', `${this.#what}: ${bundle} is not there`));
    if (read.kind === 'unusable') return this.#refuse('bundle', `the bundle ${read.why}`);
    const parsed = readBundleHeader(read.bytes);
    if (parsed.kind === 'refused') return this.#refuse('bundle', `the bundle ${parsed.why}`);
    const { header } = parsed;
    const [ref, ...more] = header.refs;
    if (ref === undefined || more.length > 0 || ref.name !== this.#ref)
      return this.#refuse('bundle', `the bundle does not hold exactly ${this.#ref}`);
    if (ref.head !== head)
      return this.#refuse('bundle', `the bundle leads to ${ref.head}, and the result names ${head}`);
    if (header.format !== objectFormat(base))
      return this.#refuse('bundle', `the bundle has objects of ${header.format}, unlike the base`);
    if (!header.prerequisites.includes(base))
      return this.#refuse('bundle', `the bundle does not build on ${base}`);
    if (header.objects > OBJECTS)
      return this.#refuse('bundle', `the bundle has ${header.objects} objects; at most ${OBJECTS} are taken`);
    return { header, bytes: read.bytes };
  }

  /** In a repository of ours that sees the workspace's objects and writes none there (T1). */
  async #judge(there: GitPlace, { prerequisites }: BundleHeader, pack: Buffer): Promise<void> {
    const { base, head } = this.#order;
    const repository = bare(join(this.#scratch, 'judged.git'));
    await mkdir(repository.gitDir);
    this.#output(await initBare(this.#tools, repository.gitDir, base));
    const info = join(repository.gitDir, 'objects', 'info');
    await mkdir(info, { recursive: true });
    await writeFile(join(info, 'alternates'), `${await this.#pathIn(there, 'objects')}\n`);
    // Where the history of the workspace begins later than that of the work, it does so here.
    const shallow = await readPlainFile(await this.#pathIn(there, 'shallow'), SHALLOW_BYTES);
    if (shallow.kind === 'read') await writeFile(join(repository.gitDir, 'shallow'), shallow.bytes);
    for (const commit of prerequisites)
      await this.#holds(
        repository,
        ['merge-base', '--is-ancestor', commit, base],
        `the bundle needs ${commit}, which the base does not have`,
      );
    await this.#take(repository, pack, ['--strict']);
    await this.#holds(
      repository,
      ['merge-base', '--is-ancestor', base, head],
      `${head} does not descend from ${base}`,
    );
    const all = ['rev-list', '--objects', '--quiet', head, `^${base}`, '--'];
    await this.#holds(repository, all, 'the bundle is not whole');
  }

  /** Where a part of the workspace's repository lies, also of one that is linked to another. */
  async #pathIn(there: GitPlace, part: string): Promise<string> {
    const path = await ourGit(this.#tools, there, ['rev-parse', '--git-path', part]);
    return resolve(there.workTree, this.#output(path).trim());
  }

  async #take(place: GitPlace | BareGitPlace, pack: Buffer, options: readonly string[]): Promise<void> {
    const index = ['index-pack', '--stdin', '--fix-thin', '--threads=1', `--max-input-size=${FILE_BYTES}`];
    await this.#holds(place, [...index, ...options], 'the bundle holds objects that are not taken', {
      ...WARY,
      input: pack,
    });
  }

  /** Refuses when git says no. */
  async #holds(
    place: GitPlace | BareGitPlace,
    args: readonly string[],
    otherwise: string,
    asked: GitAsked = {},
  ): Promise<void> {
    const outcome = await ourGit(this.#tools, place, args, asked);
    if (outcome.kind === 'done') return;
    const failure = gitFailure(outcome, otherwise, this.#tools);
    if (outcome.kind === 'failed' && failure.cause === 'workspace') this.#refuse('bundle', failure.detail);
    throw new Stop({ ...failure, detail: `${this.#what}: ${failure.detail}` });
  }

  /** A HEAD that names the branch before it is there would show all of its files as removed once it is (T2). */
  async #free(there: GitPlace): Promise<void> {
    const list = this.#output(await ourGit(this.#tools, there, ['worktree', 'list', '--porcelain']));
    if (list.split('\n').includes(`branch ${this.#ref}`))
      this.#refuse(
        'branch_in_use',
        `a checkout of this repository stands on ${this.#order.branch}; switch it to another branch`,
      );
  }

  #output(outcome: GitOutcome): string {
    if (outcome.kind === 'done') return outcome.output;
    throw new Stop(gitFailure(outcome, this.#what, this.#tools));
  }

  #refuse(code: DeliveryRefusal, why: string): never {
    throw new Stop({ kind: 'refused', code, detail: `${this.#what}: ${why}` });
  }
}
