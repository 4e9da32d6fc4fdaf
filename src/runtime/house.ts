/**
 * What every door of the runtime is given: the machine, the operator and the places, read once by whoever starts
 * the program. Nothing below reads the environment again.
 */

import { join } from 'node:path';
import type { CataloguePlaces, GlobalFolders, MissionFolder, ProjectFolders } from '../catalog/tiers.js';
import type { Trust } from '../catalog/trust.js';
import type { Gates } from '../models/pacing-gates.js';
import type { ModelSettings } from '../models/settings.js';
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
  /** The operator's folders of the global tier. */
  readonly global: GlobalFolders | null;
  /** The repository around the working directory, for the project tier. */
  readonly project: ProjectFolders | null;
  /**
   * The mission repository that was named or found. `commit`: what it stood on at the start of a run, where its trust
   * file is read; null without git, and for commands that record none.
   */
  readonly mission: (MissionFolder & { readonly commit: string | null }) | null;
  /** The operator's word on files that came with somebody else's tree. */
  readonly trust: Trust;
  /** Text of `BNERD_AGENT_SKILLS`. */
  readonly agentSkills: string;
  /** `model:` of the settings file. */
  readonly configModel: string | null;
  /** Doors to language models: keys, addresses, aliases, prices. Holds secrets: never recorded or printed. */
  readonly models: ModelSettings;
  /** Gates before providers: one per provider and key, for every team of this process. */
  readonly gates: Gates;
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
  const { packageRoot, global, project, mission, trust } = house;
  return { packageRoot, global, project, mission, trust };
}

/** The folder of all teams. */
export function runsFolder(house: House): string {
  return join(house.home, 'runs');
}

/** The folder of archived teams. */
export function archiveFolder(house: House): string {
  return join(house.home, 'archive');
}
