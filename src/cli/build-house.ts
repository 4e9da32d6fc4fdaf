/** From configuration to the house that every door of the runtime is given. */

import { hostname, tmpdir, userInfo } from 'node:os';
import { PACKAGE_ROOT } from '../catalog/package-root.js';
import { type CataloguePlaces, defaultHome } from '../catalog/tiers.js';
import { NO_APPROVALS } from '../catalog/trust.js';
import { type Config, resolveConfig } from '../config/config.js';
import { resolveRunnerConfig } from '../config/runner-config.js';
import type { Resolved } from '../config/written.js';
import { isLoopback, redisAddress } from '../events/redis/redis-address.js';
import { Gates } from '../models/pacing-gates.js';
import {
  type Delegation,
  type House,
  type Household,
  houseAt,
  NO_DELEGATION,
  type RedisPlace,
} from '../runtime/house.js';
import { assertNever } from '../shared/assert-never.js';
import { UserError } from '../shared/errors.js';
import { redisNames } from '../shared/redis-names.js';

import type { Call } from './call.js';
import { delegationOf } from './delegation.js';
import { hideSecrets } from './hide-secrets.js';
import { lookAround } from './look-around.js';
import { modelSettingsOf } from './model-settings.js';
import { skillSettingsOf } from './skill-settings.js';

/**
 * Resolves what a command needs to know of the machine.
 * @param needs `records` reads no settings file and looks at no catalogue: whatever is broken there keeps nobody from
 *   looking at a team; `words` reads what is secret, for a text that goes into a record
 */
export async function houseOf(
  call: Call,
  needs: 'catalogue' | 'records' | 'words',
): Promise<Resolved<House>> {
  const { workingDirectory } = call.program;
  const config = await resolveConfig(call.layers, { needs, workingDirectory });
  if (config.kind === 'refused') return config;
  return openHouse(call, config.value, needs === 'words' ? 'records' : needs);
}

/**
 * The house of a configuration.
 * @param needs `run`: the commit of the mission repository as well, for the record
 */
export async function openHouse(
  call: Call,
  config: Config,
  needs: 'run' | 'catalogue' | 'records',
): Promise<Resolved<House>> {
  const redis = redisOf(call, config);
  if (redis.kind === 'refused') return redis;
  switch (needs) {
    case 'records': {
      const people = household(call, config, NO_DELEGATION, redis.value);
      return { kind: 'resolved', value: houseAt(NO_PLACES, null, people) };
    }
    case 'catalogue':
    case 'run': {
      const opened = await lookAround(call, config);
      if (opened.kind === 'refused') return opened;
      const delegation = delegationOf(call, config);
      if (delegation.kind === 'refused') return delegation;
      const engineers = { ...delegation.value, elsewhere: redis.value !== null };
      const commit = needs === 'run' ? await opened.missionCommit() : null;
      const people = household(call, config, engineers, redis.value);
      return { kind: 'resolved', value: houseAt(opened.places, commit, people) };
    }
    default:
      return assertNever(needs, 'needs of a command');
  }
}

/** The Redis of the configuration, its address read. */
function redisOf({ program, layers }: Call, { redis, settings }: Config): Resolved<RedisPlace | null> {
  if (redis === null) return { kind: 'resolved', value: null };
  const runner = resolveRunnerConfig({ ...layers, flags: new Map() }, settings, program.workingDirectory);
  if (runner.kind === 'refused') return runner;
  const { repos, gitEnv } = runner.value;
  const { url, place, tls, prefix, takesTurns, saidBy, durability, leaseMs, beatMs, graceMs } = redis;
  try {
    const { ca, client } = tls;
    const address = {
      ...redisAddress(url),
      ...(ca === null ? {} : { ca }),
      ...(client === null ? {} : { client }),
    };
    const value: RedisPlace = {
      address,
      names: redisNames(prefix),
      timing: { leaseMs, beatMs, graceMs },
      durability,
      takesTurns,
      saidBy,
      repositories: { allowed: repos, env: gitEnv },
      signed: redis.signed || !isLoopback(address) ? 'always' : 'with a key',
    };
    return { kind: 'resolved', value };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const remedy = 'write for example redis://redis.example:6379';
    const finding = {
      code: error.code,
      severity: 'error',
      path: place,
      message: error.message,
      remedy,
    } as const;
    return { kind: 'refused', findings: [finding] };
  }
}

const NO_PLACES: CataloguePlaces = {
  packageRoot: PACKAGE_ROOT,
  global: null,
  project: null,
  mission: null,
  trust: NO_APPROVALS,
};

function household(
  { program }: Call,
  config: Config,
  delegation: Delegation,
  redis: RedisPlace | null,
): Household {
  const { clock, version, environment, workingDirectory } = program;
  return {
    clock,
    version,
    home: config.bnerdHome ?? defaultHome(environment.home),
    workingDirectory,
    temporaryDirectory: tmpdir(),
    trustFiles: config.trustFiles,
    agentSkills: config.agentSkills,
    skills: skillSettingsOf(config.settings.skills),
    configModel: config.settings.model,
    models: modelSettingsOf(environment, config.settings),
    gates: new Gates(),
    permissions: config.settings.permissions,
    web: config.settings.web,
    shellWrap: config.settings.shell.wrap,
    delegation,
    toolEnvironment: environment.toolEnvironment,
    secrets: hideSecrets(program.output, environment, config),
    redis,
    hostname: config.redis?.host ?? hostname(),
    user: userName(),
  };
}

/** A user without an entry in the system's list has a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
