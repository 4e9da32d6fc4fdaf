import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/team/command.js';
import {
  acceptance,
  briefOffer,
  delegated,
  delegating,
  ending,
  frozenEngineer,
  send,
} from '../../helpers/build-brief.js';
import { OPERATOR, Team } from '../../helpers/build-state.js';

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

const sending = (team: Team, more: Parameters<typeof briefOffer>[0] = {}): Of<'brief.send'> => ({
  kind: 'brief.send',
  sent: briefOffer(more),
  ...team.in('worker'),
});

describe('sending', () => {
  test('a member sends a brief for the attempt that it holds, and the record has all of it', () => {
    const team = delegating();
    const facts = team.ok(sending(team));
    expect(facts).toEqual([{ type: 'brief.sent', member: 'worker', ...briefOffer() }]);
    expect(team.task('#1')).toMatchObject({ brief: briefOffer().brief, state: { kind: 'claimed' } });
  });

  test('a ready task is claimed by the brief, in the same entry', () => {
    const team = Team.start({ engineer: frozenEngineer(), tasks: [{ role: 'worker' }] });
    team.awake('worker');
    expect(team.ok(sending(team)).map(({ type }) => type)).toEqual(['task.claimed', 'brief.sent']);
  });

  test('a second brief of the same attempt is its second offer, once the first has ended', () => {
    const { team, brief } = delegated();
    team.ok(ending(team.state, brief, { status: 'failed', cause: 'engineer_error' }));
    expect(team.refusal(sending(team))).toMatch(/^prepare_again: .*offer 1 .*the next is 2/);
    send(team, { offer: 2 });
    expect(team.task('#1').brief).toBe('team.t1.a1.o2');
  });

  test('the member that has delegated is free for other work and is not reminded of it', () => {
    const team = delegating({ tasks: [{ role: 'worker' }, { role: 'worker' }] });
    const brief = send(team);
    team.ok(acceptance(brief));
    team.end('worker', { calls: 2 });
    expect(team.facts('member.nudged')).toEqual([]);
    team.awake('worker');
    expect([...team.member('worker').offers]).toEqual(['#2']);
    team.claim('worker', '#2');
    team.ok(team.completion('worker', '#2'));
    team.end('worker', { calls: 1 });
    expect(team.due()).not.toContain('worker');
  });

  test('the whole that it may cost is reserved, and what does not fit is refused with the numbers, told once', () => {
    const team = delegating({
      limits: { cost_usd: 1.5 },
      tasks: [{ role: 'worker' }, { role: 'worker' }],
    });
    send(team, { cost_usd: 1 });
    const more = { task: '#2', cost_usd: 1 };
    expect(team.refusal(sending(team, more))).toMatch(
      /^limit: .*may cost 1 USD and 0.5 are left of 1.5 .*1 is reserved/,
    );
    expect(team.refusal(sending(team, more))).toMatch(/^limit: /);
    expect(team.facts('limit.reached')).toMatchObject([
      { limit: 'brief_cost_usd', value: 1, member: 'worker' },
    ]);
    expect(team.inbox('lead').filter((body) => body.includes('may cost'))).toHaveLength(1);
    expect(team.sweep()).toEqual([]); // The limit of the run itself was not met: for calls there is room.
    send(team, { task: '#2', cost_usd: 0.5 });
  });

  test('H176: three briefs of 0.50 share a cap of 1.25; the third leaves when one has given back what it did not use', () => {
    const tasks = [{ role: 'worker' }, { role: 'worker' }, { role: 'worker' }];
    const team = delegating({ limits: { cost_usd: 1.25 }, tasks });
    const first = send(team, { cost_usd: 0.5 });
    send(team, { task: '#2', cost_usd: 0.5 });
    expect(team.refusal(sending(team, { task: '#3', cost_usd: 0.5 }))).toMatch(
      /^limit: .*0.25 are left of 1.25/,
    );
    expect(team.task('#3').state.kind).toBe('pending');
    const used = { input_tokens: 1, cached_tokens: 0, output_tokens: 1, turns: 1, cost_usd: 0.2 };
    team.ok(ending(team.state, first, { usage: used }));
    send(team, { task: '#3', cost_usd: 0.5 });
    const { costUsd, reservedUsd } = team.state.budget;
    expect([costUsd, reservedUsd]).toEqual([0.2, 1]);
    expect((costUsd ?? 0) + reservedUsd).toBeLessThanOrEqual(1.25);
  });

  test('with a limit of costs it says the most that it may cost', () => {
    const team = delegating({ limits: { cost_usd: 1.5 } });
    expect(team.refusal(sending(team, { cost_usd: null }))).toMatch(/^cost_missing: .*1.5 USD/);
  });

  test.each([
    ['read-only', 'read-only', true],
    ['read-only', 'non-destructive', false],
    ['non-destructive', 'full', false],
    ['full', 'full', true],
  ] as const)('in a run of safety %s a brief of safety %s: %s', (floor, safety, taken) => {
    const team = delegating({ safety: floor });
    const answer = team.do(sending(team, { safety }));
    expect(answer.kind).toBe(taken ? 'accepted' : 'refused');
    if (answer.kind === 'refused') expect(answer.code).toBe('not_admitted');
  });

  test('before its plan is approved a member sends only briefs that read', () => {
    const team = delegating({ seats: ['lead', { member: 'worker', plan_mode: true }] });
    expect(team.refusal(sending(team))).toMatch(/^not_admitted: plan mode/);
    team.ok(sending(team, { safety: 'read-only' }));
  });

  test('a run that is being stopped sends none', () => {
    const team = delegating();
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'stop' });
    expect(team.refusal(sending(team))).toMatch(/^stopping: the run/);
  });
});

