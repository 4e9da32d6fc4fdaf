/** A team whose lead delegates to an engineer of kind `command`, on a workspace that is a repository. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call, Turn } from '../cases/play.js';
import { commitAll } from '../helpers/repository.js';
import type { Mission } from '../helpers/team.js';
import { type Job, job as writeJob } from './job.js';

const ENGINEER = join(import.meta.dirname, '../fixtures/runners/commits.mjs');

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

/** The job, its workspace committed, with the engineer set up for this operator. */
export async function delegatingJob(mission: Mission): Promise<Job> {
  const made = await writeJob(mission);
  commitAll(made.workspace, 'Begin');
  await mkdir(made.place.home, { recursive: true });
  await writeFile(
    join(made.place.home, '.bnerd.yaml'),
    JSON.stringify({
      runner: { engineers: { command: { path: process.execPath, args: [ENGINEER] } }, 'min-free': 0 },
    }),
  );
  return made;
}
