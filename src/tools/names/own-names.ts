/** Names of the tools of this program, those included that no member has: of a chat. */

import { TOOLS } from '../catalogue.js';

/** The tool of a chat by which the model loads a skill. */
export const SKILL_TOOL = 'skill';

export const OWN_TOOLS: ReadonlySet<string> = new Set([...TOOLS.map(({ name }) => name), SKILL_TOOL]);
