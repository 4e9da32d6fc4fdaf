/** From configuration to what a runner is opened with, and the folder it lies in. */

import { join } from 'node:path';
import { PACKAGE_ROOT } from '../catalog/package-root.js';
import { defaultHome } from '../catalog/tiers.js';
import { NO_APPROVALS } from '../catalog/trust.js';
import { type Config, resolveConfig } from '../config/config.js';
import { type RunnerConfig, resolveRunnerConfig } from '../config/runner-config.js';
import { secretsOfVariables } from '../config/secret-names.js';
import type { Resolved } from '../config/written.js';
import { KeyFolder } from '../delegate/keys/key-folder.js';
import { type OpenedRunner, openRunner, type RunnerPlan } from '../delegate/runner/open-runner.js';
import type { Finding } from '../shared/findings.js';
import type { Redactor } from '../shared/secrets/redactor.js';
import type { Entry } from '../skills/entry.js';
import { loadRegistry } from '../skills/registry.js';
import { DEFAULT_SKILL_SETTINGS } from '../skills/settings.js';
import type { Call } from './call.js';
import { hideSecrets } from './hide-secrets.js';

/** How its engineers are ended and listened to. */
const BOUNDS = {
  graceMs: 5_000,
  announceMs: 120_000,
  stalledMs: 5 * 60_000,
  lingerMs: 10_000,
  outputBytes: 1 << 30,
};

const PROTOCOLS: readonly string[] = ['file', 'https', 'ssh'];

export interface RunnerCall {
  readonly config: Config;
  readonly runner: RunnerConfig;
  /** Absolute. */
  readonly workdir: string;
  readonly home: string;
}

/** What a command about a runner is told. */
export async function runnerCallOf({ program, layers }: Call): Promise<Resolved<RunnerCall>> {
  const { workingDirectory, environment } = program;
  const config = await resolveConfig(layers, { needs: 'words', workingDirectory });
  if (config.kind === 'refused') return config;
  const runner = resolveRunnerConfig(layers, config.value.settings, workingDirectory);
  if (runner.kind === 'refused') return runner;
  const home = config.value.bnerdHome ?? defaultHome(environment.home);
  const workdir = runner.value.workdir ?? join(home, 'runner');
  return { kind: 'resolved', value: { config: config.value, runner: runner.value, workdir, home } };
}

/** All that a runner is opened with, and what its operator should know of it: files of keys that count for nothing. */
export async function runnerPlanOf(
  { program }: Call,
  { config, runner, workdir, home }: RunnerCall,
  signal: AbortSignal,
): Promise<Resolved<{ readonly plan: RunnerPlan; readonly remarks: readonly string[] }>> {
  const { environment, clock, output } = program;
  const additions = await additionsOf(runner.engineerSkills, signal);
  if (additions.kind === 'refused') return additions;
  const { keys, problems } = await new KeyFolder(home, clock).accepted();
  const secrets = secretsOf(output, environment, config, runner);
  const { envGrants, gitEnv, engineerWrap, pool, labels, repos, maxSafety, minFreeBytes } = runner;
  const { HOME: _, ...plain } = environment.toolEnvironment;
  const value: RunnerPlan = {
    workdir,
    name: runner.name,
    keys,
    limits: {
      ...{ pool, labels, repos, maxSafety },
      engineers: new Map(
        [...runner.engineers].map(([kind, settings]) => [
          kind,
          { ...settings, mayBeFull: maxSafety === 'full' },
        ]),
      ),
    },
    additions: additions.value,
    git: { path: environment.toolEnvironment['PATH'] ?? '', env: gitEnv, protocols: PROTOCOLS },
    engineer: { environment: { ...plain, ...envGrants }, wrap: engineerWrap },
    bounds: BOUNDS,
    minFreeBytes,
    secrets,
    clock,
  };
  return { kind: 'resolved', value: { plan: value, remarks: problems } };
}

/** What an engineer is given under a name of a secret is one here as well. */
function secretsOf(
  output: Call['program']['output'],
  environment: Call['program']['environment'],
  config: Config,
  runner: RunnerConfig,
): Redactor {
  const written = [...runner.engineers.values()].flatMap(({ env }) => Object.entries(env));
  const secrets = [...config.secrets, ...secretsOfVariables(written, config.settings.secrets)];
  return hideSecrets(output, environment, { settings: config.settings, secrets });
}

/** Opens a runner and tells people what there is to know of it; null: it was refused, and is said. */
export async function openRunnerOf(
  plan: RunnerPlan,
  remarks: readonly string[],
  note: (text: string) => void,
): Promise<Extract<OpenedRunner, { kind: 'open' }> | null> {
  for (const remark of remarks) note(remark);
  const runner = await openRunner(plan);
  if (runner.kind === 'refused') {
    note(runner.message);
    return null;
  }
  const { ended, kept } = runner.leftovers;
  if (ended.length > 0) note(`ended what ${ended.length} killed runners or engineers had left running`);
  for (const { file, reason } of kept) if (!reason.includes('is alive')) note(`${file}: ${reason}`);
  if (runner.remark !== null) note(runner.remark);
  const { name, pair } = runner.house.identity;
  note(`this is ${name}, key ${pair.id}, public key ${pair.key}`);
  return runner;
}

/** Entries of this package by their names; one that is not there, or not to be used, refuses all. */
async function additionsOf(text: string, signal: AbortSignal): Promise<Resolved<readonly Entry[]>> {
  const names = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  if (names.length === 0) return { kind: 'resolved', value: [] };
  const registry = await loadRegistry(
    { packageRoot: PACKAGE_ROOT, global: null, project: null, mission: null, trust: NO_APPROVALS },
    { signal, log: { info: () => {} }, settings: DEFAULT_SKILL_SETTINGS },
  );
  const known = new Map(registry.entries.map((entry) => [entry.name, entry]));
  const findings = names
    .filter((name) => !known.has(name))
    .map((name): Finding => {
      const message = `"${name}" is no entry of this package; allowed: ${[...known.keys()].sort().join(', ')}`;
      return {
        code: 'unknown-skill',
        severity: 'error',
        path: 'BNERD_RUNNER_ENGINEER_SKILLS',
        message,
        remedy: 'write names of entries with commas between them',
      };
    });
  if (findings.length > 0) return { kind: 'refused', findings };
  return { kind: 'resolved', value: names.flatMap((name) => known.get(name) ?? []) };
}
