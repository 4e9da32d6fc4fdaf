import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/team/command.js';
import { OPERATOR } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

function planner(approver: 'lead' | 'operator' = 'lead'): Team {
  const team = Team.start({
    seats: ['lead', { member: 'worker', plan_mode: true, plan_approver: approver }],
  });
  team.idles('lead');
  team.mail('operator', 'worker');
  team.awake('worker');
  return team;
}

const decide = (
  request: string,
  decision: 'approve' | 'revise' | 'deny',
  digest: string | null = null,
): Command => ({
  kind: 'request.decide',
  by: OPERATOR,
  request,
  decision,
  text: 'because',
  digest,
});

const status = (team: Team, request: string): string | undefined =>
  team.state.requests.get(request)?.status.kind;

describe('a request', () => {
  test('is decided once, about exactly what its digest names', () => {
    const team = Team.start();
    team.awake('lead');
    const request = team.park('lead', { digest: 'this call' });
    expect(team.refusal(decide(request, 'approve', 'another call'))).toMatch(/^digest_mismatch/);
    team.ok(decide(request, 'approve', 'this call'));
    expect(team.refusal(decide(request, 'deny'))).toMatch(/^already_decided/);
    expect(team.facts('request.decided')).toHaveLength(1);
  });

  test('may be answered by a rule at once, in the same entry', () => {
    const team = Team.start();
    team.awake('lead');
    const by = { kind: 'policy', name: 'rule of recipe' } as const;
    const facts = team.ok(team.opening('lead', { decided: { decision: 'approve', by } }));
    expect(facts.map((fact) => fact.type)).toEqual(['request.opened', 'request.decided']);
    expect(team.state.requests.get('r1')?.status).toMatchObject({ decision: 'approve', by, used: false });
  });

  test('expires in its own time, which is no denial, and wakes who waits', () => {
    const team = Team.start({ request_timeout_ms: 1_000 });
    team.now = 500;
    team.awake('lead');
    const request = team.park('lead');
    team.now = 1_499;
    expect(team.sweep(true)).toEqual([]);
    team.now = 1_500;
    team.sweep(true);
    expect(status(team, request)).toBe('expired');
    expect(team.due()).toEqual(['lead']);
    expect(team.refusal(decide(request, 'approve'))).toMatch(
      /^expired: r1 expired at 1 s of the run, 1 s after it was asked: the call was not run and will not be/,
    );
    expect(team.facts('request.decided')).toEqual([]);
  });

  test('whose time is up takes no word, also before anybody has looked; that it is expired is written down', () => {
    const team = Team.start({ request_timeout_ms: 1_000 });
    team.awake('lead');
    const request = team.park('lead');
    team.now = 1_000;
    expect(team.refusal(decide(request, 'approve'))).toMatch(/^expired: r1 expired at 1 s of the run/);
    expect(status(team, request)).toBe('expired');
    expect(team.facts('request.expired')).toHaveLength(1);
    expect(team.due()).toEqual(['lead']);
    team.sweep(true);
    expect(team.facts('request.expired')).toHaveLength(1);
  });

  test('does not expire while the operator is at the terminal without a timeout', () => {
    const team = Team.start();
    team.awake('lead');
    const request = team.park('lead');
    team.now = 1e6;
    expect(team.sweep(true)).toEqual([]);
    expect(status(team, request)).toBe('open');
  });

  test('of two, one decided wakes its asker, which may wait for the other', () => {
    const team = Team.start();
    team.awake('lead');
    const first = team.request('lead', { place: '5-1.0' });
    const second = team.request('lead', { place: '5-1.1' });
    team.end('lead', { outcome: 'parked', request: first, calls: 1 });
    team.ok(decide(second, 'deny'));
    expect(team.due()).toEqual([]);
    team.ok(decide(first, 'approve'));
    expect(team.due()).toEqual(['lead']);
  });
});

/** A lead and a worker whose calls of class Write the lead may confirm; the worker has a turn. */
function confirmed(options: Parameters<typeof Team.start>[0] = {}): Team {
  const team = Team.start({ seats: ['lead', { member: 'worker', confirm_approver: 'lead' }], ...options });
  team.idles('lead');
  team.mail('operator', 'worker');
  team.awake('worker');
  return team;
}

