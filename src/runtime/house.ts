/**
 * What every door of the runtime is given: the machine, the operator and the places, read once by whoever starts
 * the program. Nothing below reads the environment again.
 */

import { join } from 'node:path';
import type { CataloguePlaces } from '../catalog/tiers.js';
import type { Clock } from '../shared/clock.js';

export interface House {
  readonly clock: Clock;
  /** Of this package. */
  readonly version: string;
  /** Where the built-in catalogue lies. */
  readonly packageRoot: string;
  /** State of the operator: `~/.bnerd`, or `BNERD_HOME`. */
  readonly home: string;
  /** Real path of the directory the program was started in. */
  readonly workingDirectory: string;
  readonly temporaryDirectory: string;
  /** Real path of the mission repository that was named, if one was. */
  readonly missionRepository: string | null;
  /** Text of `BNERD_AGENT_SKILLS`. */
  readonly agentSkills: string;
  /** `model:` of the settings file. */
  readonly configModel: string | null;
  /** `permissions:` of the settings file. */
  readonly permissions: readonly {
    readonly tool: string;
    readonly match: string | null;
    readonly decision: 'allow' | 'ask' | 'deny';
  }[];
  /** The variables that tools may see: an allow-list, made by the configuration. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
  readonly hostname: string;
  readonly user: string;
}

/** Where recipes, roles and entries come from. */
export function placesOf(house: House): CataloguePlaces {
  return {
    packageRoot: house.packageRoot,
    mission: house.missionRepository === null ? null : { path: house.missionRepository },
  };
}

/** The folder of all teams. */
export function runsFolder(house: House): string {
  return join(house.home, 'runs');
}

/** The folder of archived teams. */
export function archiveFolder(house: House): string {
  return join(house.home, 'archive');
}
