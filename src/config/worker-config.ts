/** What a worker is given: flags and variables, resolved to values with every default set (spec/engine.md §3). */

import { readCount, readDuration, ValueReader } from './values.js';
import { type Layers, type Resolved, type Written, writtenValue } from './written.js';

export interface WorkerConfig {
  /** Turns at once. */
  readonly concurrency: number;
  readonly graceMs: number;
}

const CONCURRENCY = 4;
const GRACE_MS = 5_000;

/** Resolves the configuration of a worker; every refusal at once. */
export function resolveWorkerConfig(layers: Layers): Resolved<WorkerConfig> {
  const reader = new ValueReader();
  const value = {
    concurrency: reader.valueOr(typed(layers, 'concurrency'), CONCURRENCY, (written) =>
      readCount(written, 1, 1_000),
    ),
    graceMs: reader.valueOr(writtenValue(layers, 'grace'), GRACE_MS, (written) => readDuration(written, 0)),
  };
  const { findings } = reader;
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}

/** A limit of runs has this name, and its variable is theirs. */
function typed(layers: Layers, flag: string): Written | undefined {
  const text = layers.flags.get(flag)?.at(-1);
  return text === undefined ? undefined : { text, place: `--${flag}` };
}
