/**
 * Flags, environment and settings file → one `Config`: the places and words that every command of a kind needs.
 * What belongs to a run is in `run-config.ts`, what belongs to stdout and stderr in `output-config.ts`.
 *
 * Always true: the order is flag > variable > file > default; a broken settings file never keeps anybody from stopping a
 * team: of a command that needs no catalogue it is read only for how a server with TLS is trusted, and only if it can be.
 */

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { isInside } from '../shared/inner-path.js';
import type { Secret } from '../shared/secrets/secret-forms.js';
import { readSettings } from './read-settings.js';
import { isReachedByTls, type RedisConfig, resolveRedisConfig } from './redis-config.js';
import { NO_SETTINGS, type Settings } from './settings.js';
import {
  badValue,
  type Layers,
  type Resolved,
  type Written,
  writtenPath,
  writtenValue,
  writtenValues,
} from './written.js';

export interface Config {
  /** `BNERD_HOME`, absolute; null: the folder of that name in the operator's home directory. */
  readonly bnerdHome: string | null;
  /** Real path of the mission repository that was named; null when none was: then one may be found. */
  readonly missionRepository: string | null;
  /** Files of `--trust` or `BNERD_TRUST`, absolute; whether they can be used is found out by whoever reads them. */
  readonly trustFiles: readonly string[];
  /** Raw text of `BNERD_AGENT_SKILLS`, '' when it is not set. */
  readonly agentSkills: string;
  readonly settings: Settings;
  /** Null: teams are kept in files. */
  readonly redis: RedisConfig | null;
  /** What stands in the files of `secrets.files`. */
  readonly secrets: readonly Secret[];
}

export interface ConfigNeeds {
  /**
   * `catalogue`: settings file and mission repository as well; `records`: only where teams are kept and how that is trusted; `words`: these and
   * what is secret, for who writes a text into a record.
   */
  readonly needs: 'catalogue' | 'records' | 'words';
  /** Real path. */
  readonly workingDirectory: string;
}

/** Resolves the configuration of one command; every refusal at once. */
export async function resolveConfig(
  layers: Layers,
  { needs, workingDirectory }: ConfigNeeds,
): Promise<Resolved<Config>> {
  const { environment } = layers;
  const findings: Finding[] = [];
  const taken = <T>(resolved: Resolved<T>, fallback: T): T => {
    if (resolved.kind === 'resolved') return resolved.value;
    findings.push(...resolved.findings);
    return fallback;
  };
  const bnerdHome = taken(await homeOf(layers, workingDirectory), null);
  const settings =
    needs === 'records' ? await trustAlone(layers) : taken(await readSettings(environment.home), NO_SETTINGS);
  const redis = taken(await resolveRedisConfig(layers, settings, workingDirectory), null);
  const secrets = taken(await secretsOf(settings, environment.home), []);
  const named = needs === 'catalogue' ? missionWritten(layers, settings) : null;
  const mission =
    named === null ? null : taken(await directory(named, environment.home, workingDirectory), null);
  if (findings.length > 0) return { kind: 'refused', findings };
  const agentSkills =
    environment.variables.get('BNERD_AGENT_SKILLS') ?? environment.variables.get('BLOOM_AGENT_SKILLS');
  return {
    kind: 'resolved',
    value: {
      bnerdHome,
      missionRepository: mission,
      trustFiles: needs === 'catalogue' ? trustFilesOf(layers, workingDirectory) : [],
      agentSkills: agentSkills ?? '',
      settings,
      redis,
      secrets: redis === null ? secrets : [...secrets, ...secretsOfRedis(redis)],
    },
  };
}

/** Without it a server that the file says more of is not trusted, and the connection says what is missing. */
async function trustAlone(layers: Layers): Promise<Settings> {
  if (!(await isReachedByTls(layers))) return NO_SETTINGS;
  const read = await readSettings(layers.environment.home);
  return read.kind === 'refused' ? NO_SETTINGS : { ...NO_SETTINGS, redis: read.value.redis };
}

/** The password of an address and the key of this machine are secret wherever they came from. */
function secretsOfRedis({ url, place, tls }: RedisConfig): readonly Secret[] {
  const password = URL.canParse(url) ? decodeURIComponent(new URL(url).password) : '';
  const { client } = tls;
  return [
    ...(password === '' ? [] : [{ name: place, value: password }]),
    ...(client === null ? [] : [{ name: 'BNERD_REDIS_KEY', value: client.key }]),
  ];
}

async function secretsOf({ secrets }: Settings, home: string): Promise<Resolved<readonly Secret[]>> {
  if (secrets.files.length === 0) return { kind: 'resolved', value: [] };
  const { secretFiles } = await import('./secret-files.js');
  return secretFiles(secrets.files, home);
}

function missionWritten(layers: Layers, settings: Settings): Written | null {
  const alias = layers.environment.variables.get('MISSION_REPO');
  return (
    writtenValue(layers, 'mission-repo') ??
    (alias === undefined ? settings.missionRepository : { text: alias, place: 'MISSION_REPO' })
  );
}

/** Every file that was named, each once; a relative one lies below the working directory. */
function trustFilesOf(layers: Layers, workingDirectory: string): readonly string[] {
  const { home } = layers.environment;
  const paths = writtenValues(layers, 'trust').map((written) => writtenPath(written, home, workingDirectory));
  return [...new Set(paths)];
}

/** The real path of a directory somebody named. */
async function directory(
  written: Written,
  home: string,
  workingDirectory: string,
): Promise<Resolved<string>> {
  const path = writtenPath(written, home, workingDirectory);
  const refused = (what: string): Resolved<never> => ({
    kind: 'refused',
    findings: [
      badValue(
        written,
        `a directory that you may read; ${path} ${what}`,
        'name the folder of the repository',
      ),
    ],
  });
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? { kind: 'resolved', value: real } : refused('is no directory');
  } catch (error) {
    return refused(
      systemCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${systemCode(error)}`,
    );
  }
}

/**
 * `BNERD_HOME`, which need not exist yet. Inside the working directory it is refused: what a project brings along
 * would then count as the operator's own word (spec/team.md §1). The root directory holds every folder there is and
 * is nobody's project.
 */
async function homeOf(layers: Layers, workingDirectory: string): Promise<Resolved<string | null>> {
  const text = layers.environment.variables.get('BNERD_HOME');
  if (text === undefined) return { kind: 'resolved', value: null };
  const refused = (allowed: string, remedy: string): Resolved<never> => ({
    kind: 'refused',
    findings: [badValue({ text, place: 'BNERD_HOME' }, allowed, remedy)],
  });
  const path = await realOrFuture(resolve(workingDirectory, text));
  if (path === undefined)
    return refused('a directory, or a place for one', 'name a folder that you may write');
  if (workingDirectory !== '/' && isInside(path, workingDirectory)) {
    return refused(
      `a folder outside the working directory ${workingDirectory}`,
      'name a folder of your own, or start from another directory',
    );
  }
  return { kind: 'resolved', value: path };
}

/** The real path, of which the end need not exist; undefined when something on the way is no directory. */
async function realOrFuture(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) return undefined;
    const parent = await realOrFuture(dirname(path));
    return parent === undefined ? undefined : join(parent, basename(path));
  }
}