describe('a task with a brief that is out', () => {
  test('is not completed by its member; it is told to wait or to call it off', () => {
    const { team, brief } = delegated();
    expect(team.refusal(team.completion('worker', '#1'))).toBe(
      `brief_live: an engineer has #1: brief ${brief} (accepted); wait for its end, you are told of it, or call ` +
        `delegate_cancel {"brief":"${brief}"}`,
    );
  });

  test.each([
    ['release', { kind: 'task.release', task: '#1', attempt: 1, detail: 'no' }],
    ['block', { kind: 'task.block', task: '#1', attempt: 1, reason: 'needs_input', on: [], detail: 'no' }],
  ] as const)('%s calls the engineer off beside it', (_, word) => {
    const { team, brief } = delegated();
    const facts = team.ok({ ...word, on: [], ...team.in('worker') } as Command);
    expect(facts).toContainEqual(
      expect.objectContaining({ type: 'brief.cancel_requested', brief, by: 'worker', becomes: null }),
    );
  });

  test('given back, it is offered and claimed again only when its engineer is gone', () => {
    const { team, brief } = delegated({ seats: ['lead', 'worker', { member: 'other', role: 'worker' }] });
    team.ok({ kind: 'task.release', task: '#1', attempt: 1, detail: 'no', ...team.in('worker') });
    expect(team.due()).not.toContain('other');
    expect(team.refusal({ kind: 'task.claim', task: '#1', ...team.in('worker') })).toMatch(
      /^waiting: #1 waits for the end of brief/,
    );
    team.ok(ending(team.state, brief, { status: 'cancelled', head: null }));
    expect(team.due()).toContain('other');
  });

  test('a member that is stopped leaves it: the engineer is called off, and the lead hears how it ended', () => {
    const { team, brief } = delegated();
    team.ok({ kind: 'member.stop', by: OPERATOR, member: 'worker', reason: 'enough' });
    const facts = team.end('worker', { outcome: 'cancelled' });
    expect(facts.map(({ type }) => type)).toContain('brief.cancel_requested');
    team.ok(ending(team.state, brief));
    expect(team.inbox('lead').at(-1)).toMatch(
      /has ended: cancelled. Nothing of it counts: it was called off by operator\.[\s\S]*worker was stopped/,
    );
    expect(team.task('#1')).toMatchObject({ state: { kind: 'pending' }, delivered: null });
  });

  test('does not fail with a member that fails: it goes back, the others fail', () => {
    const { team, brief } = delegated({ tasks: [{ role: 'worker' }, { role: 'worker' }] });
    team.claim('worker', '#2');
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('worker') });
    expect(team.task('#1').state.kind).toBe('pending');
    expect(team.task('#2').state).toMatchObject({ kind: 'failed', cause: 'member_failed' });
    expect(team.state.briefs.get(brief)?.status).toMatchObject({ kind: 'cancelling', by: 'runtime' });
    expect(team.inbox('lead').at(-1)).toContain('Failed with it: #2. Back on the board: #1.');
  });

  test.each(['cancelled', 'failed'] as const)(
    'that is to be %s becomes so when its brief has ended',
    (status) => {
      const { team, brief } = delegated({
        tasks: [
          { key: 'a', role: 'worker' },
          { role: 'worker', blocked_by: ['a'], upstream: 'fail' },
        ],
      });
      team.ok(team.update('#1', { status, detail: 'not needed' }));
      expect(team.task('#1').state.kind).toBe('claimed');
      expect(team.task('#2').state.kind).toBe('pending');
      expect(team.refusal(team.update('#1', { status: 'cancelled' }))).toMatch(/^being_ended: #1 becomes/);
      team.ok(ending(team.state, brief));
      expect(team.task('#1').state).toMatchObject({ kind: status, detail: 'not needed' });
      expect(team.task('#2').state.kind).toBe('failed');
      expect(team.inbox('worker').at(-1)).toContain(`With it #1 is ${status}, by the word of operator`);
    },
  );

  test('a word that ends it is kept when its attempt is over before its brief', () => {
    const { team, brief } = delegated();
    team.ok({
      kind: 'task.block',
      task: '#1',
      attempt: 1,
      reason: 'limit',
      on: [],
      detail: '',
      ...team.in('worker'),
    });
    team.ok(team.update('#1', { status: 'cancelled' }));
    expect(team.refusal(team.update('#1', { status: 'pending' }))).toMatch(/^being_ended/);
    team.ok({ kind: 'brief.lose', brief, detail: 'its runner is gone', again: null });
    expect(team.task('#1').state.kind).toBe('cancelled');
  });

  test('of what it waits on: it fails with that only when its brief has ended', () => {
    const { team, brief } = delegated({
      tasks: [{ role: 'worker', upstream: 'fail' }, { key: 'b' }],
    });
    team.ok({
      kind: 'task.block',
      task: '#1',
      attempt: 1,
      reason: 'needs_input',
      on: ['#2'],
      detail: '',
      ...team.in('worker'),
    });
    team.ok(team.update('#2', { status: 'failed' }));
    expect(team.task('#1').state.kind).toBe('pending');
    team.sweep();
    expect(team.task('#1').state.kind).toBe('pending');
    team.ok(ending(team.state, brief));
    team.sweep();
    expect(team.task('#1').state).toMatchObject({ kind: 'failed', cause: 'upstream_failed' });
  });
});

