/** How long a member that is due waits for its turn to start when a worker is idle: one after the other. */

import { RowQueues } from '../queue.js';
import { missingForRedis } from '../redis.js';

const TURNS = 500;
const queues = new RowQueues();

const side = (open) => ({
  async prepare() {
    const opened = await open();
    let started = () => {};
    opened.work(1, async () => started());
    const start = async (cause) => {
      const begun = new Promise((resolve) => {
        started = resolve;
      });
      await opened.add(cause);
      await begun;
    };
    await start(0); // The worker is open and waits.
    return { opened, start };
  },
  async run({ start }) {
    const waits = [];
    for (let cause = 1; cause <= TURNS; cause++) {
      const due = performance.now();
      await start(cause);
      waits.push(performance.now() - due);
    }
    return waits;
  },
  release: ({ opened }) => opened.release(),
});

export const row = {
  name: 'queue-start',
  measures: `${TURNS} members that come due one after the other, each from being due to the start of its turn`,
  reference: 'as many jobs of the library, each from its add to its handler',
  goal: 1.5,
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
