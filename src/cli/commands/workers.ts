/** `bnerd workers`. */

import { listWorkers } from '../../runtime/workers/worker-list.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { onRedis } from '../on-redis.js';
import { workersText } from '../texts/workers-text.js';

export function run(call: Call): Promise<number> {
  return onRedis(call, 'workers are listed on a Redis', async (house, redis) => {
    const workers = await listWorkers(house, redis);
    const json = jsonDocument({ v: 1, workers });
    call.program.output.results.write(isGiven(call, 'json') ? json : workersText(workers));
    return 0;
  });
}
