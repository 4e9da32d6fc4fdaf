/** Whether a process makes spans of its jobs: `BNERD_OTEL`. Where they go is said by the variables of OpenTelemetry itself. */

import { readYesNo, ValueReader } from './values.js';
import type { Layers, Resolved } from './written.js';

/** False unless somebody has said so. */
export function resolveTracing({ environment }: Pick<Layers, 'environment'>): Resolved<boolean> {
  const place = 'BNERD_OTEL';
  const text = environment.variables.get(place);
  const reader = new ValueReader();
  const value = reader.valueOr(text === undefined ? undefined : { text, place }, false, readYesNo);
  const { findings } = reader;
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}
