/** What stdout and stderr carry: resolved apart and first, so that every refusal is told in the form asked for. */

import { readYesNo, ValueReader } from './values.js';
import { badValue, type Layers, type Resolved, writtenValue } from './written.js';

export interface OutputConfig {
  /** `text`: the result; `facts`: a JSON object a fact; `all`: transcript entries as well. */
  readonly events: 'text' | 'facts' | 'all';
  /** No progress on stderr. */
  readonly quiet: boolean;
  /** A team that another process runs is looked on and answered. */
  readonly attach: boolean;
}

/** Reads `--json-events[=facts|all]`, `--quiet` and `--attach`, or their variables. */
export function resolveOutputConfig(layers: Layers): Resolved<OutputConfig> {
  const events = eventsOf(layers);
  if (events.kind === 'refused') return events;
  const reader = new ValueReader();
  const yesNo = (flag: string): boolean => reader.valueOr(writtenValue(layers, flag), false, readYesNo);
  const value = { events: events.value, quiet: yesNo('quiet'), attach: yesNo('attach') };
  const { findings } = reader;
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}

function eventsOf(layers: Layers): Resolved<OutputConfig['events']> {
  const written = writtenValue(layers, 'json-events');
  if (written === undefined) return { kind: 'resolved', value: 'text' };
  const word = written.text.trim().toLowerCase();
  if (word === 'facts' || word === 'all') return { kind: 'resolved', value: word };
  const asked = readYesNo(written);
  if (asked.kind === 'read') return { kind: 'resolved', value: asked.value ? 'facts' : 'text' };
  const finding = badValue(written, 'facts, all, or yes or no', 'write --json-events or --json-events=all');
  return { kind: 'refused', findings: [finding] };
}
