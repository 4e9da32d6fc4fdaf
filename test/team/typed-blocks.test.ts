// A task that cannot go on says why, by a word that the runtime knows (spec/team.md §4).
import { expect, test } from 'vitest';
import type { BlockReason } from '../../src/events/facts/work.js';
import { statusView } from '../../src/team/show/status.js';
import { Team } from '../helpers/build-state.js';

function holding(): Team {
  const team = Team.start({ tasks: [{}] });
  team.idles('lead');
  team.awake('worker');
  team.claim('worker', '#1');
  return team;
}

function block(team: Team, reason: BlockReason): void {
  const { attempts } = team.task('#1');
  team.ok({
    kind: 'task.block',
    task: '#1',
    attempt: attempts,
    reason,
    on: [],
    detail: 'thus',
    ...team.in('worker'),
  });
}

test.each<BlockReason>(['needs_input', 'capability', 'limit'])(
  'blocked as %s: it stays so, the lead is told, and status says why',
  (reason) => {
    const team = holding();
    block(team, reason);
    expect(team.task('#1').state).toMatchObject({ kind: 'blocked', reason });
    expect(team.inbox('lead').join('\n')).toContain(`worker has blocked #1 (${reason})`);
    expect(statusView(team.state, 'team').tasks[0]?.blocked).toEqual({ reason, on: [], detail: 'thus' });
  },
);

test('blocked by what passes: offered once more, then it is for the lead, who may open it anew', () => {
  const team = holding();
  block(team, 'transient');
  expect(team.task('#1').state.kind).toBe('pending');
  expect(team.inbox('lead').join('\n')).toContain('(transient). It is offered once more.');
  team.claim('worker', '#1');
  block(team, 'transient');
  expect(team.task('#1').state).toMatchObject({ kind: 'blocked', reason: 'transient' });
  team.ok(team.update('#1', { status: 'pending' }));
  team.claim('worker', '#1');
  block(team, 'transient');
  expect(team.task('#1').state.kind).toBe('pending');
});

test('an attempt that ended without progress is flagged until somebody takes the task', () => {
  const team = holding();
  const flag = (): unknown => statusView(team.state, 'team').tasks[0]?.flag;
  team.end('worker', { text: 'I wait.' });
  for (let time = 0; time < 2; time++) team.idles('worker', { text: 'I wait.' });
  expect(team.facts('task.released')).toMatchObject([{ reason: 'no_progress' }]);
  expect(flag()).toBe('no_progress');
  expect(team.inbox('lead').join('\n')).toMatch(
    /ended as no_progress[\s\S]*<<last words of worker (~\w+)\nI wait\.\n\1>>/,
  );
  team.awake('worker');
  team.claim('worker', '#1');
  expect(flag()).toBeNull();
});
