import { expect, test } from 'vitest';
import { Activity } from '../../../src/runtime/turns/activity.js';
import { Team } from '../../helpers/build-state.js';

/** A clock that stands where the test puts it. */
function handClock() {
  const clock = { at: 1_000, wallMs: () => 0, monotonicMs: () => clock.at };
  return clock;
}

test('a member is busy with one thing since it began with it, and with nothing when its turn is over', () => {
  const clock = handClock();
  const activity = new Activity(clock);
  const { state } = Team.start();
  activity.begins('worker', 'thinking');
  clock.at += 500;
  expect(activity.now(state, 0)).toEqual([{ member: 'worker', what: 'thinking', sinceMs: 500 }]);
  activity.begins('worker', 'running fs_grep');
  expect(activity.now(state, 0)).toEqual([{ member: 'worker', what: 'running fs_grep', sinceMs: 0 }]);
  activity.begins('worker', null);
  expect(activity.now(state, 0)).toEqual([]);
});

test('an answer that is shown is counted as it comes, from its first piece on, and each for itself', () => {
  const clock = handClock();
  const activity = new Activity(clock);
  const { state } = Team.start();
  activity.begins('worker', 'thinking');
  clock.at += 500;
  activity.hears('worker', 'x'.repeat(1_000));
  clock.at += 30_000;
  activity.hears('worker', 'x'.repeat(240));
  expect(activity.now(state, 0)).toEqual([
    { member: 'worker', what: 'answering, 1,240 characters', sinceMs: 30_000 },
  ]);
  activity.begins('worker', 'thinking');
  activity.hears('worker', 'ab');
  expect(activity.now(state, 0)).toMatchObject([{ what: 'answering, 2 characters', sinceMs: 0 }]);
});

test('a piece that comes when the turn is over is nobody’s', () => {
  const activity = new Activity(handClock());
  activity.hears('worker', 'late');
  expect(activity.now(Team.start().state, 0)).toEqual([]);
});

test('a member that waits for its provider is told with how much longer, while the run goes on', () => {
  const team = Team.start();
  team.turn('lead');
  team.now = 2_000;
  team.waits('lead', { waitMs: 60_000 });
  const activity = new Activity(handClock());
  expect(activity.now(team.state, 32_000)).toEqual([
    { member: 'lead', what: 'waits for anthropic (rate limited)', sinceMs: 30_000, leftMs: 30_001 },
  ]);
  team.ok({ kind: 'run.stop', by: 'operator', cause: 'stop' });
  expect(activity.now(team.state, 32_000)).toEqual([]);
});
