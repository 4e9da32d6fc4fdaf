/** Refusals of commands by which several processes serve a team. */

import { Team } from '../../helpers/build-state.js';
import { onMachines, WRITES } from '../given-teams.js';
import { after, type Row } from './given.js';

const writers = (): Team => {
  const team = Team.start({ seats: ['lead', { member: 'writer', tools: [WRITES] }] });
  team.mail('operator', 'writer');
  return team;
};

export const PROCESS_REFUSALS: readonly Row[] = [
  [
    'too_early',
    /turn \d+ of writer is young: it is taken over in 60 s at the earliest/,
    () => onMachines(),
    (team) => ({ kind: 'turn.lose', olderThanMs: 60_000, detail: 'gone', ...team.in('writer') }),
  ],
  [
    'too_early',
    /turn \d+ of writer is young/,
    () => onMachines(),
    (team) => ({
      kind: 'turn.defer_reclaim',
      host: 'vm-1',
      olderThanMs: 1,
      detail: 'alive',
      ...team.in('writer'),
    }),
  ],
  [
    'stale_turn',
    /turn 1 of writer is not its live turn: turn \d+ is running/,
    () => onMachines(),
    () => ({ kind: 'turn.lose', olderThanMs: 0, detail: 'gone', member: 'writer', turn: 1 }),
  ],
  [
    'stale_turn',
    /turn 1 of reader is not its live turn: it is idle/,
    () => onMachines(),
    () => ({
      kind: 'turn.defer_reclaim',
      host: 'vm-1',
      olderThanMs: 0,
      detail: '',
      member: 'reader',
      turn: 1,
    }),
  ],
  [
    'unknown_member',
    /no member is named nobody/,
    () => onMachines(),
    () => ({ kind: 'turn.lose', olderThanMs: 0, detail: 'gone', member: 'nobody', turn: 1 }),
  ],
  [
    'not_started',
    /never started/,
    () => new Team(),
    () => ({ kind: 'turn.lose', olderThanMs: 0, detail: 'gone', member: 'writer', turn: 1 }),
  ],
  [
    'workspace_unbound',
    /bind it first/,
    writers,
    () => ({ kind: 'turn.start', member: 'writer', cause: 1, host: 'vm-1' }),
  ],
  [
    'wrong_host',
    /on vm-1, not on vm-2/,
    () => after(writers(), { kind: 'workspace.bind', host: 'vm-1', commit: null }),
    () => ({ kind: 'turn.start', member: 'writer', cause: 1, host: 'vm-2' }),
  ],
  [
    'concurrency',
    /as many members work as/,
    () => {
      const team = Team.start({ seats: ['lead', 'worker'], limits: { concurrency: 1 } });
      team.mail('operator', 'all');
      return after(team, { kind: 'turn.start', member: 'lead', cause: 0, host: 'vm-1' });
    },
    () => ({ kind: 'turn.start', member: 'worker', cause: 0, host: 'vm-2' }),
  ],
  [
    'nothing_to_bind',
    /nobody of this team may write/,
    () => Team.start(),
    () => ({ kind: 'workspace.bind', host: 'vm-1', commit: null }),
  ],
  [
    'bound_elsewhere',
    /is on vm-1; its turns are served there/,
    () => onMachines(),
    () => ({ kind: 'workspace.bind', host: 'vm-2', commit: 'c1' }),
  ],
  [
    'other_commit',
    /starts from c1, not from no commit/,
    () => {
      const team = onMachines();
      team.ok({ kind: 'turn.lose', olderThanMs: 0, detail: 'gone', ...team.in('writer') });
      return after(team, { kind: 'workspace.lose', host: 'vm-1', detail: 'gone', missingArtifacts: [] });
    },
    () => ({ kind: 'workspace.bind', host: 'vm-2', commit: null }),
  ],
  [
    'not_bound',
    /is on vm-1, not on vm-2/,
    () => onMachines(),
    () => ({ kind: 'workspace.lose', host: 'vm-2', detail: 'gone', missingArtifacts: [] }),
  ],
  [
    'workspace_in_use',
    /writer has a turn on vm-1/,
    () => onMachines(),
    () => ({ kind: 'workspace.lose', host: 'vm-1', detail: 'gone', missingArtifacts: [] }),
  ],
];
