/**
 * A recipe in its working shape: every default set, units in the names, names in the spelling of `roles`
 * (spec/team.md §1).
 *
 * Always true of a loaded recipe: the lead is in `roles`, as is every role named elsewhere; no two roles have one
 * identity; task ids are unique and no task waits for a missing one or in a cycle; no path leads out; every
 * `{{name}}` in its texts is declared.
 */

import type { Tier } from '../tiers.js';
import type { AskedFile } from '../trust.js';
import type { Limits } from './limits.js';

/** A recipe, ready to be made into a roster. */
export interface Recipe {
  /** The name of its folder: what a person types. */
  readonly slug: string;
  readonly path: string;
  readonly tier: Tier;
  readonly digest: string;
  /** What the operator was asked about its file; null where it counts by where it lies. */
  readonly asked: AskedFile | null;
  readonly name: string;
  readonly description: string;
  readonly lead: string;
  /** Every role the team may ever use, lead included, in the order written. */
  readonly roles: readonly string[];
  /** The roles that are spawned only when the lead asks. */
  readonly onDemand: readonly string[];
  /** Informational; text when the recipe does not give a number. */
  readonly size: number | string | null;
  readonly repos: readonly string[];
  readonly whenToUse: string | null;
  /** The engine; null: the configuration says. */
  readonly mode: 'in-process' | 'queue' | null;
  /** The floor, which nothing may loosen. */
  readonly safety: 'read-only' | 'non-destructive' | 'full';
  readonly planApproval: boolean;
  readonly workspace: Workspace;
  /** Further roots for reading; relative to what `pathBase` says, in normal form. */
  readonly reads: readonly string[];
  /** What the relative paths of this recipe start from. */
  readonly pathBase: 'mission-repository' | 'working-directory';
  readonly model: string | null;
  readonly tasks: readonly RecipeTask[];
  readonly permissions: readonly RecipePermission[];
  /** Name of the process entry that governs the order of steps. */
  readonly process: string | null;
  /** The page of a run that is given none. */
  readonly page: string | null;
  readonly limits: Limits;
  readonly engineer: RecipeEngineer | null;
  readonly editsAgents: boolean;
  readonly variables: readonly RecipeVariable[];
  /** The body: the team's working contract, for the lead's system prompt. */
  readonly contract: string;
  /** The line of the file on which `contract` begins. */
  readonly contractLine: number;
  /** Lines of the file by path, for findings: see `lineAt`. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Where the team works. `inner` is relative to what `pathBase` says; `temp` is a fresh directory of the run. */
export type Workspace =
  | { readonly kind: 'working-directory' }
  | { readonly kind: 'inner'; readonly path: string }
  | { readonly kind: 'temp' };

/** A task that is put on the board at the start. */
export interface RecipeTask {
  readonly id: string;
  readonly subject: string;
  readonly description: string;
  /** Null: anyone may claim it. */
  readonly role: string | null;
  readonly blockedBy: readonly string[];
  readonly gates: readonly string[];
  readonly acceptance: readonly string[];
  readonly artifacts: readonly string[];
  readonly required: boolean;
  readonly skills: readonly string[];
  readonly upstream: 'wait' | 'continue_with_missing' | 'fail';
}

/** One rule for confirmations; a null `match` means every call of the tool. */
export interface RecipePermission {
  readonly tool: string;
  readonly match: string | null;
  readonly decision: 'allow' | 'ask' | 'deny';
}

/** A value the recipe takes. `required` without the recipe saying so: when there is no default. */
export interface RecipeVariable {
  readonly name: string;
  readonly description: string;
  readonly default: string | null;
  readonly required: boolean;
}

/** What delegated work of this team asks for; data until something delegates (spec/runner.md). */
export interface RecipeEngineer {
  readonly pool: string | null;
  /** What a runner of the pool has to have. */
  readonly labels: readonly string[];
  readonly kind: string | null;
  readonly model: string | null;
  /** Commands by key, each an argv. */
  readonly verify: ReadonlyMap<string, readonly string[]>;
  readonly skills: readonly string[];
  /** Null: the default globs. */
  readonly protect: readonly string[] | null;
  readonly policy: 'review' | 'complete_on_verified';
  readonly offers: number;
}
