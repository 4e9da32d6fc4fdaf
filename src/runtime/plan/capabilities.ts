/** What a member can do, from its final tools (spec/skills.md §7.3). `repo-workspace` is nobody's here. */

import type { Capability } from '../../skills/entry.js';

/** @param tools names of the tools that the member has */
export function capabilitiesOf(tools: readonly string[]): readonly Capability[] {
  const granted: Capability[] = [];
  if (tools.includes('fs_write_file') || tools.includes('fs_edit_file')) granted.push('workspace-write');
  if (tools.includes('shell_exec')) granted.push('shell');
  if (tools.includes('web_fetch')) granted.push('network');
  if (tools.includes('delegate_engineer')) granted.push('delegate');
  return granted;
}
