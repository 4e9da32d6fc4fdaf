/**
 * The real coding agents, in the versions that the adapters were measured with: installed by npm into a cache folder when
 * a test first asks for one, and kept there. They are no dependencies: nothing of ours imports them.
 *
 * Two test processes may install at once; the first to be done gives its folder the name, and the other's is removed.
 */

import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { systemCode } from '../../src/shared/errors.js';

export interface RealEngineer {
  /** The program, absolute. */
  readonly path: string;
  readonly version: string;
}

const PACKAGES = {
  'claude-code': { name: '@anthropic-ai/claude-code', version: '2.1.332', program: 'claude' },
  codex: { name: '@openai/codex', version: '0.171.0', program: 'codex' },
  gemini: { name: '@google/gemini-cli', version: '0.61.0', program: 'gemini' },
} as const;

export type RealKind = keyof typeof PACKAGES;

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/bnerd-engineers/', import.meta.url));

/** Far more than a download of some hundred megabytes takes; give it to the `beforeAll` that asks. */
export const INSTALL_MS = 300_000;

/** Gives the program of a kind, installed first where it is missing. Says plainly why it cannot be. */
export async function realEngineer(kind: RealKind): Promise<RealEngineer> {
  const { version } = PACKAGES[kind];
  const place = join(CACHE, `${kind}-${version}`);
  const path = programOf(kind, place);
  if (!(await exists(path))) await install(kind, place);
  return { path, version };
}

async function install(kind: RealKind, place: string): Promise<void> {
  const { name, version } = PACKAGES[kind];
  const spec = `${name}@${version}`;
  await mkdir(CACHE, { recursive: true });
  const making = await mkdtemp(join(CACHE, 'making-'));
  try {
    await writeFile(join(making, 'package.json'), '{ "private": true }\n');
    const installed = await run('npm', ['install', '--no-audit', '--no-fund', spec], making);
    if (installed.failed) {
      throw new Error(
        `${spec} could not be installed for the tests of real engineers. They need npm and its registry (and a proxy where there is one, see npm config). npm said:\n${installed.said}`,
      );
    }
    const asked = await run(programOf(kind, making), ['--version'], making);
    if (asked.failed || !asked.said.includes(version)) {
      throw new Error(`${spec} was installed and does not run here. It said:\n${asked.said}`);
    }
    await rename(making, place);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    const taken = ['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '');
    if (!taken) throw error;
  }
}

async function run(
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly failed: boolean; readonly said: string }> {
  const options = { cwd, all: true, reject: false, timeout: INSTALL_MS - 20_000 } as const;
  const { failed, all } = await execa(program, args, options);
  return { failed, said: (all ?? '').slice(-2_000) };
}

function programOf(kind: RealKind, place: string): string {
  return join(place, 'node_modules', '.bin', PACKAGES[kind].program);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
