/**
 * Which tools a member gets. Most restrictive wins, in this order (spec/team.md §2):
 *
 *  R1 the safety floor: tools that may run a call it admits (`shell_exec` for its Read-class commands too);
 *  R2 the role's base toolset, filtered by it;
 *  R3 `disallowedTools` removed;
 *  R4 the `tools` allow-list, which selects and never adds: the base is its upper bound; a tool that is named with
 *     patterns only is there for calls that match one (`team/policy/policy.ts` P6);
 *  R5 of a role with `delegate: true` the tool that sends work to an engineer, as far as the floor admits any call of it;
 *     neither base nor allow-list speak of it, `disallowedTools` may;
 *  R6 coordination tools last, not removable by a role.
 *
 * `tools` absent: the base toolset. Empty: coordination only. Given, and nothing of it resolves:
 * `no-tools-resolve`, an error, the role does not spawn.
 */

import type { ToolClass } from '../agent/tool.js';
import type { Finding, FindingPlace } from '../shared/findings.js';
import { admits, type PermissionRule } from '../team/policy/policy.js';
import { COORDINATION_TOOLS, type CoordinationToolRow, WORK_TOOLS } from './catalogue.js';
import { type TranslatedNames, translateToolNames } from './names/tool-names.js';
import type { ToolPattern } from './names/tool-patterns.js';

export interface MemberToolsRequest {
  readonly safety: 'read-only' | 'non-destructive' | 'full';
  readonly base: 'read' | 'write' | 'none';
  /** As the role file writes them, names of Claude Code included; null: absent. */
  readonly tools: readonly string[] | null;
  readonly disallowedTools: readonly string[];
  readonly lead: boolean;
  readonly planMode: boolean;
  /** A lead that may confirm calls of others. */
  readonly confirms: boolean;
  /** Its role says `delegate: true`, and there is an engineer that it can delegate to. */
  readonly delegates: boolean;
  /** It leads a team in which somebody delegates; absent: it does not. */
  readonly adopts?: boolean;
  /** Its name, the origin of its patterns. */
  readonly role: string;
  /** What its entries provide: part of the base, and named in the two lists as it is called. */
  readonly provided?: readonly ProvidedTool[];
  /** Where the two lists stand in the role file. */
  readonly places: { readonly tools: FindingPlace; readonly disallowedTools: FindingPlace };
}

export interface MemberTool {
  readonly name: string;
  readonly class: ToolClass;
  /** The entry that provides it; absent for a tool of this program. */
  readonly entry?: string;
}

/** A tool that an entry provides. */
export interface ProvidedTool extends MemberTool {
  readonly class: Exclude<ToolClass, 'coordination'>;
  readonly entry: string;
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
  const { provided = [] } = request;
  const isProvided = (written: string): boolean => provided.some(({ name }) => name === written.trim());
  const removed = translateToolNames(
    request.disallowedTools.filter((written) => !isProvided(written)),
    { ...request.places.disallowedTools, key: 'disallowedTools' },
  );
  const base = WORK_TOOLS.filter(
    (row) =>
      row.base !== 'delegate' &&
      admits(request.safety, row.least) &&
      (request.base === 'write' || row.base === request.base) &&
      !removed.names.includes(row.name),
  );
  const delegated = WORK_TOOLS.filter(
    (row) =>
      row.base === 'delegate' &&
      request.delegates &&
      admits(request.safety, row.least) &&
      !removed.names.includes(row.name),
  );
  const offered = provided.filter(
    (tool) =>
      admits(request.safety, tool.class) &&
      (request.base === 'write' || (request.base === 'read' && tool.class === 'read')) &&
      !request.disallowedTools.some((written) => written.trim() === tool.name),
  );
  const coordination = COORDINATION_TOOLS.filter(({ who }) => isFor(who, request));
  const chosen = allowed(request, base, offered, [...delegated, ...coordination], isProvided);
  const work = [...chosen.work, ...delegated].map(({ name, class: toolClass }) => ({
    name,
    class: toolClass,
  }));
  const last = coordination.map(({ name, class: toolClass }) => ({ name, class: toolClass }));
  const tools: readonly MemberTool[] = [...work, ...chosen.provided, ...last];
  const has = ({ tool }: ToolPattern): boolean => tools.some(({ name }) => name === tool);
  const origin = `role:${request.role}`;
  return {
    tools,
    patterns: [
      ...chosen.patterns.filter(has).map((pattern) => ({ ...pattern, decision: 'allow' as const, origin })),
      // Whoever delegates hands them on, to an engineer that has tools which the member has not.
      ...removed.patterns
        .filter((pattern) => has(pattern) || delegated.length > 0)
        .map((pattern) => ({ ...pattern, decision: 'deny' as const, origin })),
    ],
    findings: [
      ...removed.findings,
      ...chosen.findings,
      ...provided.filter((tool) => !chosen.provided.includes(tool)).map((tool) => notOffered(request, tool)),
    ],
  };
}

function isFor(who: CoordinationToolRow['who'], request: MemberToolsRequest): boolean {
  switch (who) {
    case 'everyone':
      return true;
    case 'lead':
      return request.lead;
    case 'confirming lead':
      return request.lead && request.confirms;
    case 'plan':
      return request.planMode;
    case 'delegate':
      return request.delegates;
    case 'delegating lead':
      return request.adopts === true;
  }
}

interface Allowed extends Pick<TranslatedNames, 'patterns' | 'findings'> {
  readonly work: readonly MemberTool[];
  readonly provided: readonly ProvidedTool[];
}

function allowed(
  request: MemberToolsRequest,
  base: readonly MemberTool[],
  offered: readonly ProvidedTool[],
  unlisted: readonly MemberTool[],
  isProvided: (written: string) => boolean,
): Allowed {
  if (request.tools === null) return { work: base, provided: offered, patterns: [], findings: [] };
  const place = request.places.tools;
  const listed = request.tools.map((written) => written.trim());
  const provided = offered.filter(({ name }) => listed.includes(name));
  const foreign = request.tools.filter((written) => !isProvided(written));
  const { names, patterns, findings } = translateToolNames(foreign, { ...place, key: 'tools' });
  const named = new Set([...names, ...patterns.map(({ tool }) => tool)]);
  const work = base.filter((row) => named.has(row.name));
  const resolves = work.length > 0 || provided.length > 0 || unlisted.some((row) => named.has(row.name));
  if (resolves || request.tools.length === 0) return { work, provided, patterns, findings };
  const none: Finding = {
    code: 'no-tools-resolve',
    severity: 'error',
    ...place,
    message: `tools: none of ${request.tools.map((name) => `"${name}"`).join(', ')} is left for this role`,
    remedy: `allowed under safety ${request.safety} and base ${request.base}: ${shown([...base, ...offered])}; or write tools: []`,
  };
  return { work, provided, patterns, findings: [...findings, none] };
}

/** The entry is there, and what it counts on is not: said, for the text may speak of the tool. */
function notOffered(
  { role, places }: MemberToolsRequest,
  { name, class: toolClass, entry }: ProvidedTool,
): Finding {
  return {
    code: 'tool-not-offered',
    severity: 'warning',
    ...places.tools,
    message: `${role} is not offered ${name} (${toolClass}), which its entry ${entry} provides: safety, base or the lists of its tools exclude it`,
    remedy: `name ${name} in tools, where base and safety admit class ${toolClass}; or take ${entry} off the list of the role`,
  };
}

function shown(rows: readonly MemberTool[]): string {
  return rows.length === 0 ? 'none' : rows.map((row) => row.name).join(', ');
}
