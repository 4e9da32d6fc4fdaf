/** What an engineer does, as lines for its orderer: at most one a second, bounded, and without secrets. */

import { type Clock, isoStamp } from '../../shared/clock.js';
import type { Redactor } from '../../shared/secrets/redactor.js';
import { oneLine } from '../../shared/terminal-text.js';
import type { EngineerTold } from '../engineers/run-engineer.js';
import type { RunnerLine } from './lines.js';

const BETWEEN_MS = 1_000;

/** In UTF-16 units. */
const TEXT = 500;

/** Hears events of an engineer; the latest that comes within a second of another is dropped. */
export function activityLines(
  brief: string,
  say: (line: RunnerLine) => void,
  clock: Clock,
  secrets: Redactor,
): EngineerTold['event'] {
  let last = Number.NEGATIVE_INFINITY;
  let turns = 0;
  return (event) => {
    const common = { v: 1, brief, at: isoStamp(clock.wallMs()) } as const;
    if (event.kind === 'usage') turns = event.usage.turns;
    if (event.kind === 'stalled') say({ ...common, type: 'stalled', idle_ms: event.idleMs });
    if (event.kind !== 'activity' || clock.monotonicMs() - last < BETWEEN_MS) return;
    last = clock.monotonicMs();
    say({ ...common, type: 'activity', text: secrets.shown(oneLine(event.text, TEXT)), turns });
  };
}
