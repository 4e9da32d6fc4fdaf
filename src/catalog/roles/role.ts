/**
 * A role in its working shape (spec/team.md §1). Tool names are kept as written: what they mean is for the
 * runtime, which knows the tools.
 *
 * Always true: a role never loosens what a run allows; what its file says and is not in effect is a finding.
 */

import type { Tier } from '../tiers.js';
import type { AskedFile } from '../trust.js';

/** A kind of member, ready to be given a seat. */
export interface Role {
  readonly name: string;
  readonly path: string;
  readonly tier: Tier;
  readonly digest: string;
  /** What the operator was asked about its file; null where it counts by where it lies. */
  readonly asked: AskedFile | null;
  /** Empty when the file has none. */
  readonly description: string;
  /** As written, an alias or `inherit` included; null when absent. */
  readonly model: string | null;
  /** Null: absent, the base toolset. Empty: coordination tools only. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  readonly permissionMode: 'default' | 'plan';
  readonly skills: readonly string[];
  readonly color: string | null;
  /** Null: only the limits of the run. */
  readonly maxTurns: number | null;
  /**
   * The toolset that the safety floor filters and `tools` selects from. Where the file says nothing: `write` when
   * it lists tools, since a list can only select from it; else `read`, since a file that asks for nothing gets
   * nothing that could do harm.
   */
  readonly base: 'read' | 'write' | 'none';
  /** Capabilities, as written. */
  readonly grants: readonly string[];
  /** Null: the lead for plans, the operator for confirmations. */
  readonly approver: 'lead' | 'operator' | null;
  readonly delegate: boolean;
  readonly engineerSkills: readonly string[];
  readonly workspace: 'shared' | 'exclusive';
  /** The body: the role's part of the system prompt. */
  readonly prompt: string;
  /** Lines of the file by path, for findings: see `lineAt`. */
  readonly lines: ReadonlyMap<string, number>;
}
