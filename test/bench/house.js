/** A house for teams of the benchmarks: a machine with nothing on it but their mission. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { load } from './redis.js';

/** Writes a file, its folder as well. */
export async function put(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/**
 * The house of a mission that lies in `mission` below `root`, with its home beside it.
 * @param redis the way to a server; null: teams are kept in files
 */
export async function makeHouse(root, redis) {
  const { NO_APPROVALS } = await load('catalog/trust.js');
  const { Gates } = await load('models/pacing-gates.js');
  const { NO_MODEL_SETTINGS } = await load('models/settings.js');
  const { NO_DELEGATION } = await load('runtime/house.js');
  const { systemClock } = await load('shared/clock.js');
  const { NO_SECRETS } = await load('shared/secrets/redactor.js');
  const { DEFAULT_SKILL_SETTINGS } = await load('skills/settings.js');
  const { NO_WEB_SETTINGS } = await load('tools/web/settings.js');
  const mission = join(root, 'mission');
  return {
    clock: systemClock,
    version: '0.0.0-bench',
    packageRoot: root,
    home: join(root, 'home'),
    workingDirectory: join(mission, 'work'),
    temporaryDirectory: root,
    global: null,
    project: null,
    mission: { path: mission, named: true, commit: null },
    trust: NO_APPROVALS,
    trustFiles: [],
    agentSkills: '',
    skills: DEFAULT_SKILL_SETTINGS,
    configModel: null,
    models: NO_MODEL_SETTINGS,
    gates: new Gates(),
    permissions: [],
    web: NO_WEB_SETTINGS,
    shellWrap: [],
    delegation: NO_DELEGATION,
    toolEnvironment: {},
    secrets: NO_SECRETS,
    hostname: 'bench',
    user: 'bench',
    redis,
  };
}

/** Do the job, and ask nobody. */
export const ORDER = {
  slug: 'job',
  prompt: 'Do the job.',
  variables: new Map(),
  safety: null,
  autoApprove: 'all',
  autoSkipQuestions: false,
  requestTimeoutMs: null,
  graceMs: 500,
  page: null,
  models: [],
  limits: new Map(),
};
