/** Coordination tools over the pure core: a member's call as the loop makes it, its commands kept by the call's place. */

import type { ToolResult } from '../../src/agent/tool.js';
import { turnScope } from '../../src/team/evolve.js';
import type { CoordinationTool } from '../../src/tools/coordination/coordination.js';
import { leadTools } from '../../src/tools/coordination/coordination-lead.js';
import { memberTools } from '../../src/tools/coordination/coordination-tasks.js';
import type { Delegated } from '../../src/tools/coordination/delegated.js';
import { delegateAdopt } from '../../src/tools/delegate-adopt.js';
import { delegateCancel } from '../../src/tools/delegate-cancel.js';
import { delegateStatus } from '../../src/tools/delegate-status.js';
import type { Team } from '../helpers/build-state.js';

const ALL: ReadonlyMap<string, CoordinationTool> = new Map(
  [...memberTools, ...leadTools, delegateStatus, delegateCancel, delegateAdopt].map((tool) => [
    tool.definition.name,
    tool,
  ]),
);

let places = 0;

/**
 * Makes a call in the member's live turn.
 * @param how.place the call's place; the same one again is the same call after a crash
 * @param how.files paths that exist in the workspace; each file is as long as its name
 * @param how.delegated what is told of delegated work
 * @param how.cut the call stands in a reply that was cut off
 */
export async function call(
  team: Team,
  member: string,
  tool: string,
  args: unknown,
  how: {
    readonly place?: string;
    readonly files?: readonly string[];
    readonly delegated?: Delegated;
    readonly cut?: boolean;
  } = {},
): Promise<ToolResult & { readonly endsTurn?: boolean }> {
  const found = ALL.get(tool);
  if (found === undefined) throw new Error(`no tool ${tool}`);
  const place = how.place ?? `test.${places++}`;
  return found.run(args, {
    ...team.in(member),
    state: () => team.state,
    send: async (command, part = '') => {
      const decision = team.do(command, `${turnScope(member)}${place}/${part}`);
      return decision.kind === 'accepted' ? { kind: 'accepted', facts: decision.facts } : decision;
    },
    fileBytes: async (path) => (how.files?.includes(path) === true ? path.length : null),
    delegated: how.delegated ?? null,
    cut: how.cut === true,
  });
}
