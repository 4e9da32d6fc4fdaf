/** A yes-or-no question to the person at the terminal; nobody there is an answer of its own. */

import type { Resolved } from '../config/written.js';
import { oneLine } from '../shared/terminal-text.js';
import type { Program } from './call.js';
import { onLines } from './terminal-input.js';

/** Asks once; only a plain yes is one. Refused without a terminal. */
export async function confirmed({ input, output }: Program, what: string): Promise<Resolved<boolean>> {
  const asked = oneLine(what, 500);
  if (!input.isTerminal) {
    const message = `somebody has to agree to "${asked}" and there is no terminal`;
    const finding = {
      code: 'needs-yes',
      severity: 'error',
      path: '--yes',
      message,
      remedy: 'add --yes',
    } as const;
    return { kind: 'refused', findings: [finding] };
  }
  output.notes.write(`${asked}? [y/N]: `);
  const line = await new Promise<string>((resolve) => {
    const stop = onLines(input, (lines) => {
      stop();
      resolve(lines?.[0] ?? '');
    });
  });
  return { kind: 'resolved', value: ['y', 'yes'].includes(line.trim().toLowerCase()) };
}