describe('calling off', () => {
  const cancel = (brief: string, by: Of<'brief.cancel'>['by'] = OPERATOR): Command => ({
    kind: 'brief.cancel',
    by,
    brief,
    reason: 'enough',
  });

  test('G166: the member, the lead and the operator may; it is cancelling until its runner has confirmed', () => {
    for (const who of ['worker', 'lead', 'operator']) {
      const { team, brief } = delegated();
      team.ok(cancel(brief, who === 'operator' ? OPERATOR : team.by(who)));
      expect(team.state.briefs.get(brief)?.status).toMatchObject({ kind: 'cancelling', by: who });
      expect(team.task('#1').state.kind).toBe('claimed');
      team.ok(ending(team.state, brief, { status: 'cancelled', head: null }));
      expect(team.task('#1')).toMatchObject({ brief: null, state: { kind: 'claimed', member: 'worker' } });
    }
  });

  test('nobody else may; said twice it is said once; one that has ended is over', () => {
    const { team, brief } = delegated({ seats: ['lead', 'worker', 'reviewer'] });
    team.mail('operator', 'reviewer');
    team.awake('reviewer');
    expect(team.refusal(cancel(brief, team.by('reviewer')))).toMatch(/^not_yours: .*of worker.*\(lead\)/);
    expect(team.refusal(cancel('none'))).toBe(`unknown_brief: no brief none was sent; out are ${brief}`);
    team.ok(cancel(brief));
    expect(team.ok(cancel(brief))).toEqual([]);
    team.ok(ending(team.state, brief));
    expect(team.refusal(cancel(brief))).toBe(`brief_over: brief ${brief} has ended: cancelled`);
  });
});

