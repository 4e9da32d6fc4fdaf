import { expect, test } from 'vitest';
import { renderMemory } from '../../../src/team/show/render-memory.js';
import { Team } from '../../helpers/build-state.js';

const MEMORY = {
  opening: [],
  order: null,
  place: '3-1',
  summary: 'what was',
  trust: 'own',
  by: 'model',
  cut: '',
  riderOf: () => '',
} as const;

test.each([
  [
    'a call',
    { digest: 'd1', arguments: '{"command":"make all"}' },
    ['"digest":"d1"', '{"command":"make all"}'],
  ],
  [
    'a plan',
    { kind: 'plan' as const, plan: 'step by step', digest: 'd2' },
    ['"plan_digest":"d2"', 'version 1 (r1)'],
  ],
])(
  'a lead whose memory was compacted is told of %s that waits for it as it was told before',
  (_, how, says) => {
    const team = Team.start({
      seats: ['lead', { member: 'worker', confirm_approver: 'lead', plan_mode: 'plan' in how }],
    });
    team.mail('operator', 'worker');
    team.awake('worker');
    team.park('worker', how);
    const before = team.inbox('lead').at(-1) ?? '';
    const text = renderMemory(team.state, team.member('lead'), MEMORY);
    for (const words of says) {
      expect(before).toContain(words);
      expect(text).toContain(words);
    }
  },
);
