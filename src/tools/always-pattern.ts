/** What `always` would allow of a call: a pattern that says this very call and nothing beside it (spec/team.md §3). */

import type { PreparedCall } from '../agent/tool.js';

/**
 * The pattern for a rule about this tool; null where none says just this call.
 * @param prepared of a class that was found for this call
 */
export function alwaysPattern(
  _tool: string,
  { class: toolClass, subject }: Extract<PreparedCall, { kind: 'ready' }>,
): string | null {
  // A `*` of the call would be read as one of the pattern.
  return toolClass === 'destructive' || subject.includes('*') ? null : subject;
}
