/** Names of the tools of this program, those included that no member has: of later versions, of a chat. */

import { TOOLS } from '../catalogue.js';

/** Tools of later versions: nothing else may have their names, and a rule about one waits for it. */
export const LATER_TOOLS: readonly string[] = ['delegate_engineer', 'delegate_status', 'delegate_cancel'];

/** The tool of a chat by which the model loads a skill. */
export const SKILL_TOOL = 'skill';

export const OWN_TOOLS: ReadonlySet<string> = new Set([
  ...TOOLS.map(({ name }) => name),
  ...LATER_TOOLS,
  SKILL_TOOL,
]);