describe('the end of a run', () => {
  test('does not come while a brief is out: nothing is stalled, and the lead cannot close the team', () => {
    const { team, brief } = delegated();
    team.end('worker', { calls: 1 });
    expect(team.refusal({ kind: 'run.finish', outcome: 'partial', result: '', ...team.in('lead') })).toMatch(
      new RegExp(`still_open: .*#1 \\(claimed\\), ${brief} \\(brief of #1, running\\)`),
    );
    team.end('lead');
    if (team.due().includes('lead')) team.idles('lead');
    expect(team.due()).toEqual([]);
    for (let times = 0; times < 5; times++) expect(team.sweep()).toEqual([]);
    team.ok(ending(team.state, brief));
    expect(team.due()).toEqual(['worker']);
  });

  test('by a stop calls every engineer off and comes when the last has confirmed', () => {
    const { team, brief } = delegated();
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    expect(team.state.briefs.get(brief)?.status.kind).toBe('cancelling');
    team.end('worker', { outcome: 'cancelled' });
    team.end('lead', { outcome: 'cancelled' });
    expect(team.sweep()).toEqual([]);
    team.ok(ending(team.state, brief, { status: 'cancelled', head: null }));
    expect(team.sweep()).toMatchObject([{ type: 'run.ended', reason: 'cancelled' }]);
    team.resume();
    expect(team.due()).toContain('worker'); // It holds #1 still, and reads how the brief ended.
  });

  test('by the second word waits for nothing; what was left is found by the resume', () => {
    const { team, brief } = delegated();
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    team.ok({ kind: 'run.kill', by: 'operator' });
    expect(team.sweep()).toMatchObject([{ type: 'run.ended', reason: 'cancelled' }]);
    team.resume();
    expect(team.state.briefs.get(brief)?.status.kind).toBe('cancelling');
    team.ok({ kind: 'brief.lose', brief, detail: 'no process of it is left', again: null });
    expect(team.facts('brief.ended')).toMatchObject([{ status: 'cancelled', cause: 'lost' }]);
    expect(team.task('#1').state.kind).toBe('claimed');
  });

  test('that was archived first: a brief that nobody took up again is lost', () => {
    const { team } = delegated();
    team.ok({ kind: 'run.fail', cause: 'error', detail: 'away' });
    const facts = team.ok({ kind: 'run.archive', by: 'operator' });
    expect(facts.map(({ type }) => type).slice(-2)).toEqual(['brief.ended', 'run.archived']);
    expect(team.facts('brief.ended')).toMatchObject([{ status: 'lost', estimated: true }]);
    expect(team.state.budget).toMatchObject({ reservedUsd: 0, underWay: 0, costUsd: 1 });
  });

  test.each([
    ['deadline', { limits: { wall_minutes: 1 } }],
    ['failed', {}],
  ] as const)('as %s calls the engineers off first', (reason, options) => {
    const { team, brief } = delegated(options);
    team.end('worker', { calls: 1 });
    if (reason === 'failed')
      team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('lead') });
    else team.end('lead');
    team.now = 60_000;
    expect(team.sweep()).toMatchObject([{ type: 'brief.cancel_requested', brief, by: 'runtime' }]);
    expect(team.sweep()).toEqual([]);
    team.ok(ending(team.state, brief, { status: 'cancelled', head: null }));
    expect(team.sweep().at(-1)).toMatchObject({ type: 'run.ended', reason });
  });
});

test('a member that waits for money is woken when the brief that has reserved it has ended', () => {
  const { team, brief } = delegated({ limits: { cost_usd: 1.2 } });
  const wish = {
    model: 'script/test.yaml',
    inputTokens: 10,
    outputTokens: 10,
    leastOutputTokens: 1,
    priced: { inputUsd: 0.25, outputUsd: 0.05 },
  };
  const reserve: Command = { kind: 'budget.reserve', wish, recordBytes: 0, ...team.in('lead') };
  expect(team.refusal(reserve)).toMatch(/^no_room/);
  const need = { tokens: 20, cost_usd: 0.3 };
  team.ok({ ...team.waiting('lead', { why: 'budget', waitMs: 0, asked: false }), need });
  expect(team.due()).not.toContain('lead');
  team.ok(ending(team.state, brief));
  expect(team.due()).toContain('lead');
});
