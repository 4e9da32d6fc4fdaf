/**
 * `delegate_engineer`: sends an order for a task to an engineer, which is another program with a checkout of its own
 * (spec/runner.md §4). The call says only what is wanted; repository, commands that verify, skills and the kind of engineer
 * are the recipe's and the operator's word. It is of the class of what the engineer may do under the brief's safety.
 */

import { z } from 'zod';
import type { Tool, ToolResult } from '../agent/tool.js';
import { isLooser, type SafetyMode, safetyMode } from '../delegate/brief/brief.js';
import { nameRemedy } from '../shared/did-you-mean.js';
import { CLASS_OF_SAFETY } from '../team/decide/brief.js';
import { toolArguments } from './arguments.js';
import { taskId } from './coordination/coordination.js';
import { defineTool, refused } from './define-tool.js';

/** What a member asks an engineer for. */
export interface EngineerWish {
  /** As the member names it. */
  readonly task: string;
  readonly goal: string;
  readonly acceptance: readonly string[];
  readonly context: string;
  readonly constraints: readonly string[];
  /** A branch or commit; null: where the workspace stands. */
  readonly base: string | null;
  readonly verifyKeys: readonly string[];
  readonly safety: SafetyMode;
  readonly costUsd: number | null;
  readonly wallMinutes: number;
  readonly turns: number | null;
}

/** What the run says of delegated work, and the desk that takes an order. */
export interface Delegating {
  readonly kind: string;
  /** The loosest mode that a brief may have. */
  readonly safety: SafetyMode;
  readonly pool: string | null;
  /** Keys of the recipe's commands. */
  readonly verifyKeys: readonly string[];
  /** Whether every brief has to say what it may cost. */
  readonly costRequired: boolean;
  /** Why the engineer cannot be held under this safety to what is denied to the member; null: it can (case E106). */
  unheld(safety: SafetyMode): string | null;
  /** @param place where the call stands in the transcript: run again there, it has one effect */
  send(wish: EngineerWish, place: string, signal: AbortSignal): Promise<ToolResult>;
}

const text = z.string().max(200_000);

const args = toolArguments({
  task: taskId,
  goal: text
    .min(1)
    .describe('what is to be true at the end, for somebody who knows nothing else of this team'),
  acceptance: z.array(text.min(1)).min(1).max(200).describe('what the work is judged by, one item each'),
  context: text
    .default('')
    .describe('what the engineer has to know: places in the code, decisions, findings'),
  constraints: z.array(text.min(1)).max(200).default([]).describe('what it must not do or change'),
  base: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('branch or commit to begin from; absent: the present commit of the workspace'),
  verify_keys: z
    .array(z.string())
    .max(50)
    .default([])
    .describe('keys of the commands of the recipe that check what it has committed'),
  pool: z.string().optional().describe('the pool of the recipe; may be left out'),
  safety: safetyMode
    .optional()
    .describe('what the engineer may do; absent: as this team; never looser than that'),
  cost_usd: z.number().positive().optional().describe('the most that it may cost, in US dollars'),
  wall_minutes: z
    .number()
    .positive()
    .max(1_440)
    .default(30)
    .describe('minutes it may take; then it is ended'),
  turns: z.int().min(1).max(10_000).optional().describe('rounds of its own loop that it may take'),
});

/** The tool of a member that may delegate. */
export function delegateEngineer(delegating: Delegating): Tool {
  const { kind, pool, verifyKeys, costRequired } = delegating;
  const keys = verifyKeys.length === 0 ? 'none' : verifyKeys.join(', ');
  return defineTool({
    name: 'delegate_engineer',
    description:
      'Gives a task to an engineer: another program, with a checkout of its own at the present commit, a branch and a ' +
      'shell. The task must be yours, or ready for you to take: then it is claimed with this. It answers at once with ' +
      `the id of the brief; a message tells you how it ended. The engineer sees committed files only. Verify keys: ${keys}.` +
      (costRequired ? ' cost_usd is required: this team has a limit of costs.' : ''),
    class: 'write',
    arguments: args,
    deadlineMs: 120_000,
    prepare(found) {
      const safety = found.safety ?? delegating.safety;
      if (isLooser(safety, delegating.safety))
        return refused(
          `safety ${safety} is looser than this team's; allowed: ${delegating.safety} or stricter`,
        );
      if (found.pool !== undefined && found.pool !== pool)
        return refused(
          `the recipe names ${pool === null ? 'no pool' : `pool ${pool}`}, not "${found.pool}"; leave pool out`,
        );
      const unknown = found.verify_keys.find((key) => !verifyKeys.includes(key));
      if (unknown !== undefined)
        return refused(`"${unknown}" is no key of the recipe's commands; ${nameRemedy(unknown, verifyKeys)}`);
      if (costRequired && found.cost_usd === undefined)
        return refused('cost_usd is missing: this team has a limit of costs, so each brief says its own');
      const unheld = delegating.unheld(safety);
      if (unheld !== null) return refused(unheld);
      return {
        kind: 'ready',
        class: CLASS_OF_SAFETY[safety],
        summary: `engineer ${kind} (${safety}) for ${found.task}: ${found.goal}`,
        subject: `${safety} ${kind}`,
      };
    },
    run(found, signal, place) {
      const wish: EngineerWish = {
        task: found.task,
        goal: found.goal,
        acceptance: found.acceptance,
        context: found.context,
        constraints: found.constraints,
        base: found.base ?? null,
        verifyKeys: found.verify_keys,
        safety: found.safety ?? delegating.safety,
        costUsd: found.cost_usd ?? null,
        wallMinutes: found.wall_minutes,
        turns: found.turns ?? null,
      };
      return delegating.send(wish, place, signal);
    },
  });
}
