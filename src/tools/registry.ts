/**
 * Which tools a member gets. Most restrictive wins, in this order (spec/team.md §2):
 *
 *  R1 the safety floor: tools that may run a call it admits (`shell_exec` for its Read-class commands too);
 *  R2 the role's base toolset, filtered by it;
 *  R3 `disallowedTools` removed;
 *  R4 the `tools` allow-list, which selects and never adds: the base is its upper bound;
 *  R5 coordination tools last, not removable by a role.
 *
 * `tools` absent: the base toolset. Empty: coordination only. Given, and nothing of it resolves:
 * `no-tools-resolve`, an error, the role does not spawn.
 */

import type { ToolClass } from '../agent/tool.js';
import type { Finding } from '../shared/findings.js';
import { admits } from '../team/policy.js';
import { COORDINATION_TOOLS, WORK_TOOLS } from './catalogue.js';
import { translateToolNames } from './tool-names.js';

export interface MemberToolsRequest {
  readonly safety: 'read-only' | 'non-destructive' | 'full';
  readonly base: 'read' | 'write' | 'none';
  /** As the role file writes them, names of Claude Code included; null: absent. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  readonly lead: boolean;
  readonly planMode: boolean;
  /** The role file, and the lines of its keys where known: for findings. */
  readonly path: string;
  readonly toolsLine?: number;
  readonly disallowedToolsLine?: number;
}

export interface MemberTool {
  readonly name: string;
  readonly class: ToolClass;
}

export interface MemberTools {
  /** In the order of the catalogue. */
  readonly tools: readonly MemberTool[];
  readonly findings: readonly Finding[];
}

/** The tools of a member. Pure. */
export function memberTools(request: MemberToolsRequest): MemberTools {
  const removed = translateToolNames(request.disallowedTools, {
    path: request.path,
    key: 'disallowedTools',
    ...(request.disallowedToolsLine === undefined ? {} : { line: request.disallowedToolsLine }),
  });
  const base = WORK_TOOLS.filter(
    (row) =>
      admits(request.safety, row.least) &&
      (request.base === 'write' || row.base === request.base) &&
      !removed.names.includes(row.name),
  );
  const coordination = COORDINATION_TOOLS.filter(
    ({ who }) => who === 'everyone' || (who === 'lead' ? request.lead : request.planMode),
  );
  const chosen = allowed(request, base, coordination);
  const tools = [...chosen.work, ...coordination].map((row) => ({ name: row.name, class: row.class }));
  return { tools, findings: [...removed.findings, ...chosen.findings] };
}

function allowed(
  request: MemberToolsRequest,
  base: readonly MemberTool[],
  coordination: readonly MemberTool[],
): { work: readonly MemberTool[]; findings: readonly Finding[] } {
  if (request.tools === null) return { work: base, findings: [] };
  const place = {
    path: request.path,
    ...(request.toolsLine === undefined ? {} : { line: request.toolsLine }),
  };
  const { names, findings } = translateToolNames(request.tools, { ...place, key: 'tools' });
  const work = base.filter((row) => names.includes(row.name));
  const resolves = work.length > 0 || coordination.some((row) => names.includes(row.name));
  if (resolves || request.tools.length === 0) return { work, findings };
  const none: Finding = {
    code: 'no-tools-resolve',
    severity: 'error',
    ...place,
    message: `tools: none of ${request.tools.map((name) => `"${name}"`).join(', ')} is left for this role`,
    remedy: `allowed under safety ${request.safety} and base ${request.base}: ${listed(base)}; or write tools: []`,
  };
  return { work, findings: [...findings, none] };
}

function listed(rows: readonly MemberTool[]): string {
  return rows.length === 0 ? 'none' : rows.map((row) => row.name).join(', ');
}
