/** Which file runs which command; each is loaded when it is called for and not before. */

import { BugError } from '../shared/errors.js';
import type { CommandModule } from './call.js';

const FILES: Readonly<Record<string, () => Promise<CommandModule>>> = {
  'team run': () => import('./commands/team-run.js'),
  'team simulate': () => import('./commands/team-simulate.js'),
  'team resume': () => import('./commands/team-resume.js'),
  'team list': () => import('./commands/team-list.js'),
  'team describe': () => import('./commands/team-describe.js'),
  'team lint': () => import('./commands/team-lint.js'),
  'team new': () => import('./commands/team-new.js'),
  'team watch': () => import('./commands/team-watch.js'),
  'team status': () => import('./commands/team-status.js'),
  'team ps': () => import('./commands/team-ps.js'),
  'team requests': () => import('./commands/team-requests.js'),
  'team answer': () => import('./commands/team-answer.js'),
  'team adopt': () => import('./commands/team-adopt.js'),
  'team move': () => import('./commands/team-move.js'),
  'team send': () => import('./commands/team-send.js'),
  'team stop': () => import('./commands/team-stop.js'),
  'team transcript': () => import('./commands/team-transcript.js'),
  'team result': () => import('./commands/team-result.js'),
  'team verify': () => import('./commands/team-verify.js'),
  'team cleanup': () => import('./commands/team-cleanup.js'),
  'team prune': () => import('./commands/team-prune.js'),
  chat: () => import('./commands/chat.js'),
  doctor: () => import('./commands/doctor.js'),
  'config show': () => import('./commands/config-show.js'),
  'schema recipe': () => import('./commands/schema-recipe.js'),
  'schema role': () => import('./commands/schema-role.js'),
  'schema skill': () => import('./commands/schema-skill.js'),
  'skills list': () => import('./commands/skills-list.js'),
  'skills show': () => import('./commands/skills-show.js'),
  'skills import': () => import('./commands/skills-import.js'),
  'skills govern': () => import('./commands/skills-govern.js'),
  'skills lock': () => import('./commands/skills-lock.js'),
  'skills lint': () => import('./commands/skills-lint.js'),
  'skills audit': () => import('./commands/skills-audit.js'),
  trust: () => import('./commands/trust.js'),
  'skills approve': () => import('./commands/trust.js'),
  'schema events': () => import('./commands/schema-events.js'),
  'schema brief': () => import('./commands/schema-brief.js'),
  'schema result': () => import('./commands/schema-result.js'),
  worker: () => import('./commands/worker.js'),
  workers: () => import('./commands/workers.js'),
  runner: () => import('./commands/runner.js'),
  runners: () => import('./commands/runners.js'),
  'runner drain': () => import('./commands/runner-drain.js'),
  'runner prune': () => import('./commands/runner-prune.js'),
  'keys init': () => import('./commands/keys-init.js'),
  'keys accept': () => import('./commands/keys-accept.js'),
  'keys retire': () => import('./commands/keys-retire.js'),
  'keys list': () => import('./commands/keys-list.js'),
  help: () => import('./commands/help.js'),
};

/** Names of the commands that can be loaded. */
export const LOADABLE: readonly string[] = Object.keys(FILES);

/** Loads the file of a command of the table. */
export function loadCommand(name: string): Promise<CommandModule> {
  const load = FILES[name];
  if (load === undefined) throw new BugError('no-command-file', `no file runs the command "${name}"`);
  return load();
}
