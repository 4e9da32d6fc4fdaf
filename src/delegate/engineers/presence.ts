/** Whether an engineer's program can be started here, and which version it is: asked before a brief is taken. */

import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { within } from '../../shared/abort.js';
import { gentleLadder } from '../../shared/process-ending.js';
import { oneLine } from '../../shared/terminal-text.js';
import { OutputTail } from '../verify/output-tail.js';
import { removeTree } from '../workspace/remove-tree.js';
import type { Engineer, EngineerSettings } from './engineer.js';
import type { EngineerHouse } from './run-engineer.js';

export type Presence =
  | { readonly kind: 'there'; readonly version: string | null }
  | { readonly kind: 'missing'; readonly detail: string };

/** A program that takes longer to print its version is none that a brief should wait for. */
const VERSION_MS = 15_000;

const OUTPUT_BYTES = 4 << 10;

/**
 * @param home where a folder is made that the program may take for its home while it prints its version: each time a new one,
 *   since what an engineer has put into the last would be in effect here
 */
export async function lookForEngineer(
  engineer: Engineer,
  settings: EngineerSettings,
  house: EngineerHouse,
  home: string,
  signal: AbortSignal,
): Promise<Presence> {
  const place = `engineers.${engineer.kind}.path`;
  const env: Readonly<Record<string, string>> = { ...house.environment, ...settings.env, HOME: home };
  // What a wrapper finds, only it can say.
  if (house.wrap.length === 0 && !(await canRun(settings.path, env['PATH'] ?? '')))
    return {
      kind: 'missing',
      detail: `there is no program "${oneLine(settings.path, 200)}" here (${place})`,
    };
  if (engineer.versionArgs === null) return { kind: 'there', version: null };
  await mkdir(home, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(home, 'once-'));
  try {
    return await versionOf(engineer, settings, house, { ...env, HOME: own }, signal);
  } finally {
    await removeTree(own);
  }
}

async function versionOf(
  engineer: Engineer,
  settings: EngineerSettings,
  house: EngineerHouse,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Presence> {
  const place = `engineers.${engineer.kind}.path`;
  const [program = '', ...args] = [
    ...house.wrap,
    settings.path,
    ...settings.args,
    ...(engineer.versionArgs ?? []),
  ];
  const start = await house.groups.start({ program, args, cwd: env['HOME'] ?? '/', env });
  if (start.kind === 'failed')
    return { kind: 'missing', detail: `${engineer.kind} does not start: ${start.reason} (${place})` };
  const { group } = start;
  const output = new OutputTail(OUTPUT_BYTES);
  group.output.on('data', (chunk: Buffer) => output.push(chunk));
  const closed = new Promise<void>((done) => group.output.once('close', done));
  const late = within(signal, VERSION_MS);
  const over = new Promise<null>((done) => {
    if (late.aborted) done(null);
    late.addEventListener('abort', () => done(null), { once: true });
  });
  const exit = await Promise.race([Promise.all([group.exited, closed]).then(([how]) => how), over]);
  await group.end(gentleLadder(200));
  group.output.destroy();
  const said = oneLine(output.text().trim().split('\n')[0] ?? '', 100);
  if (exit !== null && exit.kind === 'exited' && (exit.code === 126 || exit.code === 127))
    return {
      kind: 'missing',
      detail: `${engineer.kind} does not start: ${said || `exit ${exit.code}`} (${place})`,
    };
  const well = exit !== null && exit.kind === 'exited' && exit.code === 0 && said !== '';
  return { kind: 'there', version: well ? said : null };
}

async function canRun(program: string, path: string): Promise<boolean> {
  const places = program.includes('/')
    ? [resolve(program)]
    : path
        .split(':')
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  for (const place of places) if (await isProgram(place)) return true;
  return false;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not to be run by us
  }
}
