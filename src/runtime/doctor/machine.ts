/** What the doctor looks at on this machine: Node, git, the folder of teams, keys, engineers. */

import { constants } from 'node:fs';
import { access, mkdtemp, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EngineerSettings } from '../../delegate/engineers/engineer.js';
import { engineerOf } from '../../delegate/engineers/kinds.js';
import { lookForEngineer } from '../../delegate/engineers/presence.js';
import { accessTo, variablesLookedFor } from '../../models/choice/access.js';
import { PROVIDER_NAMES } from '../../models/choice/model-name.js';
import { systemCode } from '../../shared/errors.js';
import { runGit } from '../../shared/git.js';
import { ProcessGroups } from '../../shared/processes.js';
import type { House } from '../house.js';
import { type Check, well } from './check.js';

/** Engineers that the settings name, and what stands in front of their command lines. */
export interface NamedEngineers {
  readonly engineers: ReadonlyMap<string, EngineerSettings>;
  readonly wrap: readonly string[];
}

/** The oldest Node that is supported. */
const NODE = [20, 19] as const;

const GIT_MS = 10_000;

/** Looks at the machine. @param nodeVersion as `v20.19.0` */
export async function machineChecks(
  house: House,
  nodeVersion: string,
  named: NamedEngineers,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  return [
    nodeCheck(nodeVersion),
    await gitCheck(house, signal),
    await homeCheck(house.home),
    providerCheck(house),
    ...(await engineerChecks(house, named, signal)),
  ];
}

export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const wanted = `${NODE.join('.')} or later`;
  if (major > NODE[0] || (major === NODE[0] && minor >= NODE[1])) return well('node', version, wanted);
  return { check: 'node', state: 'error', found: version, wanted, remedy: 'install a newer Node.js' };
}

async function gitCheck({ toolEnvironment, workingDirectory }: House, signal: AbortSignal): Promise<Check> {
  const wanted = 'a git that starts';
  const command = { argv: ['--version'], env: { ...toolEnvironment }, cwd: workingDirectory };
  const outcome = await runGit(command, { signal, timeoutMs: GIT_MS, maxBytes: 1_000 });
  if (outcome.kind === 'done') return well('git', outcome.output.trim(), wanted);
  const found =
    outcome.kind === 'missing'
      ? 'there is no program "git" in PATH'
      : `git --version: ${outcome.kind === 'failed' ? outcome.message : outcome.kind}`;
  return { check: 'git', state: 'error', found, wanted, remedy: 'install git, or put it into PATH' };
}

/** The folder need not be there yet: then it has to be possible to make it. */
async function homeCheck(home: string): Promise<Check> {
  const wanted = 'a folder that can be written';
  const remedy = 'make it writable, or name another with BNERD_HOME';
  for (let path = home; ; path = dirname(path)) {
    try {
      if (!(await stat(path)).isDirectory())
        return { check: 'home', state: 'error', found: `${path} is no folder`, wanted, remedy };
      await access(path, constants.W_OK | constants.X_OK);
      return well('home', path === home ? home : `${home}, which will be made`, wanted);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'ENOENT' && dirname(path) !== path) continue;
      return { check: 'home', state: 'error', found: `${path} cannot be written: ${code}`, wanted, remedy };
    }
  }
}

/** Names alone: what a key is stands nowhere. */
function providerCheck({ models }: House): Check {
  const open = PROVIDER_NAMES.filter((provider) => accessTo(provider, models).kind === 'open');
  const wanted = 'a provider that can be spoken with';
  if (open.length > 0) return well('providers', open.join(', '), wanted);
  const remedy = `set one of ${variablesLookedFor(models).join(', ')}`;
  const found = 'none: only scripted members can run, as those of quickstart';
  return { check: 'providers', state: 'warning', found, wanted, remedy };
}

async function engineerChecks(
  house: House,
  { engineers, wrap }: NamedEngineers,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  if (engineers.size === 0) return [well('engineers', 'none is set up', 'those of runner.engineers')];
  const folder = await mkdtemp(join(house.temporaryDirectory, 'bnerd-doctor-'));
  const { clock, toolEnvironment: environment, secrets } = house;
  const at = { groups: new ProcessGroups({ folder: null }), environment, wrap, clock, secrets };
  try {
    return await Promise.all(
      [...engineers].map(async ([kind, settings]): Promise<Check> => {
        const check = `engineer-${kind}`;
        const engineer = engineerOf(kind);
        const wanted = 'a program that starts';
        const remedy = `install it, or say where it is: runner: {engineers: {${kind}: {path: <program>}}}`;
        if (engineer === undefined)
          return { check, state: 'error', found: 'no such kind of engineer', wanted, remedy };
        const presence = await lookForEngineer(engineer, settings, at, join(folder, kind), signal);
        return presence.kind === 'there'
          ? well(check, `${settings.path} ${presence.version ?? '(it tells no version)'}`, wanted)
          : { check, state: 'error', found: presence.detail, wanted, remedy };
      }),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