describe('a confirmation', () => {
  test('of class Write is the lead to give where the seat says so, and the lead is told all of it', () => {
    const team = confirmed();
    const request = team.park('worker', { digest: 'one', arguments: '{"command":"make"}' });
    expect(team.state.requests.get(request)?.principals).toEqual(['lead', 'operator']);
    const told = team.inbox('lead').at(-1);
    expect(told).toContain('worker wants to call shell_exec (class write) and waits for a word (r1).');
    expect(told).toContain('"digest":"one"');
    expect(told).toMatch(/<<arguments r1 by worker ~[0-9a-f]{12}\n\{"command":"make"\}\n~[0-9a-f]{12}>>/);
    team.awake('lead');
    const by = team.by('lead');
    expect(team.refusal({ ...decide(request, 'approve', 'two'), by } as Command)).toMatch(/^digest_mismatch/);
    team.ok({ ...decide(request, 'approve', 'one'), by } as Command);
    expect(team.facts('request.decided')).toMatchObject([
      { decision: 'approve', by: { kind: 'lead', name: 'lead' } },
    ]);
    expect(team.due()).toEqual(['worker']);
  });

  test.each([
    ['of class Destructive', { class: 'destructive' as const }],
    ['of class Read', { class: 'read' as const }],
    ['of a write into an agent folder', { operatorConfirms: true as const }],
    ['with more arguments than a message shows whole', { arguments: 'x'.repeat(33 * 1024) }],
  ])('%s is the operator to give, and the lead gets no mail about it', (_, how) => {
    const team = confirmed();
    const request = team.park('worker', how);
    expect(team.state.requests.get(request)?.principals).toEqual(['operator']);
    expect(team.member('lead').unread).toEqual([]);
    team.mail('operator', 'lead');
    team.awake('lead');
    const { digest = '' } = team.state.requests.get(request) ?? {};
    expect(team.refusal({ ...decide(request, 'approve', digest), by: team.by('lead') } as Command)).toMatch(
      /^not_a_principal/,
    );
  });

  test('is not the lead to give for itself, nor where the seat says nothing', () => {
    const own = Team.start({ seats: [{ member: 'lead', confirm_approver: 'lead' }] });
    own.awake('lead');
    expect(own.state.requests.get(own.request('lead'))?.principals).toEqual(['operator']);
    const other = confirmed({ seats: ['lead', 'worker'] });
    expect(other.state.requests.get(other.park('worker'))?.principals).toEqual(['operator']);
  });

  test('that a rule has answered is not told to the lead', () => {
    const team = confirmed();
    const by = { kind: 'policy', name: 'rule of recipe' } as const;
    team.ok(team.opening('worker', { decided: { decision: 'approve', by } }));
    expect(team.member('lead').unread).toEqual([]);
  });

  test('decided by the operator is told to the lead, who was asked', () => {
    const team = confirmed();
    team.ok(decide(team.park('worker'), 'deny'));
    expect(team.inbox('lead').at(-1)).toBe('The operator has decided r1 of worker: deny.');
  });
});

describe('always', () => {
  const always = (request: string): Command =>
    ({ ...decide(request, 'approve'), decision: 'always' }) as Command;

  test('approves the call and allows its asker the pattern, in one entry', () => {
    const team = confirmed();
    const request = team.park('worker', { always: 'git push' });
    const facts = team.ok(always(request));
    expect(facts.slice(0, 2)).toMatchObject([
      { type: 'request.decided', decision: 'approve' },
      { type: 'permission.granted', member: 'worker', tool: 'shell_exec', match: 'git push', request },
    ]);
    expect(team.member('worker').granted).toEqual([
      { tool: 'shell_exec', match: 'git push', decision: 'allow', origin: 'operator: always (r1)' },
    ]);
    expect(team.member('lead').granted).toEqual([]);
    team.resume();
    expect(team.member('worker').granted).toHaveLength(1);
  });

  test('may be said while the team is stopped: what it allows waits for the resume, like the call', () => {
    const team = confirmed();
    const request = team.park('worker', { always: 'git push' });
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    team.sweep();
    expect(team.state.phase).toMatchObject({ kind: 'ended', reason: 'cancelled' });
    team.ok(always(request));
    team.resume();
    expect(team.member('worker').granted).toMatchObject([{ match: 'git push' }]);
  });

  test.each([
    ['a Destructive call', { class: 'destructive' as const, always: 'git push' }, 'confirmed each time'],
    ['a question', { kind: 'question' as const }, 'a question is decided each time'],
    ['a call that no pattern was offered for', {}, 'no pattern is offered'],
  ])('is refused of %s, with the reason, and decides nothing', (_, how, why) => {
    const team = confirmed();
    const request = team.park('worker', how);
    expect(team.refusal(always(request))).toMatch(new RegExp(`^no_always: .*${why}`));
    expect(status(team, request)).toBe('open');
  });

  test('is not the lead to say', () => {
    const team = confirmed();
    const request = team.park('worker', { always: 'git push', digest: 'one' });
    team.awake('lead');
    expect(team.refusal({ ...always(request), digest: 'one', by: team.by('lead') } as Command)).toMatch(
      /^no_always: .*only the operator may say it/,
    );
  });
});

