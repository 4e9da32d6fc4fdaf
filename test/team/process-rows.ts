/** Rows of the commands by which several processes serve a team: given, when, then (`commands.test.ts`). */

import type { ProcessCommand } from '../../src/team/process-command.js';
import { Team } from '../helpers/build-state.js';
import type { Row } from './brief-rows.js';
import { onMachines, WRITES } from './given-teams.js';

export const PROCESS_ROWS: Readonly<Record<ProcessCommand['kind'], Row>> = {
  'turn.lose': {
    given: () => onMachines(),
    when: (team) => ({
      kind: 'turn.lose',
      olderThanMs: 0,
      detail: 'its lease is gone',
      ...team.in('writer'),
    }),
    facts: ['turn.lost'],
  },
  'turn.defer_reclaim': {
    given: () => onMachines(),
    when: (team) => ({
      kind: 'turn.defer_reclaim',
      host: 'vm-1',
      olderThanMs: 0,
      detail: 'process 4711 does not end',
      ...team.in('writer'),
    }),
    facts: ['turn.reclaim_deferred'],
  },
  'workspace.bind': {
    given: () => Team.start({ seats: ['lead', { member: 'writer', tools: [WRITES] }] }),
    when: () => ({ kind: 'workspace.bind', host: 'vm-1', commit: 'c1' }),
    facts: ['workspace.bound'],
  },
  'workspace.lose': {
    given: () => {
      const team = onMachines();
      team.ok(team.completion('writer', '#1', { artifacts: ['report.md'] }));
      team.end('writer');
      return team;
    },
    when: () => ({
      kind: 'workspace.lose',
      host: 'vm-1',
      detail: 'it does not answer',
      missingArtifacts: [{ task: '#1', path: 'report.md' }],
    }),
    facts: ['workspace.lost', 'task.reopened', 'task.claimed', 'mail.sent', 'mail.sent', 'mail.sent'],
  },
};
