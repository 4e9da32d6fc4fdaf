/** What is said after an operator's word to a team. */

import type { Operated } from '../runtime/operator.js';
import { oneLine } from '../shared/terminal-text.js';
import type { Program } from './call.js';
import { refuse } from './refusal.js';

/** Tells it on stderr and gives the exit code. */
export function tellOperated(program: Program, operated: Operated): number {
  if (operated.kind === 'refused') return refuse(program, operated.findings);
  program.output.notes.write(`${oneLine(operated.text, Number.MAX_SAFE_INTEGER)}\n`);
  return 0;
}
