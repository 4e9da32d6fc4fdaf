/** Teams and commands that the tables of refusals are written with. */

import type { Command } from '../../../src/team/command.js';
import { OPERATOR, type SeatOptions, started, taskSpec } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

/** Given a team, when the command, then this refusal: the code, and what its message says. */
export type Row = readonly [code: string, says: RegExp, given: () => Team, when: (team: Team) => Command];

export const decide = (request: string, decision: 'approve' | 'deny' | 'answer' = 'approve'): Command => ({
  kind: 'request.decide',
  by: OPERATOR,
  request,
  decision,
  text: null,
  digest: null,
});

export const create = (team: Team, ...specs: Parameters<typeof taskSpec>): Command => ({
  kind: 'task.create',
  by: team.by('lead'),
  tasks: specs.map(taskSpec),
});

export const resume: Extract<Command, { kind: 'run.resume' }> = {
  kind: 'run.resume',
  host: 'host',
  disabled: [],
  findings: [],
};

/** Lead, worker and reviewer, each with a live turn; the worker holds #1, #2 waits on it. */
export function busy(
  worker: Partial<SeatOptions> = {},
  options: Parameters<typeof Team.start>[0] = {},
): Team {
  const team = Team.start({
    seats: ['lead', { member: 'worker', ...worker }, 'reviewer'],
    tasks: [
      { key: 'first', role: 'worker' },
      { key: 'second', role: 'worker', blocked_by: ['first'] },
    ],
    ...options,
  });
  team.awake('lead');
  team.mail('operator', 'reviewer');
  team.awake('reviewer');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

export function inReview(
  gates: readonly string[] = ['reviewer'],
  options: Parameters<typeof Team.start>[0] = {},
): Team {
  const team = busy({}, { tasks: [{ role: 'worker', gates: [...gates] }], ...options });
  team.ok(team.completion('worker', '#1'));
  return team;
}

/** A team whose worker asks something and waits. */
export function asking(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = busy({}, options);
  team.park('worker');
  return team;
}

export function closed(): Team {
  const team = Team.start();
  team.awake('lead');
  team.mail('lead', 'worker');
  team.awake('worker');
  team.ok({ kind: 'run.finish', outcome: 'done', result: 'all is well', ...team.in('lead') });
  return team;
}

export function done(): Team {
  const team = closed();
  team.end('lead');
  team.end('worker');
  team.sweep();
  return team;
}

export function cancelled(): Team {
  const team = Team.start();
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'stop' });
  team.sweep();
  return team;
}

export const start = (options: Parameters<typeof started>[0] = {}): Command => ({
  kind: 'run.start',
  started: started(options),
  tasks: [],
  entries: [],
});

export const toolStart = (team: Team, request: string | null, digest: string): Command => ({
  kind: 'tool.start',
  place: '9-1.0',
  tool: 'shell_exec',
  class: 'write',
  digest,
  request,
  ...team.in('worker'),
});

export const claim = (team: Team, member: string, task: string): Command => ({
  kind: 'task.claim',
  task,
  ...team.in(member),
});

export const review = (team: Team, member: string, attempt = 1): Command =>
  team.verdict(member, '#1', { attempt });

export const send = (team: Team, to: string, body = 'hello'): Command => ({
  kind: 'mail.send',
  by: team.by('worker'),
  to,
  body,
  task: null,
});

export const turn = (member: string): Command => ({ kind: 'turn.start', member, cause: 1 });

/** The same command, with something done to the team before it. */
export function after(team: Team, ...commands: readonly Command[]): Team {
  for (const command of commands) team.ok(command);
  return team;
}

export function completed(): Team {
  const team = busy();
  return after(team, team.completion('worker', '#1'));
}

export function emptyBoard(): Team {
  const team = Team.start();
  team.awake('lead');
  return team;
}
