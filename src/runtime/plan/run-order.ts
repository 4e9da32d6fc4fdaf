/** What an operator asks for with `team run`, and the plan that is made of it before anything is written. */

import type { FactOf } from '../../events/event.js';
import type { TaskSpec } from '../../events/facts/frozen.js';
import type { Model, PromptPart } from '../../models/model.js';
import type { Finding } from '../../shared/findings.js';
import type { ReplaySession } from '../replay/replay-session.js';

export interface RunOrder {
  readonly slug: string;
  /** The operator's words; empty: the recipe's description serves. */
  readonly prompt: string;
  readonly variables: ReadonlyMap<string, string>;
  /** Absent: the recipe's floor. Never looser than that (invariant 14). */
  readonly safety: 'read-only' | 'non-destructive' | 'full' | null;
  readonly autoApprove: 'never' | 'safe' | 'all';
  readonly autoSkipQuestions: boolean;
  readonly requestTimeoutMs: number | null;
  readonly graceMs: number;
  /** The page the run works on; null: the recipe's, if it names one. */
  readonly page: string | null;
  /** Values of `--model`, as given. */
  readonly models: readonly string[];
  /** Values of `--limit`, by name, as given. */
  readonly limits: ReadonlyMap<string, string>;
  /** No model is to be asked; absent: a run as any other. */
  readonly simulation?: Simulation;
}

/** A run that shows how a recipe moves (spec/team.md §9). */
export interface Simulation {
  /** `copy`: of the workspace, for this run alone; `temp`: an empty directory; `here`: the workspace itself. */
  readonly workspace: 'copy' | 'temp' | 'here';
}

/** Everything resolved; starting it can fail for the machine's reasons only. */
export interface RunPlan {
  readonly slug: string;
  /** Where the team is kept: on the Redis of the house, or in files. */
  readonly engine: 'files' | 'redis';
  /** The first fact, but for what is made at the start: the team's id and the place of a temporary workspace. */
  readonly started: Omit<FactOf<'run.started'>, 'team'>;
  readonly tasks: readonly TaskSpec[];
  readonly entries: readonly FactOf<'entry.rejected' | 'entry.omitted'>[];
  readonly prompts: ReadonlyMap<string, readonly PromptPart[]>;
  /** Texts of entries that stand in inputs, not in prompts: reference blocks, and what rides with tasks. */
  readonly inputTexts: readonly string[];
  /** Texts of the entries that reach members, each to be stored under its digest. */
  readonly entryTexts: readonly string[];
  readonly models: ReadonlyMap<string, Model>;
  /** Directory whose files a temporary workspace begins with; null: it is empty. */
  readonly workspaceFrom: string | null;
  /** What is played again, if anything is. */
  readonly replay: ReplaySession;
  /** Warnings and remarks; errors refuse. */
  readonly findings: readonly Finding[];
}

export type PreparedRun =
  | { readonly kind: 'ready'; readonly plan: RunPlan }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };
