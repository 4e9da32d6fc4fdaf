/**
 * Which tools a member gets. Most restrictive wins, in this order (spec/team.md §2):
 *
 *  R1 the safety floor: tools that may run a call it admits (`shell_exec` for its Read-class commands too);
 *  R2 the role's base toolset, filtered by it;
 *  R3 `disallowedTools` removed;
 *  R4 the `tools` allow-list, which selects and never adds: the base is its upper bound; a tool that is named with
 *     patterns only is there for calls that match one (`team/policy.ts` P6);
 *  R5 coordination tools last, not removable by a role.
 *
 * `tools` absent: the base toolset. Empty: coordination only. Given, and nothing of it resolves:
 * `no-tools-resolve`, an error, the role does not spawn.
 */

import type { ToolClass } from '../agent/tool.js';
import type { Finding, FindingPlace } from '../shared/findings.js';
import { admits, type PermissionRule } from '../team/policy.js';
import { COORDINATION_TOOLS, WORK_TOOLS } from './catalogue.js';
import { type TranslatedNames, translateToolNames } from './tool-names.js';
import type { ToolPattern } from './tool-patterns.js';

export interface MemberToolsRequest {
  readonly safety: 'read-only' | 'non-destructive' | 'full';
  readonly base: 'read' | 'write' | 'none';
  /** As the role file writes them, names of Claude Code included; null: absent. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  readonly lead: boolean;
  readonly planMode: boolean;
  /** Its name, the origin of its patterns. */
  readonly role: string;
  /** Where the two lists stand in the role file. */
  readonly places: { readonly tools: FindingPlace; readonly disallowedTools: FindingPlace };
}

export interface MemberTool {
  readonly name: string;
  readonly class: ToolClass;
}

export interface MemberTools {
  /** In the order of the catalogue. */
  readonly tools: readonly MemberTool[];
  /** About these tools alone. */
  readonly patterns: readonly PermissionRule[];
  readonly findings: readonly Finding[];
}

/** The tools of a member. Pure. */
export function memberTools(request: MemberToolsRequest): MemberTools {
  const removed = translateToolNames(request.disallowedTools, {
    ...request.places.disallowedTools,
    key: 'disallowedTools',
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
  const has = ({ tool }: ToolPattern): boolean => tools.some(({ name }) => name === tool);
  const origin = `role:${request.role}`;
  return {
    tools,
    patterns: [
      ...chosen.patterns.filter(has).map((pattern) => ({ ...pattern, decision: 'allow' as const, origin })),
      ...removed.patterns.filter(has).map((pattern) => ({ ...pattern, decision: 'deny' as const, origin })),
    ],
    findings: [...removed.findings, ...chosen.findings],
  };
}

function allowed(
  request: MemberToolsRequest,
  base: readonly MemberTool[],
  coordination: readonly MemberTool[],
): { work: readonly MemberTool[] } & Pick<TranslatedNames, 'patterns' | 'findings'> {
  if (request.tools === null) return { work: base, patterns: [], findings: [] };
  const place = request.places.tools;
  const { names, patterns, findings } = translateToolNames(request.tools, { ...place, key: 'tools' });
  const named = new Set([...names, ...patterns.map(({ tool }) => tool)]);
  const work = base.filter((row) => named.has(row.name));
  const resolves = work.length > 0 || coordination.some((row) => named.has(row.name));
  if (resolves || request.tools.length === 0) return { work, patterns, findings };
  const none: Finding = {
    code: 'no-tools-resolve',
    severity: 'error',
    ...place,
    message: `tools: none of ${request.tools.map((name) => `"${name}"`).join(', ')} is left for this role`,
    remedy: `allowed under safety ${request.safety} and base ${request.base}: ${listed(base)}; or write tools: []`,
  };
  return { work, patterns, findings: [...findings, none] };
}

function listed(rows: readonly MemberTool[]): string {
  return rows.length === 0 ? 'none' : rows.map((row) => row.name).join(', ');
}
