/** Teams that rows of commands are given to. */

import { Team } from '../helpers/build-state.js';

/** A team whose worker holds task #1 in its turn. */
export function atWork(): Team {
  const team = Team.start({ tasks: [{}] });
  team.awake('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

/** A team whose task #1 waits for the reviewer, who has a turn. */
export function inReview(): Team {
  const team = Team.start({
    seats: ['lead', 'worker', 'reviewer'],
    tasks: [{ role: 'worker', gates: ['reviewer'] }],
  });
  team.awake('worker');
  team.claim('worker', '#1');
  team.ok(team.completion('worker', '#1'));
  team.mail('operator', 'reviewer');
  team.awake('reviewer');
  return team;
}

/** A team that was stopped. */
export function ended(): Team {
  const team = Team.start();
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
  team.sweep();
  return team;
}

/** A team whose lead has its first turn, and has read nothing. */
export function leadAtWork(): Team {
  const team = Team.start();
  team.turn('lead');
  return team;
}
