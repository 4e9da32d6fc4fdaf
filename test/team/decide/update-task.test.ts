import { describe, expect, test } from 'vitest';
import { OPERATOR, taskSpec } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

/** The lead has a turn; #1 and #2 are tasks of the recipe, #2 waits on #1. */
function board(): Team {
  const team = Team.start({
    tasks: [
      { key: 'first', role: 'worker' },
      { key: 'second', blocked_by: ['first'] },
    ],
  });
  team.awake('lead');
  return team;
}

describe('changing a task', () => {
  test('text, role and edges change together, and the offers are forgotten', () => {
    const team = board();
    team.awake('worker');
    expect(team.task('#1').offer).toBe('worker');
    const update = team.update('#1', {
      by: team.by('lead'),
      subject: 'new',
      description: 'text',
      role: 'lead',
    });
    team.ok(update);
    expect(team.task('#1').spec).toMatchObject({ subject: 'new', description: 'text', role: 'lead' });
    expect(team.task('#1').offer).toBeNull();
    expect(team.member('worker').offers.size).toBe(0);
  });

  test('an edge of the recipe is not loosened by a model; the operator may, and so may the lead its own', () => {
    const team = board();
    team.ok({
      kind: 'task.create',
      by: team.by('lead'),
      tasks: [taskSpec({ key: 'own', blocked_by: ['#1'] })],
    });
    const loosen = (task: string) => team.update(task, { by: team.by('lead'), removeBlockedBy: ['#1'] });
    expect(team.refusal(loosen('#2'))).toMatch(/^recipe_edge/);
    team.ok(loosen('#3'));
    expect([...team.task('#3').blockedBy]).toEqual([]);
    team.ok(team.update('#2', { removeBlockedBy: ['#1'] }));
    expect([...team.task('#2').blockedBy]).toEqual([]);
  });

  test('no edge is laid on a task that somebody works on, but for one that is completed already', () => {
    const team = board();
    team.ok({ kind: 'task.create', by: OPERATOR, tasks: [taskSpec({ role: 'worker' })] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(team.completion('worker', '#1'));
    team.claim('worker', '#3');
    expect(team.refusal(team.update('#3', { addBlockedBy: ['#2'] }))).toMatch(/^claimed/);
    expect(team.refusal(team.update('#2', { addBlocks: ['#3'] }))).toMatch(/^claimed/);
    team.ok(team.update('#3', { addBlockedBy: ['#1'] }));
  });

  test('a task that was let pass is offered anew when the lead says pending', () => {
    const team = board();
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok({ kind: 'task.release', task: '#1', attempt: 1, detail: 'no', ...team.in('worker') });
    team.end('worker', { calls: 2 });
    expect(team.due()).not.toContain('worker');
    team.ok(team.update('#1', { by: team.by('lead'), status: 'pending' }));
    expect(team.due()).toContain('worker');
  });

  test('cancelling a claimed task ends the attempt, tells the owner and takes back what it asked for it', () => {
    const team = board();
    team.awake('worker');
    team.claim('worker', '#1');
    const request = team.park('worker');
    team.ok(team.update('#1', { by: team.by('lead'), status: 'cancelled' }));
    expect(team.member('worker').claims.size).toBe(0);
    expect(team.state.requests.get(request)?.status).toMatchObject({
      kind: 'withdrawn',
      reason: '#1 was cancelled',
    });
    expect(team.inbox('worker').at(-1)).toBe('lead has cancelled #1. Stop working on it.');
    expect(team.due()).toContain('worker');
  });

  test('whoever works by its old text, or was offered it so, is told the new one', () => {
    const team = board();
    team.awake('worker');
    team.ok(team.update('#1', { by: team.by('lead'), description: 'Offered, then changed.' }));
    team.claim('worker', '#1');
    team.ok(team.update('#1', { by: team.by('lead'), subject: 'Other' }));
    team.ok(team.update('#1', { by: team.by('lead'), addBlockedBy: [], role: 'lead' }));
    expect(team.inbox('worker')).toEqual([
      expect.stringMatching(
        /^#1 was changed\. It reads now:\n<<task #1 as lead has changed it [\s\S]*Offered, then changed\./,
      ),
      expect.stringContaining('\nOther\n'),
    ]);
    expect(team.due()).not.toContain('worker');
  });

  test('what a member asks for another task it holds stays open', () => {
    const team = board();
    team.ok({ kind: 'task.create', by: OPERATOR, tasks: [taskSpec()] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.claim('worker', '#3');
    const request = team.park('worker');
    team.ok(team.update('#1', { by: team.by('lead'), status: 'cancelled' }));
    expect(team.state.requests.get(request)?.status.kind).toBe('open');
  });

  test('a reopened task starts with a clean count of attempts that failed', () => {
    const team = board();
    team.ok(team.update('#1', { status: 'failed' }));
    expect(team.task('#1').state).toMatchObject({ kind: 'failed', cause: 'lead', detail: 'because' });
    team.ok(team.update('#1', { status: 'pending' }));
    expect(team.task('#1')).toMatchObject({ failedAttempts: 0, state: { kind: 'pending' } });
  });
});
