/**
 * The word `always`: it approves a confirmation and allows its asker this tool with this pattern until the run ends
 * (spec/team.md §3). Which pattern, the request says; here stands when it may be said.
 *
 * What it gives is an allow rule of one member: it answers confirmations and admits nothing that the safety mode, plan
 * mode, a deny or an ask rule excludes, and never a call of class Destructive (`policy.ts` P7).
 */

import type { Request } from '../state.js';

/** A request as the record or a view of it has it. */
interface Asked extends Pick<Request, 'tool' | 'member' | 'always'> {
  readonly kind: string;
  readonly class: string | null;
}

/** Why `always` may not be said of a request; null when it may. */
export function whyNoAlways({ kind, class: toolClass, always }: Asked): string | null {
  if (kind !== 'confirmation') return `a ${kind} is decided each time`;
  if (toolClass === 'destructive') return 'a call of class Destructive is confirmed each time';
  if (always === null) return 'no pattern is offered that would allow just this';
  return null;
}

/** What `always` would allow, in words: `shell_exec "git diff *" for scout, until the run ends`. */
export function alwaysText({ tool, member, always }: Pick<Asked, 'tool' | 'member' | 'always'>): string {
  return `${tool} ${JSON.stringify(always)} for ${member}, until the run ends`;
}
