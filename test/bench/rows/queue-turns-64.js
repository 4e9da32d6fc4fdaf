/** What our workers add to the queue library's own, 64 at once, where a turn itself costs nothing. */

import { addAll, RowQueues, workAll } from '../queue.js';
import { missingForRedis } from '../redis.js';

const TURNS = 2_000;
const AT_ONCE = 64;
const queues = new RowQueues();

const side = (open) => ({
  async prepare() {
    const opened = await open();
    await addAll(opened, TURNS);
    return opened;
  },
  run: (opened) => workAll(opened, AT_ONCE, TURNS),
  release: (opened) => opened.release(),
});

export const row = {
  name: 'queue-turns-64',
  measures: `${TURNS} turns that do nothing through our workers, ${AT_ONCE} at once, from opening them to the last`,
  reference: 'as many jobs through a Worker of the library with a handler that does nothing',
  goal: null,
  floor: null,
  rounds: 15,
  warmup: 3,
  cpu: 'self',
  missing: missingForRedis,
  release: () => queues.stop(),
  ours: side(() => queues.ours()),
  theirs: side(() => queues.theirs()),
};
