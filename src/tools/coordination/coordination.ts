/**
 * What coordination tools stand on: they read the state and send commands, and nothing else (spec/team.md §2).
 *
 * Every command of a call is keyed by the call's place in the transcript, so a call that is run again after a crash
 * has its effect once and gives the same answer. Arguments are checked by the tool's schema at this one door.
 */

import { z } from 'zod';
import { failed, ok, type ToolDefinition, type ToolResult } from '../../agent/tool.js';
import type { Command } from '../../team/command.js';
import type { Fact, TeamState } from '../../team/show/view.js';
import { toolArguments } from '../arguments.js';
import type { Delegated } from './delegated.js';

export interface CoordinationContext {
  readonly member: string;
  readonly turn: number;
  readonly state: () => TeamState;
  /** Sends a command under this call's own id. `part` tells several commands of one call apart. */
  send(command: Command, part?: string): Promise<Sent>;
  /**
   * Bytes of the regular file at a path (relative to the workspace), there or in a commit of its repository; null where
   * there is none; for artifacts.
   */
  fileBytes(path: string, head: string | null): Promise<number | null>;
  /** Null where nobody delegates. */
  readonly delegated: Delegated | null;
  /** Whether the reply that holds this call was cut off by the provider's cap on its length. */
  readonly cut: boolean;
}

export type Sent =
  | { readonly kind: 'accepted'; readonly facts: readonly Fact[] }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export interface CoordinationTool {
  readonly definition: ToolDefinition;
  /** Runs one call. `endsTurn` is true when the team is closed by it. */
  run(args: unknown, context: CoordinationContext): Promise<ToolResult & { readonly endsTurn?: boolean }>;
}

/** Makes a tool from its arguments: bad ones become a failed result that names field, found and allowed. */
export function coordinationTool<Shape extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: Shape,
  run: (
    args: z.output<z.ZodObject<Shape, z.core.$strict>>,
    context: CoordinationContext,
  ) => Promise<ToolResult & { readonly endsTurn?: boolean }>,
): CoordinationTool {
  const { parameters, parse } = toolArguments(shape);
  return {
    definition: { name, description, parameters },
    run: async (args, context) => {
      const parsed = parse(name, args ?? {}); // A tool without arguments may be called with none at all.
      return parsed.kind === 'ok' ? run(parsed.value, context) : failed(parsed.text);
    },
  };
}

/** The result of a command: our words on success, the refusal as a failed result. */
export function told(sent: Sent, text: string | ((facts: readonly Fact[]) => string)): ToolResult {
  if (sent.kind === 'refused') return failed(`${sent.code}: ${sent.message}`);
  return ok(typeof text === 'string' ? text : text(sent.facts));
}

/** `#3`, from `#3`, `3` or 3, as models write them. */
export const taskId = z
  .union([z.string(), z.number()])
  .describe('a task, e.g. "#1"')
  .transform((value) => {
    const text = String(value).trim();
    return /^\d+$/.test(text) ? `#${text}` : text;
  });

/** The board id of a task that is named by its number or by the id that the recipe or the lead gave it. */
export function taskNamed(state: TeamState, id: string): string {
  if (state.tasks.has(id)) return id;
  for (const task of state.tasks.values()) if (task.spec.key === id) return task.id;
  return id;
}

/**
 * Which of these artifacts are missing now, and the bytes of the others together.
 * @param head what an engineer has delivered for the task; null: nothing
 */
export async function lookForArtifacts(
  context: CoordinationContext,
  paths: Iterable<string>,
  head: string | null,
): Promise<{ readonly missing: readonly string[]; readonly bytes: number }> {
  const missing: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const found = await context.fileBytes(path, head);
    if (found === null) missing.push(path);
    else bytes += found;
  }
  return { missing, bytes };
}

/** The fence of a report: what the caller names, else the attempt it holds or last held, else none (0). */
export function attemptOf(context: CoordinationContext, task: string, named: number | undefined): number {
  return named ?? context.state().tasks.get(task)?.holders.get(context.member) ?? 0;
}

/** The member's own word for itself in commands that lead and operator may both give. */
export function asker(context: CoordinationContext): { kind: 'member'; member: string; turn: number } {
  return { kind: 'member', member: context.member, turn: context.turn };
}
