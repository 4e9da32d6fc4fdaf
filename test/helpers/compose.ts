/**
 * `docker-compose.yml` as Compose reads it: merged, its variables put in. And its services as processes of a test: their own
 * commands, environments and health checks, with folders of the test in the places of their volumes.
 */

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { CLI } from './bnerd.js';
import { tempDir } from './temp-dir.js';

const ROOT = join(import.meta.dirname, '../..');

export interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The text of a file at the top of the repository. */
export const atTop = (name: string): Promise<string> => readFile(join(ROOT, name), 'utf8');

/** Reads the file. @param variables those of `.env` */
export async function readCompose(variables: Readonly<Record<string, string>> = {}): Promise<Compose> {
  const plain: unknown = parse(await atTop('docker-compose.yml'), { merge: true });
  return interpolated(plain, variables) as Compose;
}

/** Names of the variables that are put in, each with what stands there without it. */
export async function variablesOf(): Promise<ReadonlyMap<string, string>> {
  const text = (await atTop('docker-compose.yml')).replaceAll('$$', '');
  return new Map([...text.matchAll(/\$\{([A-Z_]+):-([^}]*)\}/g)].map(([, name = '', or = '']) => [name, or]));
}

/** Only the one form that the file uses. */
function interpolated(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\$|\$\{([A-Z_]+):-([^}]*)\}/g, (found, name: string, or: string) =>
      found === '$$' ? '$' : variables[name] || or,
    );
  }
  if (Array.isArray(value)) return value.map((one) => interpolated(one, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, interpolated(one, variables)]));
}

/** The services on this machine: what is another there than in a container stands in `places`. */
export class ComposedProcesses {
  readonly root: string;
  readonly #places: readonly (readonly [there: string, here: string])[];

  private constructor(root: string, places: readonly (readonly [string, string])[]) {
    this.root = root;
    this.#places = places;
  }

  /**
   * @param ports by the port that stands in the file, the one to use
   * @param workspaces the folder with the workspaces of teams
   */
  static async at(ports: Readonly<Record<string, string>>, workspaces: string): Promise<ComposedProcesses> {
    const root = await tempDir('compose');
    const folders = ['acl', 'data', 'state', 'workdir', 'run/secrets'];
    for (const folder of [...folders, 'bin', 'home', 'opt'])
      await mkdir(join(root, folder), { recursive: true });
    const programs = {
      bnerd: `exec ${process.execPath} ${CLI} "$@"`,
      'valkey-server': `exec redis-server "$@" --save '' --bind 127.0.0.1 --port ${ports['6379']}`,
      'valkey-cli': `exec redis-cli -p ${ports['6379']} "$@"`,
    };
    for (const [name, line] of Object.entries(programs)) {
      await writeFile(join(root, 'bin', name), `#!/bin/sh\n${line}\n`);
      await chmod(join(root, 'bin', name), 0o755);
    }
    const places = folders.map((folder) => [`/${folder}`, join(root, folder)] as const);
    return new ComposedProcesses(root, [
      ...places,
      ['/workspaces', workspaces],
      ['127.0.0.1:9464', `127.0.0.1:${ports['9464']}`],
    ]);
  }

  /** A file of `secrets`. */
  secret(name: string, text: string): Promise<void> {
    return writeFile(join(this.root, 'run/secrets', name), text);
  }

  /** Starts the command of a service; it is ended with the test. */
  start({ command, environment }: Service) {
    const running = this.#run(command, environment);
    onTestFinished(async () => {
      running.kill('SIGKILL');
      await running;
    });
    return running;
  }

  /** Whether its health check is content. */
  async isHealthy({ healthcheck, environment }: Service): Promise<boolean> {
    const [how, ...words] = healthcheck?.test ?? [];
    const command = how === 'CMD-SHELL' ? ['/bin/sh', '-c', ...words] : words;
    return (await this.#run(command, environment)).exitCode === 0;
  }

  #run(command: readonly string[], environment: Service['environment']) {
    const [program = '', ...words] = command.map((word) => this.#here(word));
    const said = Object.entries(environment ?? {}).map(([name, value]) => [name, this.#here(String(value))]);
    const path = `${join(this.root, 'bin')}:${process.env['PATH']}`;
    const env = {
      PATH: path,
      HOME: join(this.root, 'home'),
      TMPDIR: this.root,
      LANG: 'C.UTF-8',
      ...Object.fromEntries(said),
    };
    return execa(program, words, {
      env,
      extendEnv: false,
      cwd: join(this.root, 'opt'),
      stdin: 'ignore',
      reject: false,
      all: true,
    });
  }

  /** A folder begins where no other has; an address stands anywhere. */
  #here(word: string): string {
    return this.#places.reduce((text, [there, here]) => {
      const begins = there.startsWith('/') ? '(?<![\\w/])' : '';
      return text.replaceAll(new RegExp(`${begins}${there.replaceAll('.', '\\.')}(?![\\w-])`, 'g'), here);
    }, word);
  }
}
