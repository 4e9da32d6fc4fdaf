import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../src/events/event.js';
import type { Command } from '../../../src/team/command.js';
import { aCall, OPERATOR } from '../../helpers/build-start.js';
import { picture, Team } from '../../helpers/build-state.js';
import { atWork, onMachines } from '../given-teams.js';

const LEASE = 60_000;

/** The word of whoever has seen that nobody has the member's live turn. */
const lost = (team: Team, member: string): Extract<Command, { kind: 'turn.lose' }> => ({
  kind: 'turn.lose',
  olderThanMs: LEASE,
  detail: 'its lease is gone',
  ...team.in(member),
});

const alive = (team: Team, member: string): Command => ({
  kind: 'turn.defer_reclaim',
  host: 'vm-1',
  olderThanMs: LEASE,
  detail: 'process 4711 does not end',
  ...team.in(member),
});

/** A lease goes by, then the member's turn is lost. */
function lose(team: Team, member: string): readonly Fact[] {
  team.now += LEASE;
  return team.ok(lost(team, member));
}

describe('a turn whose process is gone', () => {
  test('is lost, that one alone: its member is due by that fact, keeps its claim and has another turn', () => {
    const team = onMachines();
    team.mail('operator', 'lead');
    team.awake('lead');
    const { turn } = team.in('writer');
    const number = team.state.next;
    expect(lose(team, 'writer')).toEqual([
      { type: 'turn.lost', turn, member: 'writer', host: 'vm-1', detail: 'its lease is gone' },
    ]);
    expect(team.member('writer')).toMatchObject({ lost: 1, life: { kind: 'idle', due: number } });
    expect(team.task('#1').state).toMatchObject({ kind: 'claimed', member: 'writer', attempt: 1 });
    expect(team.member('lead').life.kind).toBe('working');
    team.ok({ kind: 'turn.start', member: 'writer', cause: number, host: 'vm-1', worker: 'worker-2' });
    expect(team.facts('turn.started').at(-1)).toMatchObject({
      member: 'writer',
      cause: number,
      attempt: 2,
      host: 'vm-1',
      worker: 'worker-2',
    });
    expect(picture(team.refold())).toBe(picture(team.state));
  });

  test('is heard no more, and is told so: a write that changes nothing is an error (case C65)', () => {
    const team = onMachines();
    const before = team.in('writer');
    const completion = team.completion('writer', '#1');
    lose(team, 'writer');
    expect(team.refusal(completion)).toMatch(
      /^stale_turn: turn \d+ of writer is not its live turn: it is idle/,
    );
    expect(team.facts('write.refused')).toMatchObject([
      { task: '#1', code: 'stale_turn', summary: '#1 is done' },
    ]);
    team.ok({ kind: 'turn.start', member: 'writer', cause: 0, host: 'vm-1' });
    expect(team.refusal({ kind: 'budget.reserve', ...aCall(1), ...before })).toMatch(
      /^stale_turn: .*is running/,
    );
    expect(team.task('#1').state).toMatchObject({ kind: 'claimed', attempt: 1 });
  });

  test('is not lost before it is one lease old, whatever was seen of its key, and is recoverable then (case F140)', () => {
    const team = onMachines();
    team.now += LEASE - 5_000;
    expect(team.refusal(lost(team, 'writer'))).toBe(
      `too_early: turn ${team.in('writer').turn} of writer is young: it is taken over in 5 s at the earliest`,
    );
    expect(team.member('writer').life.kind).toBe('working');
    team.now += 5_000;
    expect(team.ok(lost(team, 'writer'))).toHaveLength(1);
    expect(team.due()).toContain('writer');
  });

  test('is lost once: the same word again, or that of another sweeper, changes nothing', () => {
    const team = onMachines();
    team.now += LEASE;
    const word = lost(team, 'writer');
    const made = team.ok(word, 'lose/1');
    expect(team.ok(word, 'lose/1')).toEqual(made);
    expect(team.refusal(word, 'lose/2')).toMatch(/^stale_turn/);
    expect(team.facts('turn.lost')).toHaveLength(1);
  });

  test('books what its call may have used, and keeps what it had asked and started for the next turn', () => {
    const team = onMachines();
    team.ok({ kind: 'budget.reserve', ...aCall(70), ...team.in('writer') });
    const request = team.request('writer');
    const before = team.state.budget;
    expect(lose(team, 'writer').map(({ type }) => type)).toEqual(['turn.lost', 'budget.spent']);
    expect(team.state.budget).toMatchObject({
      modelCalls: before.modelCalls,
      estimatedTokens: 70,
      reservedTokens: 0,
      underWay: 0,
    });
    expect(team.member('writer').reserved).toBeNull();
    expect(team.state.requests.get(request)?.status.kind).toBe('open');
  });

  test('of a member that is to stop is its end: its tasks are back', () => {
    const team = onMachines();
    team.ok({ kind: 'member.stop', by: OPERATOR, member: 'writer', reason: 'enough' });
    expect(team.task('#1').state.kind).toBe('claimed');
    lose(team, 'writer');
    expect(team.member('writer').life.kind).toBe('stopped');
    expect(team.task('#1').state.kind).toBe('pending');
  });

  test('holds up neither a stop of the team nor its end', () => {
    const team = onMachines();
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    expect(team.sweep()).toEqual([]);
    lose(team, 'writer');
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([{ reason: 'cancelled', open_tasks: ['#1'] }]);
    expect(team.refusal({ ...word(), member: 'writer', turn: 1 })).toMatch(/^ended/);
  });
});

