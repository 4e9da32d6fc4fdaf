import { describe, expect, test } from 'vitest';
import { overLimit } from '../../src/team/ledger.js';
import { nextJobs, nextTimer } from '../../src/team/next-jobs.js';
import { emptyState } from '../../src/team/state.js';
import { Team } from '../helpers/build-state.js';
import { onMachines } from './given-teams.js';

describe('which turns should exist', () => {
  test('none before the start, and those of the members that are due after it', () => {
    expect(nextJobs(emptyState(), 0)).toEqual([]);
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    expect(nextJobs(team.state, 0)).toEqual([
      { member: 'lead', cause: 5, place: 'any' },
      { member: 'worker', cause: 4, place: 'any' },
    ]);
  });

  test('none over a limit', () => {
    const team = Team.start({ limits: { wall_minutes: 1 } });
    expect(nextJobs(team.state, 59_999)).toHaveLength(1);
    expect(nextJobs(team.state, 60_000)).toEqual([]);
  });

  test('one at a time for members with an exclusive workspace, all others at once', () => {
    const exclusive = { exclusive_workspace: true };
    const seats = ['lead', { member: 'one', ...exclusive }, { member: 'two', ...exclusive }, 'free'];
    const team = Team.start({ seats });
    team.mail('operator', 'all');
    const members = (): string[] => nextJobs(team.state, 0).map((job) => job.member);
    expect(members()).toEqual(['lead', 'one', 'free']);
    team.turn('two');
    // Once, for it to be said that it waits; then it waits.
    expect(members()).toEqual(['lead', 'one', 'free']);
    team.ok({ kind: 'turn.start', member: 'one', cause: 0 });
    expect(team.facts('turn.deferred')).toMatchObject([{ member: 'one', behind: 'two' }]);
    expect(members()).toEqual(['lead', 'free']);
    team.end('two', { outcome: 'cancelled' });
    expect(members()).toContain('one');
  });
});

test('of members with an exclusive workspace the one that was due first has it: none waits for ever', () => {
  const seats = ['lead', ...['one', 'two'].map((member) => ({ member, exclusive_workspace: true }))];
  const team = Team.start({ seats });
  team.idles('lead');
  for (const to of ['one', 'two']) team.mail('operator', to);
  const jobs = (): string[] => nextJobs(team.state, 0).map((job) => job.member);
  expect(jobs()).toEqual(['one']);
  team.awake('one');
  team.mail('operator', 'one', 'and again');
  team.end('one', { outcome: 'cancelled' });
  expect(jobs()).toEqual(['two']);
});

describe('when to look again', () => {
  test('at the end of the wall time, or sooner when a request expires', () => {
    const team = Team.start({ limits: { wall_minutes: 2 }, request_timeout_ms: 1_000 });
    expect(nextTimer(team.state, 0)).toBe(120_000);
    team.awake('lead');
    team.park('lead');
    expect(nextTimer(team.state, 0)).toBe(1_000);
    expect(nextTimer(team.state, 5_000)).toBe(1_000);
  });

  test('not at a time that is up: the end waits for a running turn, not for a clock', () => {
    const team = Team.start({ limits: { wall_minutes: 1 } });
    team.awake('lead');
    expect(nextTimer(team.state, 60_000)).toBeUndefined();
  });

  test('never for a team that was not started or has ended', () => {
    expect(nextTimer(emptyState(), 0)).toBeUndefined();
    const team = Team.start();
    team.ok({ kind: 'run.fail', cause: 'error', detail: '' });
    expect(nextTimer(team.state, 0)).toBeUndefined();
  });
});

describe('when to look again at what others may have left behind', () => {
  const SWEEP = { leaseMs: 60_000, everyMs: 5_000 };
  const look = (team: Team): number | undefined => nextTimer(team.state, team.now, SWEEP);

  test('at a turn when its lease could be over, and from then on again and again', () => {
    const team = onMachines();
    team.idles('lead');
    expect(look(team)).toBe(60_000);
    team.now = 20_000;
    expect(look(team)).toBe(60_000);
    team.now = 60_000;
    expect(look(team)).toBe(65_000);
    expect(nextTimer(team.state, team.now)).toBe(120 * 60_000);
  });

  test('F150: at a job that may have been lost on its way: the same job is there until its turn has begun', () => {
    const team = onMachines();
    team.idles('lead');
    team.mail('operator', 'reader');
    const [job, ...others] = nextJobs(team.state, team.now);
    expect(job).toMatchObject({ member: 'reader' });
    expect(others).toEqual([]);
    expect(look(team)).toBe(5_000);
    team.now = 5_000; // Nobody has taken it.
    expect(nextJobs(team.state, team.now)).toEqual([job]);
    team.ok({ kind: 'turn.start', member: 'reader', cause: job?.cause ?? 0, host: 'vm-1' });
    expect(nextJobs(team.state, team.now)).toEqual([]);
    // The first one comes after all, or a second one: no harm is done.
    expect(
      team.refusal({ kind: 'turn.start', member: 'reader', cause: job?.cause ?? 0, host: 'vm-1' }),
    ).toMatch(/^already_working/);
  });

  test('at a run whose end nobody has said yet', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.idles('lead');
    team.awake('worker');
    team.ok({ kind: 'run.stop', by: 'operator', cause: 'interrupt' });
    team.end('worker', { outcome: 'cancelled' });
    expect(look(team)).toBe(5_000);
    team.sweep();
    expect(look(team)).toBeUndefined();
  });

  test('never at one that waits for a person', () => {
    const team = Team.start();
    team.awake('lead');
    team.park('lead');
    expect(look(team)).toBe(120 * 60_000);
  });
});

test.each([
  ['turns', 'budget', { turns: 1 }],
  ['model_calls', 'budget', { model_calls: 1 }],
  ['tokens', 'budget', { tokens: 100 }],
  ['wall_minutes', 'deadline', { wall_minutes: 0.5 }],
] as const)('the limit %s ends the run as %s', (limit, ends, limits) => {
  const team = Team.start({ limits });
  team.idles('lead');
  expect(overLimit(team.state, 30_000)).toMatchObject({ limit, ends });
});

test('the limit cost_usd ends the run as budget, and holds before the first call', () => {
  const team = Team.start({ limits: { cost_usd: 0 } });
  expect(overLimit(team.state, 0)).toMatchObject({ limit: 'cost_usd', ends: 'budget', value: 0 });
});

test('a team within its limits, or without one on cost, is over none', () => {
  const team = Team.start();
  team.idles('lead');
  expect(overLimit(team.state, 0)).toBeUndefined();
  expect(overLimit(emptyState(), 1e12)).toBeUndefined();
});
