/**
 * Places that no file tool writes, at any depth (spec/team.md §2): whoever writes there makes programs run (git
 * directories: hooks, filters, monitors) or decides what members are (agent folders).
 */

import { foldName } from './fold-name.js';

export type WriteVerdict =
  | { readonly kind: 'free' }
  /** Never. */
  | { readonly kind: 'git'; readonly name: string }
  /** Only where the recipe says `edits_agents: true`, and then the operator confirms each write. */
  | { readonly kind: 'agents'; readonly name: string };

/** With `~1` at their end: short names of the same on Windows drives. */
const GIT_NAMES: ReadonlySet<string> = new Set(['.git', 'git~1']);
const AGENT_NAMES: ReadonlySet<string> = new Set([
  '.bnerd',
  'bnerd~1',
  '.claude',
  'claude~1',
  '.agents', // a place of skills, as the others are
  'agents~1',
  'orchestrator',
  'orches~1',
  '.bnerd.yaml',
]);

/** What the names of a path say about writing it; git beats agents. */
export function writeVerdict(segments: readonly string[]): WriteVerdict {
  const folded = segments.map(foldName);
  const git = folded.findIndex((name) => GIT_NAMES.has(name));
  if (git !== -1) return { kind: 'git', name: segments[git] ?? '' };
  const agents = folded.findIndex((name) => AGENT_NAMES.has(name));
  return agents === -1 ? { kind: 'free' } : { kind: 'agents', name: segments[agents] ?? '' };
}

/** Names by which git knows a git directory; see `looksLikeGitDirectory`. */
export const GIT_DIRECTORY_NAMES = ['HEAD', 'objects', 'refs', 'commondir'] as const;

/**
 * Whether a directory with these entries is taken for a git directory by git: `HEAD` with `objects` and `refs`,
 * or with `commondir`. Asked about the entries as they would be *after* a write, so that such a directory cannot
 * be made piece by piece either.
 */
export function looksLikeGitDirectory(entries: readonly string[]): boolean {
  const names = new Set(entries.map((entry) => foldName(entry)));
  return names.has('head') && ((names.has('objects') && names.has('refs')) || names.has('commondir'));
}
