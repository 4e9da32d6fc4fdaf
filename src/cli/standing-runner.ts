/**
 * `bnerd runner` that stands: from what it is told to a runner that takes briefs until it is stopped or drained (spec/runner.md
 * §3, §5). What may not be is refused before it is seen by anybody.
 */

import { resolveHealth } from '../config/health-config.js';
import { resolveLogLevel } from '../config/log-config.js';
import type { RunnerConfig } from '../config/runner-config.js';
import { RUNNER_VARIABLES } from '../config/written.js';
import { engineerOf } from '../delegate/engineers/kinds.js';
import { lookForEngineer } from '../delegate/engineers/presence.js';
import { KeyFolder } from '../delegate/keys/key-folder.js';
import { holdWorkdir } from '../delegate/runner/hold-workdir.js';
import { acceptedKeys } from '../delegate/runner/identity.js';
import type { RunnerHouse } from '../delegate/runner/runner-house.js';
import { DEFAULT_POOL } from '../dispatch/job.js';
import { isLoopback } from '../events/redis/redis-address.js';
import type { House } from '../runtime/house.js';
import { readKeyRing } from '../runtime/key-ring.js';
import { StandingRunner } from '../runtime/runners/standing-runner.js';
import { progressWithin } from '../runtime/workers/worker.js';
import { CancelledError, FatalError, UserError } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { Releases } from '../shared/releases.js';
import type { AcceptedKey } from '../shared/signature.js';
import { oneLine } from '../shared/terminal-text.js';
import { houseOf } from './build-house.js';
import type { Call } from './call.js';
import { noRedis } from './no-redis.js';
import { openHealth, operationsOf, tracingOf } from './operations.js';
import { refuse } from './refusal.js';
import { openRunnerOf, runnerCallOf, runnerPlanOf } from './runner-plan.js';

/** It has done what it was for; it was refused; results lie in the outbox; it could not go on. */
const EXITS = { done: 0, refused: 2, left: 3, failed: 1 } as const;

