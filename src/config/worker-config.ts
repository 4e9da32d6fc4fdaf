/** What a worker is given: flags, variables and the section `worker` of the settings file, with every default set (spec/engine.md §3). */

import { realpath } from 'node:fs/promises';
import { systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { SAFETY_MODES } from './run-config.js';
import type { Settings } from './settings.js';
import { type Reading, readChoice, readCount, readDuration, ValueReader } from './values.js';
import {
  badValue,
  type Layers,
  type Resolved,
  type Written,
  writtenPath,
  writtenValue,
  writtenValues,
} from './written.js';

/** `any`: turns that any machine may take; `host`: those that have to be on this one. */
export const WORKER_POOLS = ['any', 'host'] as const;

export interface WorkerConfig {
  /** Turns at once. */
  readonly concurrency: number;
  readonly graceMs: number;
  /** What it takes turns from, each once. */
  readonly pools: readonly (typeof WORKER_POOLS)[number][];
  /** Runs with a looser safety are not served. */
  readonly maxSafety: (typeof SAFETY_MODES)[number];
  /** Real paths of the folders in one of which a workspace has to lie, each once, in the order given; none: anywhere. */
  readonly workspaceRoots: readonly string[];
}

const CONCURRENCY = 4;
const GRACE_MS = 5_000;

/**
 * Resolves the configuration of a worker; every refusal at once.
 * @param workingDirectory for a path that is relative
 */
export async function resolveWorkerConfig(
  layers: Layers,
  { worker }: Pick<Settings, 'worker'>,
  workingDirectory: string,
): Promise<Resolved<WorkerConfig>> {
  const reader = new ValueReader();
  const said = writtenValues(layers, 'workspace-root');
  const written = said.length > 0 ? said : worker.workspaceRoots;
  const { home } = layers.environment;
  const looked = await Promise.all(
    written.map((one) => rootOf(one, writtenPath(one, home, workingDirectory))),
  );
  const value = {
    concurrency: reader.valueOr(typed(layers, 'concurrency'), CONCURRENCY, (written) =>
      readCount(written, 1, 1_000),
    ),
    graceMs: reader.valueOr(writtenValue(layers, 'grace'), GRACE_MS, (written) => readDuration(written, 0)),
    pools: reader.valueOr<WorkerConfig['pools']>(typed(layers, 'pools'), WORKER_POOLS, readPools),
    maxSafety: reader.valueOr<WorkerConfig['maxSafety']>(typed(layers, 'max-safety'), 'full', (written) =>
      readChoice(written, SAFETY_MODES),
    ),
    workspaceRoots: [...new Set(looked.filter((one) => typeof one === 'string'))],
  };
  const findings = [...reader.findings, ...looked.filter((one) => typeof one !== 'string')];
  return findings.length > 0 ? { kind: 'refused', findings } : { kind: 'resolved', value };
}

/** `any`, `host`, or both with a comma between them. */
function readPools(written: Written): Reading<WorkerConfig['pools']> {
  const words = written.text.split(',').map((word) => word.trim());
  const named = WORKER_POOLS.filter((pool) => words.includes(pool));
  const known: readonly string[] = WORKER_POOLS;
  if (named.length > 0 && words.every((word) => known.includes(word))) return { kind: 'read', value: named };
  const allowed =
    'any (turns that any machine may take), host (those that have to be on this one), or any,host';
  return { kind: 'refused', finding: badValue(written, allowed, 'write for example any,host') };
}

async function rootOf(written: Written, path: string): Promise<string | Finding> {
  try {
    return await realpath(path);
  } catch (error) {
    const allowed = `a folder that is there (${systemCode(error) ?? 'it cannot be looked at'})`;
    return badValue(written, allowed, 'name the folder in which the workspaces of teams lie');
  }
}

/** A limit of runs has the name of one of them, and its variable is theirs: these are said at the call alone. */
function typed(layers: Layers, flag: string): Written | undefined {
  const text = layers.flags.get(flag)?.at(-1);
  return text === undefined ? undefined : { text, place: `--${flag}` };
}
