/**
 * The work on one brief, from a workspace to what is handed over, over the parts that do it (spec/runner.md §3): workspace,
 * engineer, collection, verification, comparison, bundle or push. What was found is kept as it is found, so that whatever
 * ends the work early, a result can be made of it; nothing here throws.
 *
 *  B1 cancelled at any step, it ends as cancelled, and behind the end of every process of the engineer;
 *  B2 `wall_minutes` bound everything up to the engineer's end; what comes after is ours and has bounds of its own;
 *  B3 nothing is pushed that is not completed; all else that was committed travels as a bundle, as evidence;
 *  B4 what travels is what was collected: a verification is the engineer's code, and what it has written to can neither be
 *     asked for objects nor pushed from.
 */

import { join } from 'node:path';
import { within } from '../../shared/abort.js';
import { errorText } from '../../shared/errors.js';
import { isInside } from '../../shared/inner-path.js';
import { programPath } from '../../shared/program-path.js';
import type { Brief } from '../brief/brief.js';
import type { ResultBody, VerifyOutcome } from '../brief/result.js';
import type { Engineer, EngineerSettings } from '../engineers/engineer.js';
import { type EngineerSeen, type EngineerTold, runEngineer } from '../engineers/run-engineer.js';
import { verify } from '../verify/verify.js';
import { bundle } from '../workspace/bundle.js';
import { checkOut } from '../workspace/checkout.js';
import { collect } from '../workspace/collect.js';
import {
  type Fingerprint,
  fingerprintDifferences,
  partOf,
  takeFingerprint,
} from '../workspace/fingerprint.js';
import { mirror } from '../workspace/mirror.js';
import { fileFailure, type GitTools } from '../workspace/our-git.js';
import { push } from '../workspace/push.js';
import { readRepositoryAddress } from '../workspace/repository-address.js';
import { statDigest } from '../workspace/stat-digest.js';
import type { BriefPlaces, Bundled, Collection } from '../workspace/workspace.js';
import { type Classified, classify } from './classify.js';
import type { Step } from './lines.js';
import type { RunnerHouse } from './runner-house.js';

/** What is to be done, once the brief is accepted. */
export interface WorkOrder {
  readonly brief: Brief;
  readonly engineer: Engineer;
  readonly settings: EngineerSettings;
  readonly prompt: string;
  readonly places: BriefPlaces;
  /** Calls it off, with the reason. */
  readonly cancel: AbortSignal;
  /** Fires when its time is over. */
  readonly wall: AbortSignal;
  /** What is left of that time, in whole milliseconds, as long as one timer may be. */
  readonly leftMs: () => number;
}

export interface WorkTold {
  step(step: Exclude<Step, 'accepted' | 'reported'>): void;
  readonly engineer: EngineerTold['event'];
}

/** As long as one timer holds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Of one git of ours that reads or writes here; one that fetches has the time of the brief. */
const GIT_MS = 5 * 60_000;

/** Of all that comes behind the engineer, beside the verification. */
const AFTER_MS = 30 * 60_000;

/** What was committed, in the repository of ours that nobody writes to behind the collection (B4). */
const TAKEN = 'what was taken out of its repository';

/** One file of objects, and what `git init` makes. */
const QUARANTINE_ENTRIES = 10_000;

export class BriefWork {
  readonly #order: WorkOrder;
  readonly #house: RunnerHouse;
  readonly #told: WorkTold;
  seen: EngineerSeen | null = null;
  collection: Collection | null = null;
  verified: readonly VerifyOutcome[] = [];
  notVerified: ResultBody['not_verified'] = 'not_reached';
  workspaceChanges: readonly string[] = [];
  /** The file of the bundle, with what a result says of it. */
  bundle: { readonly path: string; readonly sha256: string; readonly bytes: number } | null = null;
  pushed = false;
  #escaped: readonly string[] = [];
  /** What ended it where nothing else is to be classified. */
  #trouble: Classified | null = null;
  #mirror = '';
  #given: readonly string[] = [];
  #directory = '';
  #before: Fingerprint = new Map();
  /** Of the quarantine, behind the last time that it was ours to change. */
  #taken = '';

  constructor(order: WorkOrder, house: RunnerHouse, told: WorkTold) {
    this.#order = order;
    this.#house = house;
    this.#told = told;
  }

