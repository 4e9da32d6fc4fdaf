import { expect, test } from 'vitest';
import type { Enqueued, JobQueue } from '../../src/dispatch/dispatcher.js';
import { DueTurns } from '../../src/dispatch/due-turns.js';
import { ANYWHERE, type TurnJob, turnJob } from '../../src/dispatch/job.js';

const job = (member: string, cause = 1): TurnJob =>
  turnJob({ team: 't', member, role: 'worker', cause, pool: ANYWHERE });

/** The far side is a list of what was asked for; a clock that the test moves. */
function dueTurns(answers: Enqueued[] = []) {
  const asked: string[] = [];
  const overdue: [string, number, string][] = [];
  let now = 0;
  const queue: JobQueue<TurnJob> = {
    enqueue: async ({ id }) => {
      asked.push(id);
      return answers.shift() ?? { kind: 'queued' };
    },
    close: async () => {},
  };
  const due = new DueTurns({
    queue,
    clock: { monotonicMs: () => now },
    againMs: 100,
    onOverdue: ({ id }, times, { kind }) => overdue.push([id, times, kind]),
  });
  const look = (at: number, jobs: readonly TurnJob[]): Promise<readonly Enqueued[]> => {
    now = at;
    return due.look(jobs);
  };
  return { look, asked, overdue };
}

test('a look with nothing new asks for nothing', async () => {
  const { look, asked } = dueTurns();
  await look(0, [job('ada'), job('bob')]);
  await look(10, [job('ada'), job('bob')]);
  await look(99, [job('bob'), job('cid')]);
  expect(asked).toEqual(['t~ada~1', 't~bob~1', 't~cid~1']);
});

test('who is still due a sweep later is asked for under a counted id, and named from the third time on', async () => {
  const { look, asked, overdue } = dueTurns();
  for (const at of [0, 100, 150, 200, 300]) await look(at, [job('ada')]);
  expect(asked).toEqual(['t~ada~1', 't~ada~1~2', 't~ada~1~3', 't~ada~1~3']);
  expect(overdue).toEqual([
    ['t~ada~1', 3, 'queued'],
    ['t~ada~1', 4, 'queued'],
  ]);
});

test('a turn that was taken is forgotten: the next cause, and the same one later, begins at the first time', async () => {
  const { look, asked, overdue } = dueTurns();
  await look(0, [job('ada')]);
  await look(100, [job('ada')]);
  await look(200, []);
  await look(300, [job('ada')]);
  await look(400, [job('ada', 9)]);
  expect(asked).toEqual(['t~ada~1', 't~ada~1~2', 't~ada~1', 't~ada~9']);
  expect(overdue).toEqual([]);
});

test('an answer that did not come is no time of asking: the next look asks again at once', async () => {
  const failed: Enqueued = { kind: 'failed', error: new Error('away') };
  const { look, asked, overdue } = dueTurns([failed, failed, failed]);
  for (const at of [0, 1, 2, 3]) await look(at, [job('ada')]);
  expect(asked).toEqual(['t~ada~1', 't~ada~1', 't~ada~1', 't~ada~1']);
  expect(overdue).toEqual([]);
});
