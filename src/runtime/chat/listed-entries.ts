/** What the role of a chat lists, through the gates of every force-load (spec/skills.md §7, §8). */

import type { Role } from '../../catalog/roles/role.js';
import type { Finding } from '../../shared/findings.js';
import { parseAdditions } from '../../skills/additions.js';
import type { Capability } from '../../skills/entry.js';
import { forceLoad } from '../../skills/force-load.js';
import type { Registry } from '../../skills/registry.js';
import type { House } from '../house.js';

export interface ListedEntries {
  /** Names of entries that instruct. */
  readonly listed: readonly string[];
  /** The block of those that may not; '' for none. */
  readonly reference: string;
  readonly granted: readonly Capability[];
  /** Errors: a name that no entry has, or one that may not be used. */
  readonly findings: readonly Finding[];
}

/** @param tools names of the tools of the chat */
export function listedEntries(
  house: House,
  role: Role | null,
  registry: Registry,
  tools: readonly string[],
): ListedEntries {
  const granted = capabilitiesOf(tools);
  if (role === null) return { listed: [], reference: '', granted, findings: [] };
  const additions = parseAdditions(house.agentSkills, 'BNERD_AGENT_SKILLS');
  const loaded = forceLoad({
    registry,
    role: role.name,
    rolePath: role.path,
    roleSkills: role.skills,
    additions: additions.additions,
    granted,
  });
  const unnamed = forceLoad({
    registry,
    role: role.name,
    rolePath: role.path,
    roleSkills: [],
    additions: { ...additions.additions, everyone: [], byRole: new Map() },
    granted,
  });
  // Always-on rules of a team come along there; which ones a chat has is for its mode to say.
  const listed = loaded.entries.filter((entry) => !unnamed.entries.includes(entry)).map(({ name }) => name);
  return {
    listed,
    reference: '',
    granted,
    findings: [...additions.findings, ...loaded.refusals, ...loaded.notes],
  };
}

function capabilitiesOf(tools: readonly string[]): Capability[] {
  const granted: Capability[] = [];
  if (tools.includes('fs_write_file') || tools.includes('fs_edit_file')) granted.push('workspace-write');
  if (tools.includes('shell_exec')) granted.push('shell');
  if (tools.includes('web_fetch')) granted.push('network');
  return granted;
}
