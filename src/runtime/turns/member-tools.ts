/**
 * The tools of one seat, ready to run: definitions for the model, doors for the loop (spec/team.md §2).
 *
 * Made for a turn from the names in the member's frozen seat. What plan mode hides is hidden here, at the moment the
 * model is asked: absent, not merely refused.
 */

import type { Tool } from '../../agent/tool.js';
import type { Seat } from '../../events/facts/frozen.js';
import type { ToolDefinition } from '../../models/model.js';
import type { Member } from '../../team/show/view.js';
import type { CoordinationTool } from '../../tools/coordination/coordination.js';
import { leadTools } from '../../tools/coordination/coordination-lead.js';
import { memberTools } from '../../tools/coordination/coordination-tasks.js';
import { delegateAdopt } from '../../tools/delegate-adopt.js';
import { delegateCancel } from '../../tools/delegate-cancel.js';
import { delegateStatus } from '../../tools/delegate-status.js';
import { REQUEST_TOOLS } from '../../tools/request-tools.js';

export type SeatTool =
  | {
      readonly kind: 'work';
      readonly name: string;
      readonly tool: Tool;
      /** By an entry of the member. */
      readonly provided: boolean;
    }
  | { readonly kind: 'coordination'; readonly name: string; readonly tool: CoordinationTool }
  | {
      readonly kind: 'request';
      readonly name: 'ask_question' | 'team_plan_submit';
      readonly definition: ToolDefinition;
    };

/**
 * The tools of a seat by name.
 * @param work makes a work tool by its name; undefined for a name it does not know
 */
export function seatTools(
  seat: Seat,
  work: (name: string) => Tool | undefined,
): ReadonlyMap<string, SeatTool> {
  const tools = new Map<string, SeatTool>();
  for (const { name, entry } of seat.tools) {
    const known = OF_THE_TEAM.get(name);
    if (known !== undefined) {
      tools.set(name, known);
      continue;
    }
    const tool = work(name);
    if (tool !== undefined) tools.set(name, { kind: 'work', name, tool, provided: entry !== null });
  }
  return tools;
}

/** Tools that are the same for whoever has them. */
const OF_THE_TEAM: ReadonlyMap<string, SeatTool> = new Map(
  [
    ...[...memberTools, ...leadTools, delegateStatus, delegateCancel, delegateAdopt].map(
      (tool): SeatTool => ({ kind: 'coordination', name: tool.definition.name, tool }),
    ),
    ...(['ask_question', 'team_plan_submit'] as const).map(
      (name): SeatTool => ({ kind: 'request', name, definition: REQUEST_TOOLS[name] }),
    ),
  ].map((tool) => [tool.name, tool]),
);

/** Whether the member's plan still has to be approved before it may change anything. */
export function planPending(member: Member): boolean {
  return member.plan.kind === 'required' || member.plan.kind === 'pending';
}

/** What the model is told of at this moment. */
export function visibleTools(tools: ReadonlyMap<string, SeatTool>, member: Member): ToolDefinition[] {
  const hidden = planPending(member);
  const definitions: ToolDefinition[] = [];
  for (const tool of tools.values()) {
    if (tool.kind === 'work') {
      if (hidden && tool.tool.class !== 'read' && tool.name !== 'shell_exec') continue;
      definitions.push(tool.tool.definition);
    } else if (tool.kind === 'coordination') {
      definitions.push(tool.tool.definition);
    } else if (tool.name !== 'team_plan_submit' || hidden) {
      definitions.push(tool.definition);
    }
  }
  return definitions;
}
