/** How much a command says in its log: `--log-level`, or its variable (spec/engine.md §3 "Logs"). */

import { LOG_LEVELS, type LogLevel } from '../shared/log.js';
import { readChoice, ValueReader } from './values.js';
import { type Layers, type Resolved, writtenValues } from './written.js';

/**
 * @param fallback of the command: `silent` where people read stderr, `info` where programs read stdout
 * @param begins what the variables of the command begin with
 */
export function resolveLogLevel(layers: Layers, fallback: LogLevel, begins?: string): Resolved<LogLevel> {
  const reader = new ValueReader();
  const value = reader.valueOr<LogLevel>(
    writtenValues(layers, 'log-level', begins).at(-1),
    fallback,
    (written) => readChoice(written, LOG_LEVELS),
  );
  const { findings } = reader;
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}
