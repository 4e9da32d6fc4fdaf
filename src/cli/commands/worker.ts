/**
 * `bnerd worker`: takes turns until it is told to stop. What people should know is told on stderr, a line each; the log for
 * operators is on stdout.
 */

import { resolveConfig } from '../../config/config.js';
import { resolveHealth } from '../../config/health-config.js';
import { resolveLogLevel } from '../../config/log-config.js';
import { resolveWorkerConfig } from '../../config/worker-config.js';
import { progressWithin, Worker } from '../../runtime/workers/worker.js';
import { CancelledError, FatalError, UserError } from '../../shared/errors.js';
import { Releases } from '../../shared/releases.js';
import { oneLine } from '../../shared/terminal-text.js';
import { openHouse } from '../build-house.js';
import type { Call } from '../call.js';
import { noRedis } from '../no-redis.js';
import { openHealth, operationsOf, tracingOf } from '../operations.js';
import { refuse } from '../refusal.js';

/** Exit codes of a worker that was told to stop: it has done what it was for. */
const STOPPED = 0;
const FAILED = 1;

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const { workingDirectory } = program;
  const config = await resolveConfig(call.layers, { needs: 'words', workingDirectory });
  if (config.kind === 'refused') return refuse(program, config.findings);
  const given = await resolveWorkerConfig(call.layers, config.value.settings, workingDirectory);
  if (given.kind === 'refused') return refuse(program, given.findings);
  const level = resolveLogLevel(call.layers, 'info');
  if (level.kind === 'refused') return refuse(program, level.findings);
  const health = resolveHealth(call.layers);
  if (health.kind === 'refused') return refuse(program, health.findings);
  const house = await openHouse(call, config.value, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { redis, secrets } = house.value;
  if (redis === null) return refuse(program, [noRedis('a worker takes turns of the teams on a Redis')]);
  const releases = new Releases();
  const tracing = await tracingOf(call, releases);
  if (tracing.kind === 'refused') return refuse(program, tracing.findings);
  const place = { level: level.value, secrets, to: 'results', fields: {} } as const;
  const operations = await operationsOf(call, place, tracing.value);
  const { log } = operations;
  const note = (text: string): void => program.output.notes.write(`bnerd worker: ${oneLine(text, 2_000)}\n`);
  const trouble = (text: string): void => {
    note(text);
    operations.trouble(text);
  };
  const stopped = new AbortController();
  const unheard = program.onStop(() => stopped.abort());
  try {
    const { concurrency, graceMs, pools, maxSafety, workspaceRoots } = given.value;
    const withinMs = progressWithin(redis.timing);
    await openHealth(health.value, { operations, withinMs, note, releases });
    const bounds = { maxSafety, workspaceRoots };
    const options = { concurrency, graceMs, pools, bounds, onTrouble: trouble, stopped: stopped.signal };
    const worker = await Worker.start({ ...house.value, operations }, redis, options);
    releases.add('worker', () => worker.close());
    const { address, names } = redis;
    note(`worker ${worker.id} takes turns from ${address.shown}, ${concurrency} at once`);
    const said = { worker: worker.id, redis: address.shown, prefix: names.prefix, pools, concurrency };
    log.info(said, 'worker.started');
    await aborted(stopped.signal);
    log.info({ worker: worker.id }, 'worker.stopping');
    await releases.run();
    log.info({ worker: worker.id }, 'worker.stopped');
    return STOPPED;
  } catch (error) {
    if (stopped.signal.aborted && error instanceof CancelledError) return STOPPED;
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
    const { code, message } = error;
    const remedy = 'look whether the server is there: redis-cli ping';
    const finding = { code, severity: 'error', path: redis.address.shown, message, remedy } as const;
    return refuse(program, [finding], 'text', FAILED);
  } finally {
    unheard();
    await releases.run();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
