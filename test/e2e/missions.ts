/** Missions that several tests of this folder run, and what they are told by. */

import type { Step, Turn } from '../cases/play.js';
import { claim, complete, does, finish, says, shell, when } from '../cases/play.js';
import type { Mission } from '../helpers/team.js';

/** One worker with one task, during which it takes these steps; the lead finishes when the task is completed. */
export function oneTask(steps: readonly Step[], more: Partial<Mission> = {}): Mission {
  return {
    ...more,
    recipe: { tasks: [{ id: 'one', subject: 'Do one', role: 'worker' }], ...more.recipe },
    roles: { boss: {}, worker: { base: 'write' }, ...more.roles },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      worker: { idle: 'Ready.', turns: [worksOn('#1', ...steps)] },
      ...more.script,
    },
  };
}

export function worksOn(task: string, ...steps: readonly Step[]): Turn {
  return when(
    `Task ${task} is ready`,
    does(claim(task)),
    ...steps,
    does(complete(task)),
    says(`${task} done.`),
  );
}

/**
 * A command line with a child in its group, a grandchild in a session of its own, and one whose parent is gone. Their
 * numbers are in the files `child`, `grandchild` and `orphan`; `up` is written when all of them run.
 */
export const FAMILY = [
  'sleep 600 & echo $! > child',
  "setsid sh -c 'echo $$ > grandchild; exec sleep 600' &",
  "setsid sh -c 'sleep 600 & echo $! > orphan'",
  'until [ -s grandchild ] && [ -s orphan ]; do sleep 0.02; done',
  'echo $$ > up',
].join('\n');

export const FAMILY_FILES = ['child', 'grandchild', 'orphan', 'up'] as const;

/** The call that runs the family until it is ended. */
export const familyCall = (before = '', after = 'wait') => shell(`${before}\n${FAMILY}\n${after}`);

/** A command that prints `alive <pid>` for each member of the family that is no zombie, then `looked`. */
export const LOOK_FOR_FAMILY = [
  `for file in ${FAMILY_FILES.join(' ')}; do read -r pid < $file`,
  'if grep -qs "^State:.[^ZX]" /proc/$pid/status; then echo "alive $pid"; fi; done',
  'echo looked',
].join('\n');
