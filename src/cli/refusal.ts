/** How findings are told: a line each on stderr, or one `run.refused` line on stdout where events were asked for. */

import { isoStamp } from '../shared/clock.js';
import type { Finding } from '../shared/findings.js';
import { jsonLine } from '../shared/jsonl.js';
import { plainJson } from '../shared/terminal-text.js';
import type { Program } from './call.js';
import { findingLines } from './texts/finding-text.js';

/** The exit code of everything that is refused before it began. */
export const REFUSED = 2;

/** Writes findings for people, controls stripped: what is worst stands last, where it is seen. */
export function writeFindings({ output, workingDirectory }: Program, findings: readonly Finding[]): void {
  for (const line of findingLines(findings, workingDirectory)) output.notes.write(`${line}\n`);
}

/**
 * Refuses; nothing was created.
 * @param form `text`, or `events`: stdout then gets exactly one line
 * @param exit given where a run was refused for another reason than wrong use
 */
export function refuse(
  program: Program,
  findings: readonly Finding[],
  form: 'text' | 'events' = 'text',
  exit = REFUSED,
): number {
  const { output, clock } = program;
  if (form === 'text') {
    writeFindings(program, findings);
  } else {
    const at = isoStamp(clock.wallMs());
    output.results.write(plainJson(jsonLine({ v: 1, seq: 1, at, type: 'run.refused', exit, findings })));
  }
  return exit;
}
