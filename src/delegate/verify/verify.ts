/**
 * Whether reported work holds: the recipe's commands in a fresh checkout of the reported commit (spec/runner.md §3
 * "Verify"). Never the tree the engineer worked in, which may hold what was not committed; never before its processes are
 * gone; with the user, wrapper and environment that the engineer had, since what runs is the engineer's work.
 *
 * Every command is told, in the order of the brief: it passed, failed, took too long, was cancelled, or was not started.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deadlineAfter } from '../../shared/abort.js';
import type { ProcessGroups } from '../../shared/processes.js';
import type { VerifyCommand } from '../brief/brief.js';
import type { VerifyOutcome } from '../brief/result.js';
import { checkOut } from '../workspace/checkout.js';
import type { GitTools, WorkspaceFailure } from '../workspace/our-git.js';
import { removeTree } from '../workspace/remove-tree.js';
import type { BriefPlaces } from '../workspace/workspace.js';
import { runCommand } from './run-command.js';

export interface VerifyOrder {
  readonly places: Pick<BriefPlaces, 'root' | 'quarantine'>;
  /** The commit that is reported, as it lies in the quarantine. */
  readonly head: string;
  readonly branch: string;
  /** Where in the repository the commands run; empty: at its root. */
  readonly subdir: string;
  readonly commands: readonly VerifyCommand[];
  /** The engineer's environment without its HOME, which is a fresh one here. */
  readonly env: Readonly<Record<string, string>>;
  /** In front of every command, as in front of the engineer; empty: none. */
  readonly wrap: readonly string[];
  readonly bounds?: VerifyBounds;
}

export interface VerifyBounds {
  /** Of one command. */
  readonly commandMs: number;
  /** Of all of them. */
  readonly allMs: number;
}

export const VERIFY_BOUNDS: VerifyBounds = { commandMs: 20 * 60_000, allMs: 60 * 60_000 };

/** Of the outputs that are told: of one command, and of all together, since they travel in one result. */
const TAIL_BYTES = 16 << 10;
const TAILS_BYTES = 128 << 10;

export type Verified =
  | { readonly kind: 'verified'; readonly outcomes: readonly VerifyOutcome[]; readonly passed: boolean }
  /** The checkout could not be made: nothing was run. */
  | WorkspaceFailure;

/** Runs the commands; the checkout is gone afterwards. */
export async function verify(
  order: VerifyOrder,
  groups: Pick<ProcessGroups, 'start'>,
  tools: GitTools,
): Promise<Verified> {
  const { places, head, branch, subdir } = order;
  const folder = join(places.root, 'verify');
  await removeTree(folder);
  try {
    await mkdir(join(folder, 'home'), { recursive: true, mode: 0o700 });
    const tree = join(folder, 'tree');
    const made = await checkOut({ source: places.quarantine, commit: head, branch, tree, subdir }, tools);
    if (made.kind === 'failed') return made;
    const outcomes = await runAll(
      order,
      { cwd: made.directory, home: join(folder, 'home') },
      groups,
      tools.signal,
    );
    return { kind: 'verified', outcomes, passed: outcomes.every(({ outcome }) => outcome === 'passed') };
  } finally {
    await removeTree(folder).catch(() => {}); // what cannot be removed now goes with the folder of the brief, or is kept with it
  }
}

async function runAll(
  { commands, env, wrap, bounds = VERIFY_BOUNDS }: VerifyOrder,
  { cwd, home }: { readonly cwd: string; readonly home: string },
  groups: Pick<ProcessGroups, 'start'>,
  signal: AbortSignal,
): Promise<readonly VerifyOutcome[]> {
  const deadline = deadlineAfter(bounds.allMs);
  const tailBytes = Math.min(TAIL_BYTES, Math.floor(TAILS_BYTES / Math.max(1, commands.length)));
  const outcomes: VerifyOutcome[] = [];
  for (const command of commands) {
    if (signal.aborted || deadline.aborted) {
      const tail = signal.aborted ? 'it was called off before' : 'the time for all commands was over before';
      outcomes.push({ ...command, exit: null, outcome: 'not_started', tail, ms: 0 });
      continue;
    }
    const [program = '', ...args] = [...wrap, ...command.argv];
    const spec = { program, args, cwd, env: { ...env, HOME: home } };
    outcomes.push(
      await runCommand(groups, command, spec, { timeoutMs: bounds.commandMs, tailBytes, signal, deadline }),
    );
  }
  return outcomes;
}