  /** The one status that holds, of what was found so far. */
  get classified(): Classified {
    if (this.#trouble !== null) return this.#trouble;
    if (this.seen === null) return failure('workspace', 'the engineer was not started');
    return classify({
      run: this.seen.run,
      left: this.seen.left,
      collection: this.collection,
      escaped: this.#escaped,
      verify: this.verified,
      readOnly: this.#order.brief.safety === 'read-only',
    });
  }

  /** Does it all. Settles when nothing of it runs any more; never rejects. */
  async run(): Promise<void> {
    const { cancel, wall } = this.#order;
    for (const part of [
      () => this.#prepare(),
      () => this.#engineer(),
      () => this.#collect(),
      () => this.#verify(),
      () => this.#compare(),
      () => this.#handOver(),
    ]) {
      try {
        await part();
      } catch (error) {
        if (!this.#isOver()) this.#trouble ??= thrown(error);
      }
      const left = this.seen?.left.length ?? 0;
      if (cancel.aborted && this.#trouble === null && left === 0 && this.seen?.run.kind !== 'cancelled')
        this.#trouble = { status: 'cancelled', cause: null, detail: errorText(cancel.reason) };
      if (wall.aborted && this.seen === null) this.#trouble ??= overdue(this.#order.brief);
      if (this.#trouble !== null || this.seen?.run.kind === 'cancelled' || left > 0) return;
    }
  }

  async #prepare(): Promise<void> {
    const { brief, places, cancel, wall } = this.#order;
    const { workdir, git } = this.#house;
    this.#told.step('workspace');
    // Its time ends it, and never git's own bound, which would call that a failure of the workspace.
    const bound = Math.min(this.#order.leftMs() + GIT_MS, LONGEST_MS);
    const tools = await this.#tools(AbortSignal.any([cancel, wall]), bound);
    const mirrored = await mirror(brief.workspace, { workdir, ...git }, tools);
    if (mirrored.kind === 'failed') return this.#failed(mirrored);
    this.#mirror = mirrored.gitDir;
    const made = await checkOut(
      {
        source: mirrored.gitDir,
        commit: brief.workspace.base,
        branch: brief.workspace.branch,
        tree: places.tree,
        subdir: brief.workspace.subdir,
      },
      tools,
    );
    if (made.kind === 'failed') return this.#failed(made);
    this.#given = made.given;
    this.#directory = made.directory;
    this.#before = await takeFingerprint(this.#watched(), tools);
    tools.signal.throwIfAborted();
  }

  async #engineer(): Promise<void> {
    const { brief, engineer, settings, prompt, places, cancel, leftMs } = this.#order;
    this.#told.step('engineer');
    this.seen = await runEngineer(
      engineer,
      {
        prompt,
        safety: brief.safety,
        deny: brief.deny ?? [],
        model: brief.engineer.model,
        costUsd: brief.limits.cost_usd,
        turns: brief.limits.turns,
        tree: places.tree,
        directory: this.#directory,
        home: places.home,
        settings,
      },
      places.transcript,
      this.#house.engineer,
      { signal: cancel, wallMs: leftMs(), ...this.#house.bounds },
      { event: this.#told.engineer },
    );
  }

  async #collect(): Promise<void> {
    const { brief, places } = this.#order;
    this.collection = await collect(
      {
        places,
        mirror: this.#mirror,
        base: brief.workspace.base,
        branch: brief.workspace.branch,
        given: this.#given,
        protect: brief.protect,
        artifacts: brief.artifacts,
      },
      await this.#toolsAfter(),
    );
    if (this.collection.kind === 'failed' && this.collection.cause === 'cancelled')
      this.#failed(this.collection);
    this.#taken = await this.#quarantine();
  }

  async #verify(): Promise<void> {
    const { brief, places, settings } = this.#order;
    if (this.collection?.kind !== 'collected') return;
    if (brief.safety === 'read-only') this.notVerified = 'read_only';
    else if (this.classified.status !== 'completed') return;
    else if (brief.verify.length === 0) this.notVerified = 'nothing_to_verify';
    else {
      this.#told.step('verifying');
      const { environment, wrap, groups } = this.#house.engineer;
      const outcome = await verify(
        {
          places,
          head: this.collection.collected.head ?? brief.workspace.base,
          branch: brief.workspace.branch,
          subdir: brief.workspace.subdir,
          commands: brief.verify,
          env: { ...environment, ...settings.env },
          wrap,
        },
        groups,
        await this.#tools(this.#order.cancel, GIT_MS),
      );
      if (outcome.kind === 'failed') return this.#failed(outcome);
      this.notVerified = null;
      this.verified = outcome.outcomes;
    }
  }

  /** Behind everything of the engineer's that was run, its verification too. */
  async #compare(): Promise<void> {
    const tools = await this.#toolsAfter();
    const after = await takeFingerprint(this.#watched(), tools);
    tools.signal.throwIfAborted(); // what was called off has seen nothing
    const differences = (part: 'runner' | 'team'): readonly string[] =>
      fingerprintDifferences(partOf(this.#before, part), partOf(after, part));
    const untouched = (await this.#quarantine()) === this.#taken;
    this.#escaped = [...differences('runner'), ...(untouched ? [] : [TAKEN])];
    this.workspaceChanges = differences('team');
  }

  async #handOver(): Promise<void> {
    const { brief, places } = this.#order;
    const { repo, base, branch } = brief.workspace;
    const { quarantine } = places;
    const head = this.collection?.kind === 'collected' ? this.collection.collected.head : null;
    if (head === null || this.#escaped.includes(TAKEN)) return;
    const tools = await this.#toolsAfter();
    const { status } = this.classified;
    if (brief.workspace.push === true && status === 'completed') {
      const pushed = await push({ quarantine, repo, branch, head }, this.#house.git, tools);
      if (pushed.kind === 'failed') this.#failed(pushed);
      else this.pushed = true;
      return;
    }
    const path = join(places.root, 'bundle');
    const made = await bundle({ quarantine, base, head, branch, path }, tools);
    if (made.kind === 'bundled') this.bundle = made;
    else if (status === 'completed') this.#failed(made);
    else {
      const known = this.classified;
      this.#trouble = {
        ...known,
        detail: [known.detail, made.detail].filter((one) => one !== null).join('; '),
      };
    }
  }

  #failed({ cause, detail }: Pick<Extract<Bundled, { kind: 'failed' }>, 'cause' | 'detail'>): void {
    if (cause !== 'cancelled') this.#trouble = failure(cause, detail);
    else if (!this.#isOver()) this.#trouble = failure('workspace', `${detail}: it took too long`);
  }

  /** Whether it was called off, or its time was over before the engineer began. */
  #isOver(): boolean {
    const { cancel, wall } = this.#order;
    return cancel.aborted || (wall.aborted && this.seen === null);
  }

  #quarantine(): Promise<string> {
    return statDigest(this.#order.places.quarantine, { entries: QUARANTINE_ENTRIES }, this.#order.cancel);
  }

  #watched(): { readonly workdir: string; readonly brief: string; readonly workspace: string | null } {
    const { brief } = this.#order;
    return { workdir: this.#house.workdir, brief: brief.id, workspace: this.#localPath() };
  }

  /** Where the repository lies, if it does on this machine. */
  #localPath(): string | null {
    const read = readRepositoryAddress(this.#order.brief.workspace.repo, this.#house.git.protocols);
    return read.kind === 'address' ? read.address.path : null;
  }

  #toolsAfter(): Promise<GitTools> {
    return this.#tools(within(this.#order.cancel, AFTER_MS), GIT_MS);
  }

  async #tools(signal: AbortSignal, timeoutMs: number): Promise<GitTools> {
    const { workdir, git } = this.#house;
    const local = this.#localPath();
    const path = await programPath(
      git.path,
      (folder) => isInside(folder, workdir) || (local !== null && isInside(folder, local)),
    );
    return { path, signal, timeoutMs, marks: git.marks };
  }
}

function failure(cause: Exclude<ResultBody['cause'], null>, detail: string): Classified {
  return { status: 'failed', cause, detail };
}

/** Of an error that no part has an answer to. */
function thrown(error: unknown): Classified {
  const { cause, detail } = fileFailure(error, 'the runner failed');
  return failure(cause === 'disk_full' ? cause : 'crashed', detail);
}

function overdue({ limits }: Brief): Classified {
  const detail = `its ${limits.wall_minutes} minutes were over before the engineer began (limits.wall_minutes)`;
  return { status: 'timed_out', cause: null, detail };
}
