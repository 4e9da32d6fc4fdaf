/** Cases Q and C about jobs, over a real Redis: what users of the same queue library met, and that it is not met here. */

import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Queue, UnrecoverableError, Worker } from 'bullmq';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Agenda } from '../../src/dispatch/agenda.js';
import type { BullMqWorkers } from '../../src/dispatch/bullmq-workers.js';
import type { Enqueued } from '../../src/dispatch/dispatcher.js';
import { DueTurns } from '../../src/dispatch/due-turns.js';
import { ANYWHERE, poolOfHost, type TurnJob, turnJob } from '../../src/dispatch/job.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import { systemClock } from '../../src/shared/clock.js';
import { CancelledError, FatalError, RetryableError } from '../../src/shared/errors.js';
import { TeamStore } from '../../src/state/team-store.js';
import { nextJobs } from '../../src/team/next-jobs.js';
import { barrier } from '../helpers/barrier.js';
import { seat, started } from '../helpers/build-start.js';
import { isEmpty, queueAt, workersAt } from '../helpers/queue.js';
import { describeRedis, redisForTests, type TestRedis } from '../helpers/redis.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';

const job = (cause: number, member = 'ada', pool = ANYWHERE): TurnJob =>
  turnJob({ team: 'run-x-01', member, role: 'engineer', cause, pool });

/** Runs until its signal fires. */
const untilCalledOff = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** The queue of turns as the library's own tools see it. */
function seenByTools(redis: TestRedis): Queue {
  const connection = redis.connect('queue').client;
  connection.connect().catch(() => {}); // It is waited for by the first question.
  const queue = new Queue(redis.names.turns, { connection, prefix: redis.names.queueKeys });
  queue.on('error', () => {});
  onTestFinished(() => queue.close());
  return queue;
}

async function sourcesOfDispatch(): Promise<string> {
  const folder = join(import.meta.dirname, '../../src/dispatch');
  const files = await readdir(folder);
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
}

