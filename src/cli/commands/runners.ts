/** `bnerd runners`. */

import { listRunners } from '../../runtime/runners/runner-list.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { type Call, isGiven } from '../call.js';
import { onRedis } from '../on-redis.js';
import { runnersText } from '../texts/runners-text.js';

export function run(call: Call): Promise<number> {
  return onRedis(call, 'runners are listed on a Redis', async (house, redis) => {
    const runners = await listRunners(house, redis);
    const json = jsonDocument({ v: 1, runners });
    call.program.output.results.write(isGiven(call, 'json') ? json : runnersText(runners));
    return 0;
  });
}