const word = (): Omit<Extract<Command, { kind: 'turn.lose' }>, 'member' | 'turn'> => ({
  kind: 'turn.lose',
  olderThanMs: 0,
  detail: '',
});

describe('turns lost one after the other', () => {
  const rows = [
    { limit: undefined, end: 3 },
    { limit: 1, end: 1 },
    { limit: 5, end: 5 },
  ];

  test.each(rows)('end the attempt as crashed at limits.lost_turns ($limit → $end)', ({ limit, end }) => {
    const team = Team.start({
      tasks: [{ role: 'worker' }],
      limits: limit === undefined ? {} : { lost_turns: limit },
    });
    team.idles('lead');
    team.awake('worker');
    team.claim('worker', '#1');
    for (let count = 1; count < end; count++) {
      lose(team, 'worker');
      expect(team.member('worker').lost).toBe(count);
      expect(team.task('#1').state.kind).toBe('claimed');
      team.turn('worker');
    }
    lose(team, 'worker');
    expect(team.facts('task.released')).toMatchObject([{ task: '#1', attempt: 1, reason: 'crashed' }]);
    expect(team.task('#1')).toMatchObject({ state: { kind: 'pending' }, flag: 'crashed' });
    expect(team.inbox('lead').join('\n')).toContain(`ended as crashed: ${end} turns were lost`);
    expect(team.member('worker')).toMatchObject({ lost: 0, life: { kind: 'idle' } });
    team.turn('worker');
    expect(team.claim('worker', '#1')).toBe(2);
  });

  test('count together, by whichever way: with its process alone, or with the only one', () => {
    const team = atWork();
    lose(team, 'worker');
    team.turn('worker');
    team.resume();
    expect(team.member('worker').lost).toBe(2);
    team.turn('worker');
    lose(team, 'worker');
    expect(team.facts('task.released')).toMatchObject([{ reason: 'crashed' }]);
  });

  test.each([
    ['a reply', (team: Team) => team.read('worker')],
    [
      'a tool that has begun',
      (team: Team) =>
        team.ok({
          kind: 'tool.start',
          place: `${team.in('worker').turn}-1.0`,
          tool: 'fs_write_file',
          class: 'write',
          digest: 'd',
          request: null,
          ...team.in('worker'),
        }),
    ],
  ])('do not count over %s between them', (_, progress) => {
    const team = atWork();
    for (let count = 0; count < 6; count++) {
      lose(team, 'worker');
      team.turn('worker');
      progress(team);
    }
    expect(team.facts('task.released')).toEqual([]);
    expect(team.facts('member.failed')).toEqual([]);
  });

  test('of a member without a task are its failure, and the lead is told; the lead so ends the run', () => {
    const team = Team.start();
    team.idles('lead');
    team.mail('operator', 'worker');
    for (let count = 0; count < 3; count++) {
      team.turn('worker');
      lose(team, 'worker');
    }
    expect(team.member('worker').life).toMatchObject({ kind: 'errored', code: 'crashed' });
    expect(team.inbox('lead').join('\n')).toContain('worker has failed');
    for (let count = 0; count < 3; count++) {
      team.turn('lead');
      lose(team, 'lead');
    }
    team.sweep();
    expect(team.facts('run.ended')).toMatchObject([{ reason: 'failed', cause: 'error', exit: 1 }]);
  });
});