describeRedis('jobs', () => {
  const redis = redisForTests();

  test('C75: the same worker woken twice runs twice, also when its first job is kept as failed', async () => {
    const at = redis();
    const queue = queueAt(at);
    const ran: string[] = [];
    const failed: string[] = [];
    workersAt(at, {
      handler: async ({ id }) => {
        ran.push(id);
        if (ran.length === 2) throw new FatalError('broken', 'once');
      },
      onError: ({ id }) => failed.push(id),
    });
    for (const wake of [1, 2, 3, 4]) {
      expect(await queue.enqueue(job(7))).toEqual({ kind: 'queued' });
      await until(() => ran.length === wake, { what: `wake ${wake} runs` });
      await isEmpty(queue);
    }
    const counted = `${job(7).id}~2`;
    expect([ran, failed]).toEqual([[job(7).id, job(7).id, counted, counted], [job(7).id]]);
  });

  test('C76: after every enqueue either a new job exists or the answer names the state of the one that does', async () => {
    const at = redis();
    const queue = queueAt(at);
    const tools = seenByTools(at);
    type Step = 'enqueue' | 'take' | 'end' | 'fail' | 'put off' | 'lose';
    const step = fc.constantFrom<Step>('enqueue', 'enqueue', 'take', 'end', 'fail', 'put off', 'lose');
    const exists = async (): Promise<string[]> => {
      const jobs = await tools.getJobs(['waiting', 'active', 'delayed']);
      return jobs.map(({ id }) => id ?? '').sort();
    };
    const scenario = async (steps: readonly Step[]): Promise<void> => {
      await tools.obliterate({ force: true });
      const connection = at.connect('blocking').client;
      const worker = new Worker(at.names.turns, null, { connection, prefix: at.names.queueKeys });
      worker.on('error', () => {});
      let active: Awaited<ReturnType<typeof worker.getNextJob>> | undefined;
      for (const one of steps) {
        if (one === 'enqueue') {
          const before = await exists();
          const answer: Enqueued = await queue.enqueue(job(1));
          const after = await exists();
          if (answer.kind === 'queued') expect(after).toHaveLength(before.length + 1);
          else {
            if (answer.kind !== 'coalesced') throw new Error(answer.kind);
            expect(after).toEqual(before);
            const states = await Promise.all(after.map((id) => tools.getJobState(id)));
            expect(states).toContain(answer.existing);
          }
        } else if (one === 'take') active ??= await worker.getNextJob('t', { block: false });
        else if (one === 'lose') {
          await tools.obliterate({ force: true });
          active = undefined;
        } else if (active !== undefined) {
          if (one === 'end') await active.moveToCompleted(undefined, 't', false);
          if (one === 'fail') await active.moveToFailed(new UnrecoverableError('x'), 't', false);
          if (one === 'put off') await active.moveToDelayed(systemClock.wallMs() + 600_000, 't');
          active = undefined;
        }
      }
      await worker.close(true);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), scenario), { numRuns: 30 });
  });

  test('Q8: nothing is lost when a worker opens at the same moment as jobs are added', async () => {
    const at = redis();
    const queue = queueAt(at);
    const ran = new Set<string>();
    const adding = Array.from({ length: 200 }, (_, cause) => queue.enqueue(job(cause + 1)));
    const handler = async ({ id }: TurnJob): Promise<void> => {
      ran.add(id);
    };
    for (let opened = 0; opened < 4; opened++) workersAt(at, { handler, concurrency: 4 });
    await Promise.all(adding);
    await isEmpty(queue);
    expect(ran.size).toBe(200);
  });

  test('Q10, Q11: no job waits for another: one that fails, kept or removed, leaves none behind', async () => {
    const at = redis();
    const queue = queueAt(at);
    const ran: number[] = [];
    workersAt(at, {
      handler: async ({ cause }) => {
        ran.push(cause);
        if (cause === 1) throw new FatalError('broken', 'for good');
      },
      onError: () => {},
    });
    for (const cause of [1, 2, 3]) await queue.enqueue(job(cause));
    await isEmpty(queue);
    const tools = seenByTools(at);
    expect(await tools.getJobCounts('waiting-children', 'failed')).toEqual({
      'waiting-children': 0,
      failed: 1,
    });
    await tools.clean(0, 100, 'failed');
    await queue.enqueue(job(1));
    await isEmpty(queue);
    expect(ran).toEqual([1, 2, 3, 1]);
    expect(await sourcesOfDispatch()).not.toMatch(/FlowProducer|\bparent\s*:|\bchildren\s*:/);
  });

  test('Q13: the jobs of a team that is resumed twice are added twice under the same ids, and both times it ends', async () => {
    const at = redis();
    const queue = queueAt(at);
    let turns = 0;
    workersAt(at, {
      handler: async () => {
        turns++;
      },
    });
    for (const resumed of [1, 2]) {
      const answers = await Promise.all([1, 2, 3].map((cause) => queue.enqueue(job(cause))));
      expect(answers).toEqual(Array.from({ length: 3 }, () => ({ kind: 'queued' })));
      await isEmpty(queue);
      expect(turns).toBe(3 * resumed);
    }
  });

  test('Q15, Q16: shuffled, doubled and stale jobs, run more than once: each due member has one turn', async () => {
    const at = redis();
    const queue = queueAt(at);
    const members = ['lead', ...Array.from({ length: 6 }, (_, place) => `worker-${place}`)];
    const store = await TeamStore.open(memoryRecord(new MemoryDisk()).log, systemClock);
    const run = {
      kind: 'run.start',
      started: started({ seats: members.map((name) => seat(name)) }),
    } as const;
    await store.send('start', { ...run, tasks: [], entries: [] });
    const by = { kind: 'operator', name: 'op' } as const;
    for (const to of members)
      await store.send(`mail/${to}`, { kind: 'mail.send', by, to, body: 'go', task: null });
    const due = nextJobs(store.state, store.now());
    expect(due.length).toBe(members.length);
    const refused: string[] = [];
    let commands = 0;
    workersAt(at, {
      concurrency: 4,
      handler: async ({ member, cause }) => {
        const outcome = await store.send(`turn/${++commands}`, { kind: 'turn.start', member, cause });
        if (outcome.kind === 'refused') refused.push(outcome.code);
      },
    });
    const asked = due.flatMap(({ member, cause }) => [
      job(cause, member),
      { ...job(cause, member), id: `${job(cause, member).id}~2` },
      job(0, member),
    ]);
    const shuffled = fc.sample(fc.shuffledSubarray(asked, { minLength: asked.length }), 1)[0] ?? [];
    for (const one of shuffled) await queue.enqueue(one);
    await isEmpty(queue);
    expect([...store.state.members.values()].map(({ life, turns }) => [life.kind, turns])).toEqual(
      members.map(() => ['working', 1]),
    );
    expect(refused).toHaveLength(asked.length - members.length);
    // What the promise says is what was just seen.
    expect(await sourcesOfDispatch()).toMatch(
      /a job of BullMQ runs at least once: what makes it one turn is the\s.*fence/,
    );
  });

  test('Q18: a job that never ends holds its own slot only', async () => {
    const at = redis();
    const queue = queueAt(at);
    const ran: string[] = [];
    const workers = workersAt(at, {
      concurrency: 2,
      handler: async ({ member }, signal) => {
        if (member === 'endless') await untilCalledOff(signal);
        ran.push(member);
      },
    });
    await queue.enqueue(job(1, 'endless'));
    for (let cause = 2; cause < 30; cause++) await queue.enqueue(job(cause));
    await until(() => ran.length === 28, { what: 'all others have run' });
    expect(workers.running()).toBe(1);
  });

  test('Q20: five thousand lines of logs in a job cost no lock, and none of them stands in Redis', async () => {
    const at = redis();
    const queue = queueAt(at);
    const file = join(await tempDir('logs'), 'log');
    const asked: string[] = [];
    workersAt(at, {
      timing: { lockMs: 1_000, stalledMs: 250 },
      stillHeld: async ({ id }) => {
        asked.push(id);
        return true;
      },
      handler: async () => {
        for (let line = 0; line < 5_000; line++) await appendFile(file, `line ${line} of a log that grows\n`);
      },
    });
    await queue.enqueue(job(1));
    await until(
      () =>
        readFile(file, 'utf8').then(
          (text) => text.includes('line 4999'),
          () => false,
        ),
      {
        what: 'the job has logged',
        ms: 50_000,
      },
    );
    await isEmpty(queue);
    expect(asked).toEqual([]);
    expect((await at.keys()).filter((key) => key.includes('logs'))).toEqual([]);
  });

  test.each([
    ['its owner proves its lease: nothing is aborted', true],
    ['its owner has lost its lease: it is called off through its own signal', false],
  ])('Q21: a job whose lock is lost goes on as long as %s', async (_, held) => {
    const at = redis();
    const queue = queueAt(at);
    const end = barrier(2);
    const ended: string[] = [];
    const lines: string[] = [];
    const workers = workersAt(at, {
      timing: { lockMs: 400, stalledMs: 60_000 },
      onTrouble: (line) => lines.push(line),
      stillHeld: async () => held,
      handler: async (_job, signal) => {
        try {
          await Promise.race([end.arrive(), untilCalledOff(signal)]);
          ended.push('by itself');
        } catch (error) {
          ended.push(error instanceof CancelledError ? error.code : 'other');
          throw error;
        }
      },
    });
    await queue.enqueue(job(1));
    await until(() => workers.running() === 1, { what: 'it runs' });
    const tools = seenByTools(at);
    const client = at.connect('queue').client;
    await client.connect();
    await client.set(`${tools.toKey(job(1).id)}:lock`, 'somebody else', 'PX', 60_000);
    await until(() => lines.length > 0, { what: 'the lock is missed' });
    if (held) {
      expect(ended).toEqual([]);
      await end.arrive();
    }
    await until(() => ended.length > 0, { what: 'it has ended' });
    expect(ended).toEqual([held ? 'by itself' : 'lease-lost']);
    await until(() => workers.running() === 0, { what: 'its slot is free' });
    expect(lines.filter((line) => line.includes('could not renew lock'))).toHaveLength(1);
  });

  test('Q23: ten workers of one process rest and are woken, and none hangs', async () => {
    const at = redis();
    const queue = queueAt(at);
    const pools = Array.from({ length: 10 }, (_, place) => poolOfHost(`h${place}`));
    const ran: string[] = [];
    let most = 0;
    const workers: BullMqWorkers<TurnJob> = workersAt(at, {
      pools,
      concurrency: 1,
      handler: async ({ pool }) => {
        most = Math.max(most, workers.running());
        ran.push(pool);
      },
    });
    for (let cause = 1; cause <= 3; cause++) {
      for (const pool of pools) await queue.enqueue(job(cause, 'ada', pool));
    }
    await until(() => ran.length === 30, { what: 'all jobs of all pools have run', ms: 30_000 });
    expect(most).toBe(1);
    expect(new Set(ran)).toEqual(new Set(pools));
  });

  test('Q28: a job that the queue lost is asked for again at a later look, and no key of the library keeps it out', async () => {
    const at = redis();
    const queue = queueAt(at);
    let now = 0;
    const due = new DueTurns({ queue, clock: { monotonicMs: () => now }, againMs: 100, onOverdue: () => {} });
    await due.look([job(1)]);
    await seenByTools(at).obliterate({ force: true });
    const ran: string[] = [];
    workersAt(at, {
      handler: async ({ id }) => {
        ran.push(id);
      },
    });
    now = 100;
    expect(await due.look([job(1)])).toEqual([{ kind: 'queued' }]);
    await until(() => ran.length === 1, { what: 'it runs' });
    expect(await sourcesOfDispatch()).not.toMatch(/dedup(lication)?\s*:|debounce/);
  });

  test('Q30: what is due by time comes from our own agenda, however often workers were opened again', async () => {
    const at = redis();
    const connection = at.connect('record');
    await connection.ready(AbortSignal.timeout(10_000));
    const agenda = new Agenda({ client: connection.client, names: at.names });
    const queue = queueAt(at);
    const ran: number[] = [];
    for (let boot = 1; boot <= 4; boot++) {
      await agenda.add('run-x-01', 20);
      const workers = workersAt(at, {
        handler: async ({ cause }) => {
          ran.push(cause);
        },
      });
      await until(async () => (await agenda.due(1)).length === 1, { what: 'the team is due' });
      await queue.enqueue(job(boot));
      await until(() => ran.length === boot, { what: `boot ${boot} works` });
      await workers.close(1_000);
    }
    expect(await sourcesOfDispatch()).not.toMatch(/upsertJobScheduler|\brepeat\s*:/);
  });

  test('what passes is tried again, the rest is told at once, and neither text stands in Redis', async () => {
    const at = redis();
    const queue = queueAt(at);
    const tries = new Map<string, number>();
    const failed: [string, string][] = [];
    workersAt(at, {
      handler: async ({ member }) => {
        tries.set(member, (tries.get(member) ?? 0) + 1);
        if (member === 'mends' && tries.get(member) === 3) return;
        const secret = 'the key sk-secret-of-somebody was refused';
        throw member === 'broken' ? new FatalError('broken', secret) : new RetryableError('busy', secret);
      },
      onError: ({ member }, error) => failed.push([member, error instanceof Error ? error.message : '']),
    });
    for (const member of ['mends', 'broken', 'never']) await queue.enqueue(job(1, member));
    await until(() => failed.length === 2, { what: 'two are given up', ms: 30_000 });
    await isEmpty(queue);
    expect(Object.fromEntries(tries)).toEqual({ mends: 3, broken: 1, never: 5 });
    expect(failed.map(([member]) => member)).toEqual(['broken', 'never']);
    for (const [, text] of failed) expect(text).toContain('sk-secret'); // Whoever ran it hears the whole.
    const kept = await seenByTools(at).getFailed();
    expect(kept.map(({ failedReason }) => failedReason).sort()).toEqual(['broken', 'busy']);
    expect(JSON.stringify(kept)).not.toContain('sk-secret');
  });
});
