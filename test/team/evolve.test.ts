import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { BugError } from '../../src/shared/errors.js';
import { evolve, evolveEntry, turnScope } from '../../src/team/evolve.js';
import { emptyState } from '../../src/team/state.js';
import { OPERATOR, started } from '../helpers/build-start.js';
import { picture, Team } from '../helpers/build-state.js';

test('facts are numbered from 1 without a gap, and a turn is named by the number of its start', () => {
  const team = Team.start();
  expect(team.entries[0]?.first).toBe(1);
  const next = team.state.next;
  expect(team.turn('lead')).toBe(next);
  const counted = team.entries.reduce((sum, entry) => sum + entry.facts.length, 0);
  expect(team.state.next).toBe(counted + 1);
});

test('the fold of the record from nothing is the live state', () => {
  const team = Team.start({ tasks: [{}] });
  team.awake('worker');
  team.claim('worker', '#1');
  team.park('worker');
  expect(picture(team.refold())).toBe(picture(team.state));
});

test('an entry of several commands folds like its commands one by one', () => {
  const team = Team.start();
  team.mail('operator', 'worker');
  team.turn('worker');
  const all = team.entries.flatMap((entry) => entry.facts);
  const joined: LogEntry = {
    ...(team.entries[0] as LogEntry),
    commands: team.entries.flatMap((entry) => entry.commands),
    facts: all,
  };
  expect(picture(evolveEntry(emptyState(), joined))).toBe(picture(team.state));
});

test('a fact about a member that never was is a bug, not a state', () => {
  expect(() =>
    evolve(emptyState(), { type: 'member.nudged', member: 'nobody', task: null, count: 1 }),
  ).toThrow(BugError);
});

describe('the memory of command ids', () => {
  test("of a turn lasts over a crash and ends with the turn; another member's are kept", () => {
    const team = Team.start();
    team.mail('operator', 'worker');
    team.awake('worker');
    team.awake('lead');
    const ids = (member: string): string[] => [
      ...(team.state.appliedInTurns.get(turnScope(member))?.keys() ?? []),
    ];
    const kept = ids('worker');
    expect(ids('lead').length).toBeGreaterThan(0);
    team.resume();
    expect(ids('lead').length).toBeGreaterThan(0);
    team.turn('lead');
    const end = team.ending('lead');
    team.ok(end, 'turn/lead/end');
    expect(ids('lead')).toEqual(['turn/lead/end']);
    expect(ids('worker')).toEqual(kept);
  });

  test('of the rest is bounded', () => {
    const team = Team.start();
    for (let sent = 0; sent < 400; sent++) team.mail('operator', 'worker');
    expect(team.state.applied.size).toBeLessThanOrEqual(256);
  });
});

test('a run that is resumed makes lost turns due by the resume itself', () => {
  const team = Team.start();
  team.awake('lead');
  const number = team.state.next;
  team.resume();
  expect(team.member('lead').life).toEqual({ kind: 'idle', since: number, due: number });
});

test('a seat in plan mode starts without a plan, another without the need of one', () => {
  const team = new Team();
  const seats = ['lead', { member: 'worker', plan_mode: true }];
  team.ok({ kind: 'run.start', started: started({ seats }), tasks: [], entries: [] });
  expect(team.member('worker').plan).toEqual({ kind: 'required', version: 0 });
  expect(team.member('lead').plan).toEqual({ kind: 'none' });
});

test('the last text of a member is kept when a later turn has none', () => {
  const team = Team.start();
  team.idles('lead', { text: 'first' });
  team.mail('operator', 'lead');
  team.idles('lead', { text: null, calls: 1 });
  expect(team.member('lead').lastText).toBe('first');
  expect(team.member('lead').upto).toBe(`${team.facts('turn.ended').at(-1)?.turn}-1`);
});

test('a stop of one member leaves the others as they were', () => {
  const team = Team.start({ seats: ['lead', 'one', 'two'] });
  const before = team.member('two');
  team.ok({ kind: 'member.stop', by: OPERATOR, member: 'one', reason: '' });
  expect(team.member('two')).toBe(before);
});
