import { describe, expect, test } from 'vitest';
import { Team } from '../../helpers/build-state.js';
import { call } from '../coordination-context.js';

function led(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = Team.start(options);
  team.awake('lead');
  return team;
}

describe('creating tasks', () => {
  test('all or none; names of the same call and numbers may be waited on; the answer lists what was made', async () => {
    const team = led({ tasks: [{ subject: 'first' }] });
    const made = await call(team, 'lead', 'team_task_create', {
      tasks: [
        { id: 'a', subject: 'two', blocked_by: [1] },
        { id: 'b', subject: 'three\nlines', blocked_by: ['a', '#1'], role: 'worker' },
      ],
    });
    expect(made).toEqual({ outcome: 'ok', text: 'Created:\n#2 (a): two\n#3 (b): three\\nlines' });
    expect([...team.task('#3').blockedBy]).toEqual(['#2', '#1']);
    const bad = await call(team, 'lead', 'team_task_create', {
      tasks: [{ subject: 'four' }, { subject: 'five', blocked_by: ['nothing'] }],
    });
    expect(bad).toMatchObject({ outcome: 'error', text: expect.stringContaining('unknown_task') });
    expect(team.state.tasks.size).toBe(3);
  });

  test('a misspelt field of a task is refused with its place and the right one: a lost dependency is no task', async () => {
    const team = led({ tasks: [{ subject: 'first' }] });
    expect(
      await call(team, 'lead', 'team_task_create', { tasks: [{ subject: 'two', blocked_bye: ['#1'] }] }),
    ).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('unknown argument "tasks.0.blocked_bye"; did you mean "blocked_by"?'),
    });
    expect(team.state.tasks.size).toBe(1);
  });

  test('numbers as names are those of the board, or are refused: no dependency lands on another task', async () => {
    const team = led();
    const tasks = [
      { id: '1', subject: 'one' },
      { id: '#2', subject: 'two', blocked_by: ['1'] },
    ];
    expect(await call(team, 'lead', 'team_task_create', { tasks })).toMatchObject({ outcome: 'ok' });
    expect([...team.task('#2').blockedBy]).toEqual(['#1']);
    expect(await call(team, 'lead', 'team_task_create', { tasks })).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('ambiguous_name: the task named 1 will be #3'),
    });
  });

  test('by another member is refused: the lead alone plans', async () => {
    const team = led({ tasks: [{ subject: 'first' }] });
    team.awake('worker');
    expect(await call(team, 'worker', 'team_task_create', { tasks: [{ subject: 'x' }] })).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('lead_only'),
    });
  });
});

test('a task is changed by number or by name, its dependencies by either', async () => {
  const team = led({
    tasks: [
      { key: 'one', subject: 'a' },
      { key: 'two', subject: 'b' },
    ],
  });
  expect(
    await call(team, 'lead', 'team_task_update', { task: 'two', subject: 'better', add_blocked_by: ['one'] }),
  ).toEqual({ outcome: 'ok', text: '#2 is changed.' });
  expect(team.task('#2').spec.subject).toBe('better');
  expect([...team.task('#2').blockedBy]).toEqual(['#1']);
  await call(team, 'lead', 'team_task_update', { task: 2, remove_blocked_by: ['one'] });
  expect([...team.task('#2').blockedBy]).toEqual([]);
  expect(await call(team, 'lead', 'team_task_update', { task: 'three' })).toMatchObject({ outcome: 'error' });
});

test('what a reopened task is to be told stands in its text: a detail would be lost, and that is said', async () => {
  const team = led({ tasks: [{ subject: 'a' }] });
  const update = (args: object) => call(team, 'lead', 'team_task_update', { task: 1, ...args });
  expect(await update({ status: 'failed', detail: 'no key' })).toEqual({
    outcome: 'ok',
    text: '#1 is changed.',
  });
  expect(await update({ status: 'pending', detail: 'use key A' })).toEqual({
    outcome: 'ok',
    text: '#1 is changed. What you wrote as detail reaches nobody: whoever takes it reads subject and description.',
  });
});

