/** Where recipes, roles and entries come from: the places around one call of the program. Loads nothing of the runtime. */

import { type OpenedPlaces, openPlaces } from '../catalog/open-places.js';
import { PACKAGE_ROOT } from '../catalog/package-root.js';
import type { Config } from '../config/config.js';
import type { Call } from './call.js';

/** Opens the places of a configuration. */
export function lookAround({ program }: Call, config: Config): Promise<OpenedPlaces> {
  const { environment, workingDirectory } = program;
  return openPlaces({
    packageRoot: PACKAGE_ROOT,
    workingDirectory,
    userHome: environment.home,
    bnerdHome: config.bnerdHome,
    mission: config.missionRepository,
    trustFiles: config.trustFiles,
    gitPath: environment.toolEnvironment['PATH'] ?? '',
  });
}
