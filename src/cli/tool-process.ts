/**
 * Commands that decide, approve or trust refuse below a member's tool: a courtesy, no guard, since a member with a
 * shell has the operator's powers on this machine (spec/team.md §2).
 */

import type { Finding } from '../shared/findings.js';
import type { Program } from './call.js';

/** Set in the environment of every process that a tool starts (`tools/shell/environment.ts`). */
const MARKER = 'BNERD_MEMBER';

/** The refusal, when this process was started by a tool of a member. */
export function refusalBelowTool({ environment }: Program, command: string): Finding | null {
  const member = environment.variables.get(MARKER);
  if (member === undefined) return null;
  return {
    code: 'below-a-tool',
    severity: 'error',
    path: command,
    message: `this is the operator's to say, and the command was started by a tool of the member "${member}"`,
    remedy: 'ask the operator (ask_question)',
  };
}
