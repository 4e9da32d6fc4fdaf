import { expect, test } from 'vitest';
import { ANYWHERE, type TurnJob, turnJob } from '../../../src/dispatch/job.js';
import { RunningTurns } from '../../../src/runtime/turns/running-turns.js';
import { CancelledError } from '../../../src/shared/errors.js';

const job = (member: string, cause: number): TurnJob =>
  turnJob({ team: 't', member, role: 'worker', cause, pool: ANYWHERE });
const ON = new AbortController().signal;
const REASON = new CancelledError('stopped', 'stop');

test('a stale job of a member that ends leaves its live turn to be called off', () => {
  const turns = new RunningTurns();
  const live = turns.begin(job('ada', 5), ON);
  const stale = turns.begin(job('ada', 9), ON);
  turns.ended(job('ada', 9));
  turns.callOff(REASON, 'ada');
  expect([live.aborted, stale.aborted]).toEqual([true, false]);
  expect(live.reason).toBe(REASON);
});

test('one member or all are called off; a turn that has ended is not', () => {
  const turns = new RunningTurns();
  const [ada, bob, cid] = [
    turns.begin(job('ada', 1), ON),
    turns.begin(job('bob', 2), ON),
    turns.begin(job('cid', 3), ON),
  ];
  turns.ended(job('cid', 3));
  turns.callOff(REASON, 'ada');
  expect([ada.aborted, bob.aborted, cid.aborted]).toEqual([true, false, false]);
  turns.callOff(REASON);
  expect([ada.aborted, bob.aborted, cid.aborted]).toEqual([true, true, false]);
});

test('a turn is called off with the job that it is of, also one that was called off before; an ended one is not', () => {
  const turns = new RunningTurns();
  const control = new AbortController();
  const [live, ended] = [
    turns.begin(job('ada', 1), control.signal),
    turns.begin(job('bob', 2), control.signal),
  ];
  turns.ended(job('bob', 2));
  control.abort(REASON);
  expect([live.reason, ended.aborted]).toEqual([REASON, false]);
  expect(turns.begin(job('cid', 3), control.signal).reason).toBe(REASON);
});
