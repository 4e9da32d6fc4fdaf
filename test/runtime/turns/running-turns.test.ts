import { expect, test } from 'vitest';
import { ANYWHERE, type TurnJob, turnJob } from '../../../src/dispatch/job.js';
import { RunningTurns } from '../../../src/runtime/turns/running-turns.js';
import { CancelledError } from '../../../src/shared/errors.js';

const job = (member: string, cause: number): TurnJob =>
  turnJob({ team: 't', member, role: 'worker', cause, pool: ANYWHERE });
const REASON = new CancelledError('stopped', 'stop');

test('a stale job of a member that ends leaves its live turn to be called off', () => {
  const turns = new RunningTurns();
  const live = turns.begin(job('ada', 5));
  const stale = turns.begin(job('ada', 9));
  turns.ended(job('ada', 9));
  turns.callOff(REASON, 'ada');
  expect([live.aborted, stale.aborted]).toEqual([true, false]);
  expect(live.reason).toBe(REASON);
});

test('one member or all are called off; a turn that has ended is not', () => {
  const turns = new RunningTurns();
  const [ada, bob, cid] = [
    turns.begin(job('ada', 1)),
    turns.begin(job('bob', 2)),
    turns.begin(job('cid', 3)),
  ];
  turns.ended(job('cid', 3));
  turns.callOff(REASON, 'ada');
  expect([ada.aborted, bob.aborted, cid.aborted]).toEqual([true, false, false]);
  turns.callOff(REASON);
  expect([ada.aborted, bob.aborted, cid.aborted]).toEqual([true, true, false]);
});
