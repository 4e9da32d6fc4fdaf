/**
 * Which tools the entries of a session allow (spec/skills.md §1 `allowed-tools`, §8). Pure.
 *
 * T1 What the session began with, always-on and listed by the role, says together what is allowed; an entry that
 *    declares nothing says nothing, and an empty declaration allows nothing.
 * T2 Where that says nothing, the first entry that is loaded later and declares something says it.
 * T3 Whatever is loaded after somebody has said it widens nothing. Only the operator's unloading does.
 * T4 It restricts and never approves: what is left is put to the policy as before. The tool `skill` is not asked about.
 */

import { allowingPattern } from '../team/policy/pattern-match.js';
import type { CallMatter } from '../team/policy/permission-match.js';
import type { PermissionRule } from '../team/policy/policy.js';
import { translateToolNames } from '../tools/names/tool-names.js';
import type { ToolPattern } from '../tools/names/tool-patterns.js';
import type { ActiveEntry, Session } from './session.js';

/** What is allowed; null: everything the chat has. */
export interface ToolScope {
  /** Tools that may be called whatever they are called with. */
  readonly names: ReadonlySet<string>;
  /** Of other tools only calls that match one of these. */
  readonly patterns: readonly ToolPattern[];
}

/** @param provided names of tools that entries provide: declarations may name them as well */
export function toolScope({ active }: Session, provided: ReadonlySet<string>): ToolScope | null {
  const declaring = [...active.values()].filter(({ entry }) => entry.allowedTools !== null);
  const first = declaring.filter(({ why }) => why === 'always-on' || why === 'role');
  const speaking = first.length > 0 ? first : declaring.slice(0, 1);
  if (speaking.length === 0) return null;
  return scopeOf(speaking, provided);
}

function scopeOf(speaking: readonly ActiveEntry[], provided: ReadonlySet<string>): ToolScope {
  const written = speaking.flatMap(({ entry }) => entry.allowedTools ?? []);
  const foreign = written.filter((name) => !provided.has(name));
  // Names that stand for no tool of ours allow nothing; lint says so of the file.
  const { names, patterns } = translateToolNames(foreign, { path: 'allowed-tools', key: 'tools' });
  const own = written.filter((name) => provided.has(name));
  return { names: new Set([...names, ...own]), patterns };
}

/** Whether a tool may be called at all. */
export function scopeHas(scope: ToolScope | null, tool: string): boolean {
  if (scope === null || scope.names.has(tool)) return true;
  return scope.patterns.some((pattern) => pattern.tool === tool);
}

/** Why a call is outside of what is allowed; undefined when it is inside. */
export function outsideScope(scope: ToolScope | null, matter: CallMatter): string | undefined {
  const { tool } = matter;
  if (scope === null || scope.names.has(tool)) return undefined;
  const own = scope.patterns.filter((pattern) => pattern.tool === tool);
  if (allowingPattern(own.map(asRule), matter) !== undefined) return undefined;
  const only = own.length === 0 ? 'none' : own.map(({ match }) => match).join(', ');
  return `allowed-tools of the entries of this session: of ${tool} only ${only}`;
}

function asRule(pattern: ToolPattern): PermissionRule {
  return { ...pattern, decision: 'allow', origin: 'allowed-tools' };
}
