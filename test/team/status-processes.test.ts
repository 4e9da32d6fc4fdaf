import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/team/command.js';
import { statusView } from '../../src/team/show/status.js';
import type { ProcessesSeen } from '../../src/team/show/status-processes.js';
import { Team } from '../helpers/build-state.js';
import { atWork, onMachines } from './given-teams.js';

const view = (team: Team, seen?: ProcessesSeen) => statusView(team.state, 'x', team.now, seen);

const writerOf = (team: Team, seen?: ProcessesSeen) =>
  view(team, seen).members.find(({ name }) => name === 'writer');

describe('who has a turn', () => {
  test('is shown with the machine and the process that have it, and nobody says more than was seen', () => {
    const team = onMachines();
    const { turn } = team.in('writer');
    team.now += 1_500;
    expect(writerOf(team)).toMatchObject({
      state: 'working',
      detail: 'on vm-1 (worker-1)',
      turn: { number: turn, host: 'vm-1', worker: 'worker-1', age_ms: 1_500, held: null },
    });
    expect(writerOf(team, { held: new Set([turn]) })).toMatchObject({ turn: { held: true } });
    expect(view(team, { held: new Set([turn]) }).waiting).toEqual([]);
    expect(view(team).workspace).toEqual({ host: 'vm-1', commit: 'c1' });
  });

  test('is nobody where no process has it, and that is said of the member and of the team', () => {
    const team = onMachines();
    const { turn } = team.in('writer');
    const seen = { held: new Set<number>() };
    expect(writerOf(team, seen)).toMatchObject({
      detail: `no process has turn ${turn} on vm-1`,
      turn: { held: false },
    });
    expect(view(team, seen).waiting).toEqual([
      `writer: no process has turn ${turn} on vm-1; it is taken over once its lease is over`,
    ]);
    team.ok({ kind: 'run.fail', cause: 'error', detail: 'the disk is away' });
    expect(view(team, seen).waiting).not.toContainEqual(expect.stringContaining('no process has'));
  });

  test('goes without saying where one process serves the team', () => {
    const team = atWork();
    const worker = view(team).members.find(({ name }) => name === 'worker');
    expect(worker).toMatchObject({ detail: null, turn: { host: null, worker: null, held: null } });
    expect(view(team).workspace).toBeNull();
  });

  test('of a member whose turn was lost is nobody: it is idle, and works again when another turn has begun (case F138)', () => {
    const team = onMachines();
    team.resume();
    expect(writerOf(team)).toMatchObject({ state: 'idle', detail: null, turn: null, tasks: ['#1'] });
    team.ok({ kind: 'turn.start', member: 'writer', cause: 0, host: 'vm-1' });
    expect(writerOf(team)).toMatchObject({ state: 'working', detail: 'on vm-1', turn: { worker: null } });
  });
});

test('people are told of a turn that cannot be taken over when it was tried three times (case C58)', () => {
  const team = onMachines();
  const { turn } = team.in('writer');
  const alive: Command = {
    kind: 'turn.defer_reclaim',
    host: 'vm-1',
    olderThanMs: 0,
    detail: 'process 4711 does not end',
    ...team.in('writer'),
  };
  for (let times = 1; times < 3; times++) {
    team.ok(alive);
    expect(view(team).waiting).toEqual([]);
  }
  team.ok(alive);
  expect(view(team, { held: new Set() }).waiting).toEqual([
    `writer: turn ${turn} cannot be taken over: its old process on vm-1 is alive and does not end (tried 3 times); end it there`,
  ]);
});

test('what nobody takes is named with its pool', () => {
  const team = Team.start();
  team.awake('lead');
  const unserved = [
    { what: 'writer', pool: 'bnerd-turns.vm-1', why: 'no_worker', detail: null },
    { what: 'team.t1.a1.o1', pool: 'bnerd-briefs.gpu', why: 'no_runner', detail: null },
    { what: 'reviewer', pool: 'bnerd-turns', why: 'not_taken', detail: 'no key of anthropic' },
  ] as const;
  expect(view(team, { unserved }).waiting).toEqual([
    'writer waits in bnerd-turns.vm-1, which nobody serves (no_worker)',
    'team.t1.a1.o1 waits in bnerd-briefs.gpu, which nobody serves (no_runner)',
    'reviewer waits in bnerd-turns and nobody takes it: no key of anthropic',
  ]);
});

test('a server whose memory is full is named first, as long as the run goes on', () => {
  const team = Team.start();
  team.awake('lead');
  expect(view(team, { full: true }).waiting[0]).toMatch(/^the memory of Redis is full: nothing is recorded/);
  expect(view(team, { full: false }).waiting).toEqual([]);
});
