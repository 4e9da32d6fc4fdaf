/** The kinds of engineers that there are: one row each, and the contract suite (`test/contracts`) runs over them. */

import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { command } from './command.js';
import type { Engineer } from './engineer.js';

const KINDS: readonly Engineer[] = [claudeCode, codex, command];

export const ENGINEER_KINDS: readonly string[] = KINDS.map(({ kind }) => kind);

/** The engineer of this kind; undefined: there is none. */
export function engineerOf(kind: string): Engineer | undefined {
  return KINDS.find((known) => known.kind === kind);
}
