/** What the doctor found, for a terminal. Pure; controls stripped. */

import type { Check } from '../../runtime/doctor/check.js';
import type { Examined } from '../../runtime/doctor/doctor.js';
import { oneLine } from '../../shared/terminal-text.js';

/** A line for each check; below one that is not well what is wanted and what to do. */
export function doctorText({ ok, checks }: Examined): string {
  const lines = checks.flatMap((check) => checkLines(check).map((line) => oneLine(line, 2_000)));
  const errors = checks.filter(({ state }) => state === 'error').length;
  const end = ok ? 'nothing is in the way' : `${errors} of these ${errors === 1 ? 'is' : 'are'} in the way`;
  return `${[...lines, end].join('\n')}\n`;
}

function checkLines({ check, state, found, wanted, remedy }: Check): string[] {
  return [
    `${state.padEnd(7)}  ${check}: ${found}`,
    ...(state === 'ok' ? [] : [`         wanted: ${wanted}`]),
    ...(remedy === null ? [] : [`         to do: ${remedy}`]),
  ];
}
