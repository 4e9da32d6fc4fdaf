import { expect, onTestFinished, test } from 'vitest';
import { InProcessDispatcher } from '../../src/dispatch/in-process.js';
import { ANYWHERE, type TurnJob, turnJob } from '../../src/dispatch/job.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import { Coordinator } from '../../src/runtime/coordinator.js';
import { type Clock, systemClock } from '../../src/shared/clock.js';
import { TeamStore } from '../../src/state/team-store.js';
import type { Command } from '../../src/team/command.js';
import { started } from '../helpers/build-start.js';
import { until } from '../helpers/until.js';

/** A team over a record in memory, and the jobs that its coordinator has handed out. */
async function coordinated(clock: Clock = systemClock) {
  const store = await TeamStore.open(memoryRecord(new MemoryDisk()).log, clock);
  const jobs: TurnJob[] = [];
  const dispatcher = new InProcessDispatcher<TurnJob>({
    concurrency: 1,
    handler: async (job) => {
      jobs.push(job);
    },
    onError: (_job, error) => {
      throw error;
    },
  });
  const coordinator = new Coordinator({
    team: 'run-x-01',
    store,
    ask: (due) => {
      for (const job of due) void dispatcher.enqueue(job);
    },
    maySweep: async () => true,
    operatorPresent: () => true,
    leftover: async () => [],
    missingArtifacts: async () => [],
    onFailure: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => {
    coordinator.close();
    await dispatcher.close(1_000);
  });
  let commands = 0;
  const send = (command: Command) => store.send(`test/${++commands}`, command);
  await send({ kind: 'run.start', started: started(), tasks: [], entries: [] });
  return { store, jobs, coordinator, send };
}

test('a member that waits has its job when its time comes, although a stale one was refused meanwhile', async () => {
  const { store, jobs, coordinator, send } = await coordinated();
  await send({ kind: 'turn.start', member: 'lead', cause: 1 });
  const turn = store.state.next - 1;
  const wait = { kind: 'turn.wait', member: 'lead', turn, why: 'rate_limited', waitMs: 50 } as const;
  const said = {
    provider: 'anthropic',
    asked: true,
    upto: `${turn}-1`,
    text: null,
    calls: 0,
    detail: 'slow',
  };
  await send({ ...wait, ...said });
  const cause = store.state.next - 1;
  coordinator.go();
  const stale = turnJob({ team: 'run-x-01', member: 'lead', role: 'lead', cause: 1, pool: ANYWHERE });
  coordinator.jobEnded(stale, false);
  const job = await until(() => jobs[0], { what: 'the job of the one whose time has come' });
  expect(job).toMatchObject({ member: 'lead', cause });
  const life = store.state.members.get('lead')?.life;
  expect(store.now()).toBeGreaterThanOrEqual(
    life?.kind === 'waiting' ? life.until : Number.POSITIVE_INFINITY,
  );
});

test.each([40, 41, 42, 43, 44])(
  'a wait of %d ms that ends in the middle of a look is over all the same',
  async (waitMs) => {
    // Time goes on with each question, and not otherwise.
    let ms = 0;
    const clock = { wallMs: () => systemClock.wallMs(), monotonicMs: () => ms++ };
    const { store, jobs, coordinator, send } = await coordinated(clock);
    await send({ kind: 'turn.start', member: 'lead', cause: 1 });
    const turn = store.state.next - 1;
    const at = { member: 'lead', turn, upto: `${turn}-1`, text: null, calls: 0 };
    const why = { why: 'rate_limited', provider: 'p', asked: true, detail: '' } as const;
    await send({ kind: 'turn.wait', waitMs, ...why, ...at });
    coordinator.go();
    await until(() => jobs.length > 0, { what: 'its job' });
  },
);

test('while a member waits nothing else is handed out, and nothing is written', async () => {
  const { store, jobs, coordinator, send } = await coordinated();
  await send({ kind: 'turn.start', member: 'lead', cause: 1 });
  const turn = store.state.next - 1;
  const at = { member: 'lead', turn, upto: `${turn}-1`, text: null, calls: 0 };
  await send({
    kind: 'turn.wait',
    why: 'unavailable',
    provider: 'p',
    waitMs: 600_000,
    asked: true,
    detail: '',
    ...at,
  });
  const before = store.state.next;
  coordinator.go();
  for (let look = 0; look < 50; look++) {
    coordinator.look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(jobs).toEqual([]);
  expect(store.state.next).toBe(before);
});
