import { describe, expect, test } from 'vitest';
import { OPERATOR } from '../../helpers/build-start.js';
import { Team } from '../../helpers/build-state.js';

const stop = (member: string) => ({ kind: 'member.stop', by: OPERATOR, member, reason: 'enough' }) as const;

describe('bringing a member', () => {
  test('an on-demand role is spawned by the lead, and takes the task that waited for it', () => {
    const team = Team.start({
      seats: ['lead', { member: 'helper', on_demand: true }],
      tasks: [{ role: 'helper' }],
    });
    team.idles('lead');
    expect(team.due()).toEqual([]);
    team.sweep();
    expect(team.inbox('lead')[0]).toContain(
      '#1: nobody of role helper can take it (bring one with team_spawn',
    );
    team.awake('lead');
    team.ok({ kind: 'member.spawn', by: team.by('lead'), role: 'helper' });
    expect(team.due()).toEqual(['helper']);
  });

  test('an errored member comes back to the same seat with its mail, and is due', () => {
    const team = Team.start();
    team.idles('lead');
    team.mail('operator', 'worker', 'first');
    team.turn('worker');
    team.ok({ kind: 'turn.fail', upto: '', calls: 0, code: 'model', error: 'gone', ...team.in('worker') });
    team.mail('operator', 'worker', 'second');
    expect(team.due()).toEqual(['lead']);
    team.awake('lead');
    team.ok({ kind: 'member.spawn', by: team.by('lead'), role: 'worker' });
    expect(team.due()).toEqual(['worker']);
    team.turn('worker');
    expect(team.inbox('worker')).toEqual(['first', 'second']);
    expect(team.facts('member.spawned')).toHaveLength(2);
  });

  test('stopping one makes room for another', () => {
    const seats = ['lead', 'worker', { member: 'helper', on_demand: true }];
    const team = Team.start({ seats, limits: { members: 2 } });
    const spawn = { kind: 'member.spawn', by: OPERATOR, role: 'helper' } as const;
    expect(team.refusal(spawn)).toMatch(/^limit/);
    team.ok(stop('worker'));
    team.ok(spawn);
    expect(team.member('helper').life.kind).toBe('idle');
  });
});

