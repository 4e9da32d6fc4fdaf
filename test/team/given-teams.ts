/** Teams that rows of commands are given to. */

import type { Seat } from '../../src/events/facts/frozen.js';
import type { StartOptions } from '../helpers/build-start.js';
import { Team } from '../helpers/build-state.js';

/** Tools by which a seat writes the workspace, reads it, or does neither. */
export const WRITES: Seat['tools'][number] = { name: 'fs_write_file', class: 'write', entry: null };
export const READS: Seat['tools'][number] = { name: 'fs_read_file', class: 'read', entry: null };
export const FETCHES: Seat['tools'][number] = { name: 'web_fetch', class: 'read', entry: null };

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

/**
 * A team of several machines, its workspace on vm-1 at commit c1. There the writer holds task #1 in its turn; a reader and
 * somebody without a workspace are idle.
 */
export function onMachines(options: StartOptions = {}): Team {
  const team = Team.start({
    seats: [
      'lead',
      { member: 'writer', tools: [WRITES] },
      { member: 'reader', tools: [READS] },
      { member: 'searcher', tools: [FETCHES] },
    ],
    tasks: [{ role: 'writer', artifacts: ['report.md'] }],
    ...options,
  });
  team.ok({ kind: 'workspace.bind', host: 'vm-1', commit: 'c1' });
  team.ok({ kind: 'turn.start', member: 'writer', cause: 0, host: 'vm-1', worker: 'worker-1' });
  team.read('writer');
  team.claim('writer', '#1');
  return team;
}
