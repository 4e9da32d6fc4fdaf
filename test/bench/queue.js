/** What the rows of the queue share: our two sides and those of the library alone, each on connections of its own. */

import { load, missingForRedis, RowRedis } from './redis.js';

/** A turn that is due, as a coordinator asks for it. */
const due = (turnJob, cause) =>
  turnJob({ team: 'run-bench-1', member: 'worker', role: 'engineer', cause, pool: 'turns' });

/** Two sides of a row, over one server. */
export class RowQueues {
  #redis = new RowRedis();

  stop() {
    return this.#redis.stop();
  }

  serverCpuMs() {
    return this.#redis.cpuMs();
  }

  /** `add(cause)`, `work(atOnce, handler)` and `release()`, through our queue and workers. */
  async ours() {
    const { connect, names, removeAll } = await this.#connect();
    const { BullMqQueue } = await load('dispatch/bullmq-queue.js');
    const { BullMqWorkers } = await load('dispatch/bullmq-workers.js');
    const { isTurnJob, turnJob } = await load('dispatch/job.js');
    const { systemClock } = await load('shared/clock.js');
    const fail = (error) => {
      throw new Error(String(error));
    };
    const queue = new BullMqQueue({ connect, names, clock: systemClock, onTrouble: fail });
    let workers;
    return {
      async add(cause) {
        const { kind } = await queue.enqueue(due(turnJob, cause));
        if (kind !== 'queued') throw new Error(`job ${cause} was ${kind}`);
      },
      work(concurrency, handler) {
        workers = new BullMqWorkers({
          connect,
          names,
          clock: systemClock,
          pools: ['turns'],
          concurrency,
          takes: isTurnJob,
          stillHeld: async () => true,
          handler,
          onTrouble: fail,
          onError: (_job, error) => fail(error),
        });
      },
      async release() {
        await workers?.close(5_000);
        await queue.close();
        await removeAll();
      },
    };
  }

  /** The same with Queue and Worker of the library, and nothing around them. */
  async theirs() {
    const { connect, names, removeAll } = await this.#connect();
    const { Queue, Worker } = await import('bullmq');
    const prefix = names.queueKeys;
    const connections = [connect(), connect()];
    const queue = new Queue(names.turns, { connection: connections[0], prefix });
    let worker;
    return {
      add: (cause) => queue.add('turn', { cause }, { removeOnComplete: true, jobId: `job-${cause}` }),
      work(concurrency, handler) {
        worker = new Worker(names.turns, handler, { connection: connections[1], prefix, concurrency });
      },
      async release() {
        await worker?.close();
        await queue.close();
        for (const connection of connections) connection.disconnect();
        await removeAll();
      },
    };
  }

  async #connect() {
    const { connection, names, release } = await this.#redis.connect();
    const patient = { maxRetriesPerRequest: null, enableOfflineQueue: true, lazyConnect: false };
    return {
      names,
      connect: () => connection.client.duplicate(patient),
      removeAll: async () => release(await connection.client.keys(names.everyKey)),
    };
  }
}

/** Turns of a row that counts how fast they go. */
const TURNS = 2_000;

/** The row of turns that cost nothing themselves, so many at once. */
export function turnsRow(atOnce) {
  const queues = new RowQueues();
  const side = (open) => ({
    async prepare() {
      const opened = await open();
      await addAll(opened, TURNS);
      return opened;
    },
    run: (opened) => workAll(opened, atOnce, TURNS),
    release: (opened) => opened.release(),
  });
  return {
    name: `queue-turns-${atOnce}`,
    measures: `${TURNS} turns that do nothing through our workers, ${atOnce} at once, from opening them to the last`,
    reference: 'as many jobs through a Worker of the library with a handler that does nothing',
    goal: null,
    floor: null,
    rounds: 15,
    warmup: 3,
    cpu: 'self',
    missing: missingForRedis,
    serverCpuMs: () => queues.serverCpuMs(),
    release: () => queues.stop(),
    ours: side(() => queues.ours()),
    theirs: side(() => queues.theirs()),
  };
}

/** Adds jobs 1 to `count`, a hundred in flight. */
async function addAll(side, count) {
  for (let first = 1; first <= count; first += 100) {
    const causes = Array.from({ length: Math.min(100, count - first + 1) }, (_, more) => first + more);
    await Promise.all(causes.map((cause) => side.add(cause)));
  }
}

/** Works until so many jobs have been run. */
function workAll(side, atOnce, count) {
  return new Promise((resolve) => {
    let ran = 0;
    side.work(atOnce, async () => {
      if (++ran === count) resolve();
    });
  });
}
