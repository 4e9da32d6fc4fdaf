/** A team whose lead delegates to an engineer of kind `command`, on a workspace that is a repository. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemProcessTable } from '../../src/shared/process-table.js';
import { type Call, complete, does, says, type Turn, when } from '../cases/play.js';
import { commitAll } from '../helpers/repository.js';
import type { Mission } from '../helpers/team.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { commitsBeside } from './commits-engineer.js';
import { type Job, job as writeJob } from './job.js';
import { runnersFor } from './runner-machine.js';

/** The call that sends an engineer to do these lines, one deed each. */
export const delegates = (
  task: string,
  deeds: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): Call => ({
  tool: 'delegate_engineer',
  args: {
    task,
    goal: deeds.map((deed) => `DO ${deed}`).join('\n'),
    acceptance: ['it is done'],
    ...more,
  },
});

/** Lead `boss` delegates task #1; what it does else is said by its turns. */
export function delegating(boss: readonly Turn[], more: Partial<Mission> = {}): Mission {
  return {
    ...more,
    recipe: {
      tasks: [{ id: 'build', subject: 'Build it', role: 'boss' }],
      engineer: { kind: 'command', verify: { greets: ['grep', '-q', 'hello', 'greet.txt'] } },
      ...more.recipe,
    },
    roles: { boss: { delegate: true }, ...more.roles },
    script: { boss: { idle: 'Waiting.', turns: boss }, ...more.script },
    files: { 'readme.txt': 'a project\n', ...more.files },
  };
}

/** The lead sends an engineer out once, and completes its task when the work is in. @param call further words of the call */
export function oneBrief(
  deeds: readonly string[],
  call: Readonly<Record<string, unknown>> = {},
  more: Partial<Mission> = {},
): Mission {
  const sends = when('Task #1 is ready', does(delegates('#1', deeds, call)), says('Sent.'));
  return delegating([sends, when('has ended: completed', does(complete('#1')), says('It is in.'))], more);
}

/** An engineer that says when it is at work, waits for the word to go on, and then does its last deed. */
export interface HeldEngineer {
  readonly deeds: readonly string[];
  /** Its process, once it is at work. */
  atWork(): Promise<number>;
  go(): Promise<void>;
}

/** @param last its last deed; it commits `greet.txt` unless said */
export async function heldEngineer(last = 'commit greet.txt hello'): Promise<HeldEngineer> {
  const at = await tempDir('engineer');
  return {
    deeds: [`touch ${at}/at-work`, `wait ${at}/go`, last],
    atWork: () => pidIn(join(at, 'at-work')),
    go: () => writeFile(join(at, 'go'), ''),
  };
}

/**
 * The job, its workspace committed, with engineers set up for this operator, and with a runner where its team starts none.
 * @param engineers as `runner.engineers` of the settings file says them
 * @param more of that file
 */
export async function delegatingJob(
  mission: Mission,
  engineers?: Readonly<Record<string, object>>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Job> {
  const made = await writeJob(mission);
  commitAll(made.workspace, 'Begin');
  await mkdir(made.place.home, { recursive: true });
  // Its pool is for the teams of other machines: one that runs here has runners of its own.
  const settings = {
    ...more,
    runner: { pool: 'vm', engineers: engineers ?? commitsBeside(made.workspace), 'min-free': 0 },
  };
  await writeFile(join(made.place.home, '.bnerd.yaml'), JSON.stringify(settings));
  await runnersFor(made.place, made.workspace);
  return made;
}

/** The number that an engineer has written into a file, once it has. */
export function pidIn(file: string): Promise<number> {
  return until(async () => Number(await readFile(file, 'utf8').catch(() => '')) || null, {
    ms: 60_000,
    what: `an engineer has written ${file}`,
  });
}

/** Whether a process runs; one that has ended and that nobody has waited for does not. */
export async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^State:\s+[^ZX]/m.test(status);
}

/** The process of the runner of a team. */
export async function runnerOf(team: string): Promise<number> {
  const table = systemProcessTable();
  const rows = await table.rows();
  for (const { pid } of rows) {
    const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (args.includes('\0runner\0--once\0') && args.includes(team)) return pid;
  }
  throw new Error(`no runner of ${team} is there`);
}