describe('members', () => {
  test('an on-demand role comes once; an unknown one is told with the nearest', async () => {
    const team = led({ seats: ['lead', { member: 'spare', on_demand: true }] });
    expect(await call(team, 'lead', 'team_spawn', { role: 'spare' })).toEqual({
      outcome: 'ok',
      text: 'spare is in the team.',
    });
    expect(await call(team, 'lead', 'team_spawn', { role: 'spare' })).toMatchObject({ outcome: 'error' });
    expect(await call(team, 'lead', 'team_spawn', { role: 'spaer' })).toMatchObject({
      text: expect.stringContaining('did you mean "spare"'),
    });
  });

  test('one that has failed is brought back to work', async () => {
    const team = led();
    team.mail('lead', 'worker');
    const turn = team.turn('worker');
    team.ok({
      kind: 'turn.fail',
      member: 'worker',
      turn,
      upto: `${turn}-0`,
      calls: 0,
      code: 'x',
      error: 'broken',
    });
    expect(await call(team, 'lead', 'team_spawn', { role: 'worker' })).toEqual({
      outcome: 'ok',
      text: 'worker takes turns again.',
    });
  });

  test('one is stopped once, and does not come back', async () => {
    const team = led();
    expect((await call(team, 'lead', 'team_stop_member', { member: 'worker', reason: 'enough' })).text).toBe(
      'worker is stopped.',
    );
    expect((await call(team, 'lead', 'team_spawn', { role: 'worker' })).outcome).toBe('error');
  });
});

describe('plans', () => {
  const planning = { seats: ['lead', { member: 'worker', plan_mode: true }] };

  function submitted(): { team: Team; digest: string } {
    const team = led(planning);
    team.mail('lead', 'worker');
    team.awake('worker');
    team.request('worker', { kind: 'plan', plan: 'first this, then that', digest: 'd1' });
    team.end('worker', { outcome: 'parked', request: 'r1' });
    return { team, digest: 'd1' };
  }

  test('are decided under the digest that was read, and under no other', async () => {
    const { team, digest } = submitted();
    const decide = (plan_digest: string) =>
      call(team, 'lead', 'team_plan_decide', { member: 'worker', plan_digest, decision: 'approve' });
    expect(await decide('d0')).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('digest_mismatch'),
    });
    expect(await decide(digest)).toEqual({ outcome: 'ok', text: 'worker may go on.' });
    expect(team.member('worker').plan.kind).toBe('approved');
  });

  test('a decision that is run again after a crash gives the same answer; one that comes too late is told so', async () => {
    const { team, digest } = submitted();
    const args = { member: 'worker', plan_digest: digest, decision: 'revise', feedback: 'more care' };
    const first = await call(team, 'lead', 'team_plan_decide', args, { place: 'p' });
    expect(first).toEqual({ outcome: 'ok', text: 'worker revises its plan.' });
    expect(await call(team, 'lead', 'team_plan_decide', args, { place: 'p' })).toEqual(first);
    expect(await call(team, 'lead', 'team_plan_decide', args)).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('already_decided'),
    });
    expect(team.facts('request.decided')).toHaveLength(1);
  });

  test('of a member that has none waiting are told so', async () => {
    const team = led(planning);
    expect(
      await call(team, 'lead', 'team_plan_decide', {
        member: 'worker',
        plan_digest: 'x',
        decision: 'approve',
      }),
    ).toEqual({ outcome: 'error', text: 'no_plan: worker has no plan that waits for a decision' });
  });
});

describe('calls that wait for a confirmation', () => {
  test('are decided under the digest that was read; the reason goes to the member', async () => {
    const team = led({ seats: ['lead', { member: 'worker', confirm_approver: 'lead' }] });
    team.mail('operator', 'worker');
    team.awake('worker');
    const request = team.park('worker', { digest: 'd1' });
    const decide = (digest: string) =>
      call(team, 'lead', 'team_request_decide', { request, digest, decision: 'deny', reason: 'not now' });
    expect(await decide('d0')).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('digest_mismatch'),
    });
    expect(await decide('d1')).toEqual({ outcome: 'ok', text: 'r1 is not run.' });
    expect(team.facts('request.decided')).toMatchObject([
      { request, decision: 'deny', text: 'not now', by: { kind: 'lead', name: 'lead' } },
    ]);
  });
});

describe('closing the team', () => {
  test('ends the turn when it is accepted, and only then', async () => {
    const team = led({ tasks: [{ subject: 'a' }] });
    const early = await call(team, 'lead', 'team_finish', { outcome: 'done', result: 'x' });
    expect(early).toMatchObject({ outcome: 'error', endsTurn: false, text: expect.stringContaining('#1') });
    await call(team, 'lead', 'team_task_update', { task: 1, status: 'cancelled', detail: 'no' });
    expect(await call(team, 'lead', 'team_finish', { outcome: 'done', result: 'x' })).toMatchObject({
      outcome: 'error',
      text: expect.stringContaining('not_done'),
    });
    expect(await call(team, 'lead', 'team_finish', { outcome: 'partial', result: 'x' })).toEqual({
      outcome: 'ok',
      text: 'The team is closed.',
      endsTurn: true,
    });
  });

  test('needs one of its three outcomes', async () => {
    expect(await call(led(), 'lead', 'team_finish', { outcome: 'finished', result: 'x' })).toMatchObject({
      outcome: 'error',
      text: expect.stringMatching(/"outcome": found "finished"; allowed: .*"done".*"partial".*"failed"/),
    });
  });
});
