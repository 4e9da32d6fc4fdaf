/** From `--log-level`, `--health` and `BNERD_OTEL` to what operators see of this process (spec/engine.md §3). */

import { type HealthConfig, resolveHealth } from '../config/health-config.js';
import { resolveLogLevel } from '../config/log-config.js';
import { resolveTracing } from '../config/tracing-config.js';
import type { Resolved } from '../config/written.js';
import type { QueueTracing } from '../dispatch/tracing.js';
import type { House } from '../runtime/house.js';
import { UserError } from '../shared/errors.js';
import { type LogLevel, openLog } from '../shared/log.js';
import type { Releases } from '../shared/releases.js';
import type { Redactor } from '../shared/secrets/redactor.js';
import type { Call } from './call.js';

/**
 * The house of a run, whose people read stderr: its log is silent unless somebody has asked, and then stands there too; so
 * does the address where it may be asked how it is.
 * @param releases of the whole command; null: this one has no such address, and makes no spans
 */
export async function operatedRun(
  call: Call,
  house: Resolved<House>,
  releases: Releases | null,
): Promise<Resolved<House>> {
  const level = resolveLogLevel(call.layers, 'silent');
  if (level.kind === 'refused') return level;
  const health: Resolved<HealthConfig | null> =
    releases === null ? { kind: 'resolved', value: null } : resolveHealth(call.layers);
  if (health.kind === 'refused') return health;
  if (house.kind === 'refused') return house;
  const { secrets, redis } = house.value;
  // Spans are of jobs, and a team in files has no queue.
  const tracing: Resolved<QueueTracing | undefined> =
    releases === null || redis === null
      ? { kind: 'resolved', value: undefined }
      : await tracingOf(call, releases);
  if (tracing.kind === 'refused') return tracing;
  if (level.value === 'silent' && health.value === null && tracing.value === undefined) return house;
  const place = { level: level.value, secrets, to: 'notes', fields: {} } as const;
  const operations = await operationsOf(call, place, tracing.value);
  if (releases !== null && health.value !== null) {
    // A team in files has nothing that it does again and again: as long as it answers it is well.
    const withinMs =
      redis === null ? 0 : (await import('../runtime/workers/worker.js')).progressWithin(redis.timing);
    const note = (text: string): void => call.program.output.notes.write(`bnerd team: ${text}\n`);
    await openHealth(health.value, { operations, withinMs, note, releases });
  }
  return { kind: 'resolved', value: { ...house.value, operations } };
}

export interface OperationsPlace {
  readonly level: LogLevel;
  readonly secrets: Redactor;
  /** The stream of the log: that of people, or that of programs. */
  readonly to: 'notes' | 'results';
  /** Stand in every line. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * What spans of jobs are made with where `BNERD_OTEL` asks for them, and sends what is left of them at the end.
 * @param releases of the whole command
 */
export async function tracingOf(
  { program, layers }: Call,
  releases: Releases,
): Promise<Resolved<QueueTracing | undefined>> {
  const asked = resolveTracing(layers);
  if (asked.kind === 'refused') return asked;
  if (!asked.value) return { kind: 'resolved', value: undefined };
  const { openTracing } = await import('../dispatch/tracing.js');
  try {
    const tracing = await openTracing(program.version);
    releases.add('spans', () => tracing.flush());
    return { kind: 'resolved', value: tracing };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code, message } = error;
    const remedy = 'docs/operating.md, "Traces", says how; or leave BNERD_OTEL out';
    return { kind: 'refused', findings: [{ code, severity: 'error', path: 'BNERD_OTEL', message, remedy }] };
  }
}

/** Opens the log of this process, and begins to count. @param tracing undefined: no spans are asked for */
export async function operationsOf(
  { program }: Call,
  { level, secrets, to, fields }: OperationsPlace,
  tracing: QueueTracing | undefined,
): Promise<NonNullable<House['operations']>> {
  const { Operations } = await import('../runtime/operations/operations.js');
  const sink = program.output[to];
  const { clock, version } = program;
  const write = (line: string): void => sink.write(line);
  return new Operations(
    await openLog({ level, secrets, clock, write, fields: { pid: process.pid, version, ...fields } }),
    tracing,
  );
}

export interface AskedProcess {
  readonly operations: NonNullable<House['operations']>;
  /** How long each thing that it does again and again may be silent. */
  readonly withinMs: number;
  readonly note: (text: string) => void;
  readonly releases: Releases;
}

/** Lets this process be asked how it is, where somebody has said so. Rejects as `serveHealth` does. */
export async function openHealth(
  config: HealthConfig | null,
  { operations, note, releases, ...asked }: AskedProcess,
): Promise<void> {
  if (config === null) return;
  const { serveHealth } = await import('../runtime/operations/health.js');
  const { host, port, reach } = config;
  const { meters } = operations;
  const health = await serveHealth({ host, port, ...asked, progress: () => operations.progress(), meters });
  releases.add('health', () => health.close());
  const wide = reach === 'others' ? ', which other machines may reach: whoever can, may ask' : '';
  note(`says how it is at ${health.address}/healthz and /metrics${wide}`);
}
