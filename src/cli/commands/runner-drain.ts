/** `bnerd runner drain`. */

import { drain } from '../../runtime/runners/runner-list.js';
import { argument, type Call } from '../call.js';
import { onRedis } from '../on-redis.js';
import { refuse } from '../refusal.js';

export function run(call: Call): Promise<number> {
  const { program } = call;
  const typed = argument(call, 'id');
  return onRedis(call, 'runners are on a Redis', async (house, redis) => {
    const drained = await drain(house, redis, typed);
    if (drained.kind === 'refused') {
      const { code, message } = drained;
      return refuse(program, [
        { code, severity: 'error', path: typed, message, remedy: 'bnerd runners lists them' },
      ]);
    }
    program.output.results.write(
      `${drained.id} takes no more briefs, and ends when those that it has have ended\n`,
    );
    return 0;
  });
}
