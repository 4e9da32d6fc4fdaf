/** From configuration to the house that every door of the runtime is given. */

import { hostname, tmpdir, userInfo } from 'node:os';
import { defaultHome } from '../catalog/tiers.js';
import { NO_APPROVALS } from '../catalog/trust.js';
import { type Config, resolveConfig } from '../config/config.js';
import type { Resolved } from '../config/written.js';
import type { House } from '../runtime/house.js';
import type { Call } from './call.js';
import { modelSettingsOf } from './model-settings.js';
import { PACKAGE_ROOT } from './package-root.js';

/**
 * Resolves what a command needs to know of the machine.
 * @param needs `records` reads no settings file: a broken one keeps nobody from looking at a team
 */
export async function houseOf(call: Call, needs: 'catalogue' | 'records'): Promise<Resolved<House>> {
  const { workingDirectory } = call.program;
  const config = await resolveConfig(call.layers, { needs, workingDirectory });
  return config.kind === 'refused' ? config : { kind: 'resolved', value: buildHouse(call, config.value) };
}

/** The house of a configuration. */
export function buildHouse({ program }: Call, config: Config): House {
  const { clock, version, environment, workingDirectory } = program;
  return {
    clock,
    version,
    packageRoot: PACKAGE_ROOT,
    home: config.bnerdHome ?? defaultHome(environment.home),
    workingDirectory,
    temporaryDirectory: tmpdir(),
    global: null,
    project: null,
    mission:
      config.missionRepository === null
        ? null
        : { path: config.missionRepository, named: true, commit: null },
    trust: NO_APPROVALS,
    agentSkills: config.agentSkills,
    configModel: config.settings.model,
    models: modelSettingsOf(environment, config.settings),
    permissions: config.settings.permissions,
    toolEnvironment: environment.toolEnvironment,
    hostname: hostname(),
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
