import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/team/command.js';
import { aCall, OPERATOR } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

describe('a turn starts', () => {
  test('with the cause that made the member due and the offer that waits for it', () => {
    const team = Team.start({ tasks: [{ subject: 'dig', acceptance: ['deep'], gates: ['lead'] }] });
    const created = 4;
    team.turn('worker');
    expect(team.facts('turn.started')).toMatchObject([{ member: 'worker', cause: created, attempt: 1 }]);
    const [offer = ''] = team.inbox('worker');
    for (const word of ['#1', 'team_task_claim', 'dig', '- deep', 'Reviewed by: lead'])
      expect(offer).toContain(word);
  });

  test('once for each cause: a doubled job does no harm', () => {
    const team = Team.start();
    team.idles('lead');
    const turns = team.state.budget.turns;
    expect(team.refusal({ kind: 'turn.start', member: 'lead', cause: 4 })).toMatch(/^not_due/);
    expect(team.state.budget.turns).toBe(turns);
  });

  test('not for a member whose role allows no more: it has failed, and the lead is told, when it is due again', () => {
    const team = Team.start({ seats: ['lead', { member: 'worker', max_turns: 1 }] });
    team.idles('lead');
    team.mail('operator', 'worker');
    team.idles('worker');
    team.idles('lead');
    const stale: Command = { kind: 'turn.start', member: 'worker', cause: 1 };
    expect(team.refusal(stale)).toMatch(/^not_due/);
    team.mail('operator', 'worker');
    expect(team.ok(stale).map((fact) => fact.type)).toEqual(['member.failed', 'mail.sent']);
    expect(team.inbox('lead')[0]).toContain('the role allows 1 turns');
    expect(team.refusal(stale)).toMatch(/^not_due/);
  });

  test('of one member with an exclusive workspace at a time; the other is due still', () => {
    const exclusive = { exclusive_workspace: true };
    const team = Team.start({
      seats: ['lead', { member: 'one', ...exclusive }, { member: 'two', ...exclusive }],
    });
    team.mail('operator', 'all');
    expect(team.due()).toEqual(['lead', 'one']);
    team.awake('one');
    team.ok({ kind: 'turn.start', member: 'two', cause: 0 });
    expect(team.facts('turn.deferred')).toMatchObject([{ member: 'two', behind: 'one' }]);
    expect(team.due()).toEqual(['lead']);
    team.end('one');
    expect(team.due()).toEqual(['lead', 'two']);
  });
});

describe('a model call', () => {
  test('is set against the limits before it is made, and books what it cost after', () => {
    const team = Team.start({ limits: { model_calls: 1 } });
    team.awake('lead');
    expect(team.state.budget).toMatchObject({ modelCalls: 1, inputTokens: 80, outputTokens: 20, costUsd: 0 });
    expect(team.refusal({ kind: 'budget.reserve', ...aCall(1), ...team.in('lead') })).toMatch(
      /^limit: .*model_calls/,
    );
  });

  test('of the last turn that the limit admits is made', () => {
    const team = Team.start({ limits: { turns: 1 } });
    team.awake('lead');
    team.end('lead');
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([
      { reason: 'budget', exit: 5, detail: 'limit turns = 1 reached: 1' },
    ]);
  });

  test('of unknown cost makes the cost unknown', () => {
    const team = Team.start();
    team.turn('lead');
    const settle = {
      kind: 'reply.settle',
      model: 'a/b',
      inputTokens: 1,
      cachedTokens: 1,
      outputTokens: 1,
    } as const;
    team.ok({ ...settle, costUsd: 2, delivered: [], suppressed: [], ...team.in('lead') });
    expect(team.state.budget.costUsd).toBe(2);
    team.ok({ ...settle, costUsd: null, delivered: [], suppressed: [], ...team.in('lead') });
    expect(team.state.budget.costUsd).toBeNull();
  });

  test('delivers what its input held and no more, says how long it waited, and counts what was not put in twice', () => {
    const team = Team.start();
    team.mail('operator', 'lead', 'one');
    team.now = 1_500;
    team.turn('lead');
    const [prompt = '', one = ''] = team.member('lead').unread;
    const settle = {
      kind: 'reply.settle',
      model: 'a/b',
      inputTokens: 1,
      cachedTokens: 0,
      outputTokens: 1,
    } as const;
    team.ok({ ...settle, costUsd: 0, delivered: [prompt, 'm99'], suppressed: [prompt], ...team.in('lead') });
    expect(team.facts('mail.delivered')).toMatchObject([
      { member: 'lead', messages: [{ id: prompt, waited_ms: 1_500 }], suppressed: [prompt] },
    ]);
    expect(team.member('lead').unread).toEqual([one]);
    expect(team.state.counts).toMatchObject({ delivered: 1, suppressed: 1 });
  });
});

describe('a call with an effect', () => {
  const start = (team: Team, request: string | null, place = '1-1.0'): Command => ({
    kind: 'tool.start',
    place,
    tool: 'shell_exec',
    class: 'write',
    digest: 'exactly this',
    request,
    ...team.in('lead'),
  });

  test('uses its approval up when it starts', () => {
    const team = Team.start();
    team.awake('lead');
    const request = team.park('lead', { digest: 'exactly this' });
    team.ok({ kind: 'request.decide', by: OPERATOR, request, decision: 'approve', text: null, digest: null });
    team.awake('lead');
    team.ok(start(team, request));
    expect(team.state.requests.get(request)?.status).toMatchObject({ decision: 'approve', used: true });
    expect(team.refusal(start(team, request, '1-2.0'))).toMatch(/^approval_used/);
  });

  test('is not started by a denial, and not by the approval of another member', () => {
    const team = Team.start();
    team.mail('operator', 'worker');
    team.awake('worker');
    team.awake('lead');
    const other = team.request('worker', { digest: 'exactly this' });
    team.ok({
      kind: 'request.decide',
      by: OPERATOR,
      request: other,
      decision: 'approve',
      text: null,
      digest: null,
    });
    expect(team.refusal(start(team, other))).toMatch(/^digest_mismatch/);
    const own = team.request('lead', { digest: 'exactly this' });
    team.ok({
      kind: 'request.decide',
      by: OPERATOR,
      request: own,
      decision: 'deny',
      text: null,
      digest: null,
    });
    expect(team.refusal(start(team, own))).toMatch(/^not_approved/);
  });

  test('stays known as started over parks and crashes until the turn ends', () => {
    const team = Team.start();
    team.awake('lead');
    team.ok(start(team, null));
    const request = team.park('lead');
    expect(team.member('lead').started.has('1-1.0')).toBe(true);
    team.ok({ kind: 'request.decide', by: OPERATOR, request, decision: 'approve', text: null, digest: null });
    team.turn('lead');
    team.resume();
    team.turn('lead');
    expect(team.member('lead').started.has('1-1.0')).toBe(true);
    expect(team.refusal(start(team, null))).toMatch(/^already_started/);
    team.end('lead', { calls: 1 });
    expect(team.member('lead').started.size).toBe(0);
  });
});