describe('a process that cannot be ended', () => {
  test('keeps its turn: that is recorded three times and then no more, and no other turn begins', () => {
    const team = onMachines();
    const { turn } = team.in('writer');
    expect(team.refusal(alive(team, 'writer'))).toMatch(/^too_early/);
    team.now += LEASE;
    for (let times = 0; times < 6; times++) team.ok(alive(team, 'writer'));
    expect(team.facts('turn.reclaim_deferred').map(({ count, host }) => [count, host])).toEqual([
      [1, 'vm-1'],
      [2, 'vm-1'],
      [3, 'vm-1'],
    ]);
    expect(team.in('writer').turn).toBe(turn);
    expect(team.due()).not.toContain('writer');
    expect(team.refusal({ kind: 'turn.start', member: 'writer', cause: 0, host: 'vm-1' })).toMatch(
      /^already_working/,
    );
  });

  test('is forgotten with its turn, and the next is counted anew', () => {
    const team = onMachines();
    team.now += LEASE;
    team.ok(alive(team, 'writer'));
    team.ok(lost(team, 'writer'));
    team.ok({ kind: 'turn.start', member: 'writer', cause: 0, host: 'vm-1' });
    team.now += LEASE;
    team.ok(alive(team, 'writer'));
    expect(team.facts('turn.reclaim_deferred').map(({ count }) => count)).toEqual([1, 1]);
  });
});

describe('a resume while other processes hold turns', () => {
  test('loses the turns that nobody holds and no other', () => {
    const team = onMachines();
    team.mail('operator', 'lead');
    team.awake('lead');
    const { turn } = team.in('writer');
    team.ok({ kind: 'run.resume', host: 'vm-3', kept: [turn, 1], disabled: [], findings: [] });
    expect(team.facts('run.resumed')).toMatchObject([{ kept: [turn] }]);
    expect(team.member('writer')).toMatchObject({ lost: 0, life: { kind: 'working', turn, host: 'vm-1' } });
    expect(team.member('lead')).toMatchObject({ lost: 1, life: { kind: 'idle' } });
    team.ok(team.completion('writer', '#1'));
    expect(picture(team.refold())).toBe(picture(team.state));
  });

  test('loses no turn that began after it was looked at who holds them', () => {
    const team = onMachines();
    const asOf = team.state.next;
    team.mail('operator', 'lead');
    team.awake('lead');
    const { turn } = team.in('lead');
    team.ok({ kind: 'run.resume', host: 'vm-3', kept: [], asOf, disabled: [], findings: [] });
    expect(team.facts('run.resumed')).toMatchObject([{ kept: [turn] }]);
    expect(team.member('lead')).toMatchObject({ lost: 0, life: { kind: 'working', turn } });
    expect(team.member('writer')).toMatchObject({ lost: 1, life: { kind: 'idle' } });
  });

  test('keeps no turn over the end of a run', () => {
    const team = onMachines();
    const { turn } = team.in('writer');
    team.ok({ kind: 'run.fail', cause: 'error', detail: 'the disk is away' });
    team.ok({ kind: 'run.resume', host: 'vm-3', kept: [turn], disabled: [], findings: [] });
    expect(team.member('writer')).toMatchObject({ lost: 1, life: { kind: 'idle' } });
  });
});