/** Runs it. @returns the exit code */
export async function runStanding(call: Call): Promise<number> {
  const { program } = call;
  const given = await runnerCallOf(call);
  if (given.kind === 'refused') return refuse(program, given.findings);
  const house = await houseOf(call, 'words');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { redis } = house.value;
  if (redis === null)
    return refuse(program, [
      noRedis('a runner takes briefs of the teams on a Redis; --once takes one from standard input'),
    ]);
  const level = resolveLogLevel(call.layers, 'info', RUNNER_VARIABLES);
  if (level.kind === 'refused') return refuse(program, level.findings);
  const health = resolveHealth(call.layers, RUNNER_VARIABLES);
  if (health.kind === 'refused') return refuse(program, health.findings);
  const { secrets } = house.value;
  const releases = new Releases();
  const tracing = await tracingOf(call, releases);
  if (tracing.kind === 'refused') return refuse(program, tracing.findings);
  const place = { level: level.value, secrets, to: 'results', fields: {} } as const;
  const operations = await operationsOf(call, place, tracing.value);
  const { runner: config, workdir, home } = given.value;
  const { graceMs } = config;
  const isLocal = isLoopback(redis.address);
  const note = (text: string): void => program.output.notes.write(`bnerd runner: ${oneLine(text, 2_000)}\n`);
  const trouble = (text: string): void => {
    note(text);
    operations.trouble(text);
  };
  let standing: StandingRunner | undefined;
  const keys = (): Promise<readonly AcceptedKey[]> => keysOf(house.value, workdir);
  const unfit = isLocal ? [] : notAlone(config, await keys());
  if (unfit.length > 0) return refuse(program, unfit);
  const stopped = new AbortController();
  const unheard = program.onStop(() => stopped.abort());
  try {
    const resolved = await runnerPlanOf(call, given.value, stopped.signal);
    if (resolved.kind === 'refused') return refuse(program, resolved.findings);
    const { plan, remarks } = resolved.value;
    // Half of the grace is for what runs to come to its end, the other for ending it.
    const bounds = { ...plan.bounds, graceMs: Math.min(plan.bounds.graceMs, Math.floor(graceMs / 2)) };
    const opened = await openRunnerOf({ ...plan, bounds }, remarks, note);
    if (opened === null) return EXITS.refused;
    try {
      const held = await holdWorkdir(opened.house.workdir);
      if (held.kind === 'refused') {
        note(held.message);
        return EXITS.refused;
      }
      try {
        const runner = asStanding(opened.house);
        const { name, pair } = runner.identity;
        // On this machine the teams of the same operator know it: nobody else writes where his keys lie.
        if (isLocal) await new KeyFolder(home, program.clock).accept(pair.key, name, 'runner');
        const unwatched = operations.watch(() => standing?.progress() ?? []);
        releases.add('progress', async () => unwatched());
        const withinMs = progressWithin(redis.timing);
        await openHealth(health.value, { operations, withinMs, note, releases });
        const started = await StandingRunner.start(house.value, redis, runner, {
          concurrency: config.concurrency,
          graceMs,
          keepMs: config.keepFailedMs,
          version: program.version,
          engineers: await presentEngineers(runner, stopped.signal),
          keys,
          note: trouble,
          operations,
          stopped: stopped.signal,
        });
        standing = started;
        const pool = runner.limits.pool ?? DEFAULT_POOL;
        const { id } = started;
        note(`runner ${id} takes briefs of pool ${pool} from ${redis.address.shown}`);
        operations.log.info({ runner: id, pool, redis: redis.address.shown }, 'runner.started');
        await Promise.race([fired(stopped.signal), started.drained]);
        operations.log.info({ runner: id }, 'runner.stopping');
        const left = await started.close();
        operations.log.info({ runner: id, left }, 'runner.stopped');
        return left > 0 ? EXITS.left : EXITS.done;
      } finally {
        await held.release();
      }
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (stopped.signal.aborted && error instanceof CancelledError) return EXITS.done;
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
    const { code, message } = error;
    const lives = code === 'runner-lives';
    const remedy = lives
      ? 'bnerd runners lists those that live'
      : 'look whether the server is there: redis-cli ping';
    const finding = { code, severity: 'error', path: redis.address.shown, message, remedy } as const;
    return refuse(program, [finding], 'text', lives ? EXITS.refused : EXITS.failed);
  } finally {
    unheard();
    await releases.run();
  }
}

/** Whom a runner obeys, as it is said now: in its folder where that says so, else in the home of its operator. */
async function keysOf(
  house: Pick<House, 'home' | 'clock'>,
  workdir: string,
): Promise<readonly AcceptedKey[]> {
  const own = await acceptedKeys(workdir);
  return own.kind === 'read' ? own.value : (await readKeyRing(house)).known;
}

/** What speaks against a runner that teams on other machines reach. */
function notAlone(
  { sameUser, engineerWrap }: RunnerConfig,
  keys: readonly AcceptedKey[],
): readonly Finding[] {
  const findings: Finding[] = [];
  if (!keys.some(({ role, retired }) => role !== 'runner' && !retired))
    findings.push({
      code: 'no-keys',
      severity: 'error',
      path: 'bnerd runner',
      message:
        'no key of a team is accepted here, and the Redis is on another machine: whose briefs are to be taken?',
      remedy: 'bnerd keys accept <key> --name <name> --role worker, with the key that the team prints',
    });
  if (engineerWrap.length === 0 && !sameUser)
    findings.push({
      code: 'same-user',
      severity: 'error',
      path: 'bnerd runner',
      message: 'engineers would run as the user of this runner, with all that it may do on this machine',
      remedy: 'put them into a sandbox (engineer-wrap), or say that the machine is disposable (--same-user)',
    });
  return findings;
}

/** Under a name that no other runner has; the pool that is meant where none is named has no name in a brief. */
function asStanding(house: RunnerHouse): RunnerHouse {
  const { name, pair } = house.identity;
  const { limits } = house;
  return {
    ...house,
    identity: { name: `${name}.${pair.id.slice(0, 8)}`, pair },
    limits: { ...limits, pool: limits.pool === DEFAULT_POOL ? null : limits.pool },
  };
}

/** The engineers that can be started here. */
async function presentEngineers(
  { limits, engineer: house, workdir }: RunnerHouse,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string | null>>> {
  const found: [string, string | null][] = [];
  for (const [kind, settings] of limits.engineers) {
    const engineer = engineerOf(kind);
    if (engineer === undefined) continue;
    const presence = await lookForEngineer(engineer, settings, house, `${workdir}/version-home`, signal);
    if (presence.kind !== 'missing') found.push([kind, presence.version]);
  }
  return Object.fromEntries(found);
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
