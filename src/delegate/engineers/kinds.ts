/** The kinds of engineers that there are: one row each, and the contract suite (`test/contracts`) runs over them. */

import { acp } from './acp.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { command } from './command.js';
import type { Engineer, EngineerOrder, EngineerSettings } from './engineer.js';
import { gemini } from './gemini.js';

const KINDS: readonly Engineer[] = [claudeCode, codex, gemini, acp, command];

export const ENGINEER_KINDS: readonly string[] = KINDS.map(({ kind }) => kind);

/** The engineer of this kind; undefined: there is none. */
export function engineerOf(kind: string): Engineer | undefined {
  return KINDS.find((known) => known.kind === kind);
}

/** What is said of an engineer that no settings name. */
export const UNSET_ENGINEER: EngineerSettings = {
  path: '',
  args: [],
  env: {},
  projectSettings: false,
  mayBeFull: false,
};

/** The rule that an engineer of this kind cannot be held to, in words, or null; see `Engineer.unheld`. */
export function unheldBy(
  kind: string,
  order: Pick<EngineerOrder, 'deny' | 'safety'>,
  settings: EngineerSettings = UNSET_ENGINEER,
): string | null {
  return engineerOf(kind)?.unheld({ ...order, settings }) ?? null;
}