describe('a plan', () => {
  test('is the lead to decide, by the digest it saw; the operator may always', () => {
    const team = planner();
    const request = team.park('worker', { kind: 'plan', plan: 'step by step', digest: 'one' });
    expect(team.member('worker').plan).toMatchObject({ kind: 'pending', version: 1, digest: 'one' });
    expect(team.inbox('lead').at(-1)).toContain('"plan_digest":"one"');
    team.awake('lead');
    team.ok({ ...decide(request, 'approve', 'one'), by: team.by('lead') } as Command);
    expect(team.member('worker').plan).toEqual({ kind: 'approved', version: 1, digest: 'one' });
    expect(team.facts('plan.decided')).toMatchObject([
      { version: 1, decision: 'approve', by: { kind: 'lead', name: 'lead' } },
    ]);
  });

  test('decided by the operator is told to the lead, who was asked', () => {
    const team = planner();
    const request = team.park('worker', { kind: 'plan', plan: 'step by step' });
    team.ok(decide(request, 'revise'));
    expect(team.inbox('lead').at(-1)).toBe('The operator has decided the plan of worker: revise.');
    expect(team.member('worker').plan).toEqual({ kind: 'required', version: 1 });
  });

  test('is not for the lead where the seat names the operator', () => {
    const team = planner('operator');
    const mail = team.facts('mail.sent').length;
    const request = team.park('worker', { kind: 'plan', plan: 'step by step' });
    expect(team.facts('mail.sent')).toHaveLength(mail);
    team.mail('operator', 'lead');
    team.awake('lead');
    expect(team.refusal({ ...decide(request, 'approve'), by: team.by('lead') } as Command)).toMatch(
      /^not_a_principal/,
    );
  });

  test('of the lead itself is for the operator, and the lead gets no mail about it', () => {
    const team = Team.start({ seats: [{ member: 'lead', plan_mode: true }] });
    team.awake('lead');
    const request = team.request('lead', { kind: 'plan', plan: 'step by step' });
    expect(team.state.requests.get(request)?.principals).toEqual(['operator']);
    expect(team.member('lead').unread).toEqual([]);
    expect(team.refusal({ ...decide(request, 'approve'), by: team.by('lead') } as Command)).toMatch(
      /^not_a_principal/,
    );
  });

  test('in a newer version takes the place of the one that waits, within the limit of open requests', () => {
    const team = Team.start({
      seats: ['lead', { member: 'worker', plan_mode: true }],
      limits: { open_requests: 1 },
    });
    team.mail('operator', 'worker');
    team.awake('worker');
    const first = team.request('worker', { kind: 'plan', plan: 'one', place: '1-1.0' });
    const second = team.request('worker', { kind: 'plan', plan: 'two', place: '1-1.1' });
    expect(status(team, first)).toBe('withdrawn');
    expect(team.member('worker').plan).toMatchObject({
      kind: 'pending',
      version: 2,
      text: 'two',
      request: second,
    });
    expect(team.refusal(decide(first, 'approve'))).toMatch(/^withdrawn/);
    team.ok(decide(second, 'approve'));
    expect(team.member('worker').plan).toMatchObject({ kind: 'approved', version: 2 });
  });

  test('that has expired is wanted again', () => {
    const team = Team.start({
      seats: ['lead', { member: 'worker', plan_mode: true }],
      request_timeout_ms: 1_000,
    });
    team.mail('operator', 'worker');
    team.awake('worker');
    team.park('worker', { kind: 'plan', plan: 'one' });
    team.now = 2_000;
    team.sweep();
    expect(team.member('worker').plan).toEqual({ kind: 'required', version: 1 });
    expect(team.due()).toContain('worker');
  });
});