describe('stopping a member', () => {
  test('gives its tasks back, withdraws its requests, and bounces its mail to each sender who can read', () => {
    const team = Team.start({ seats: ['lead', 'worker', 'other'], tasks: [{ role: 'worker' }] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.mail('operator', 'other');
    team.awake('other');
    team.mail('other', 'worker', 'are you there?');
    team.mail('operator', 'worker', 'and you?');
    team.park('worker');
    team.ok(stop('worker'));
    expect(team.task('#1')).toMatchObject({ offer: null, state: { kind: 'pending' } });
    expect(team.state.requests.get('r1')?.status).toMatchObject({
      kind: 'withdrawn',
      reason: 'worker was stopped',
    });
    expect(team.facts('mail.dead')).toMatchObject([{ from: 'other' }, { from: 'operator' }]);
    expect(team.inbox('other')).toHaveLength(1);
    expect(team.inbox('other')[0]).toContain('worker was stopped');
    expect(team.member('worker')).toMatchObject({ unread: [], life: { kind: 'stopped', by: 'operator' } });
  });

  test('waits for the end of its live turn; after that nothing of it counts any more', () => {
    const team = Team.start({ tasks: [{}] });
    team.awake('worker');
    const end = team.ending('worker');
    team.ok(stop('worker'));
    expect(team.member('worker').life.kind).toBe('working');
    team.ok(end);
    expect(team.member('worker').life.kind).toBe('stopped');
    expect(team.refusal(end)).toMatch(/^stale_turn: .*it is stopped/);
    expect(team.refusal({ kind: 'turn.start', member: 'worker', cause: 1 })).toMatch(/^not_due/);
    expect(team.due()).toEqual(['lead']);
  });

  test('does not tell the lead what it did itself', () => {
    const team = Team.start();
    team.awake('lead');
    const facts = team.ok({ ...stop('worker'), by: team.by('lead') });
    expect(facts.map((fact) => fact.type)).toEqual(['member.stopped']);
  });
});

describe('closing the team', () => {
  const finish = (team: Team, outcome: 'done' | 'partial' | 'failed') =>
    ({ kind: 'run.finish', outcome, result: 'the result', ...team.in('lead') }) as const;

  test('is refused while anything is open, with all of it listed', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }, {}] });
    team.awake('worker');
    team.claim('worker', '#1');
    team.park('worker', { kind: 'question' });
    team.awake('lead');
    for (const outcome of ['done', 'partial', 'failed'] as const) {
      const refusal = team.refusal(finish(team, outcome));
      expect(refusal).toContain('open: #1 (claimed), #2 (pending), r1 (question of worker)');
    }
  });

  test.each([
    ['done', 0, null],
    ['partial', 3, null],
    ['failed', 1, 'lead'],
  ] as const)('as %s ends the run with exit %i', (outcome, exit, cause) => {
    const team = Team.start();
    team.awake('lead');
    team.ok(finish(team, outcome));
    team.end('lead');
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([
      { reason: outcome, exit, cause, result: 'the result', closed_by: 'lead' },
    ]);
  });

  test('as done or partial is unverified when a required task has no result', () => {
    for (const demand of [{ required: true }, { artifacts: ['report.md'] }]) {
      const team = Team.start({ tasks: [demand] });
      team.ok(team.update('#1', { status: 'cancelled' }));
      team.awake('lead');
      team.ok(finish(team, 'partial'));
      team.end('lead');
      team.sweep();
      expect(team.facts('run.ended')).toMatchObject([
        { reason: 'unverified', exit: 8, detail: 'no result of #1' },
      ]);
    }
  });
});

describe('a member whose texts must not be used any more', () => {
  const withdraw = (member: string) =>
    ({
      kind: 'member.withdraw',
      member,
      cause: 'approval_revoked',
      omitted: { entry: 'k8s', reason: 'trust' },
      reason: 'skill k8s was revoked',
    }) as const;

  test('stops in the middle of its turn, for good, and the lead is told why', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.idles('lead');
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok(withdraw('worker'));
    expect(team.task('#1').state.kind).toBe('claimed');
    team.end('worker');
    expect(team.member('worker').life.kind).toBe('stopped');
    expect(team.task('#1').state.kind).toBe('pending');
    expect(team.inbox('lead').at(-1)).toBe(
      'worker was stopped: skill k8s was revoked. Give its tasks to another role. Back on the board: #1.',
    );
    expect(team.facts('entry.omitted')).toEqual([
      {
        type: 'entry.omitted',
        member: 'worker',
        entry: 'k8s',
        reason: 'trust',
        detail: 'skill k8s was revoked',
      },
    ]);
    expect(team.due()).toEqual(['lead']);
    expect(team.refusal({ kind: 'member.spawn', by: OPERATOR, role: 'worker' })).toMatch(/^stopped/);
    expect(team.ok(withdraw('worker'))).toEqual([]);
  });

  test('takes the run with it when it leads: failed, by that cause, the reason said', () => {
    const team = Team.start();
    team.awake('lead');
    team.ok(withdraw('lead'));
    expect(team.facts('run.ended')).toMatchObject([
      {
        reason: 'failed',
        exit: 1,
        cause: 'approval_revoked',
        closed_by: 'runtime',
        detail: 'lead leads the team and cannot go on: skill k8s was revoked',
      },
    ]);
    expect(team.refusal(withdraw('worker'))).toMatch(/^ended/);
  });

  test('nobody else is withdrawn by mistake', () => {
    expect(Team.start().refusal(withdraw('wroker'))).toMatch(/^unknown_member/);
  });
});
