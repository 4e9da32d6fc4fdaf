/** `bnerd workers`. */

import { listWorkers } from '../../runtime/workers/worker-list.js';
import { FatalError, UserError } from '../../shared/errors.js';
import { jsonDocument } from '../../shared/terminal-text.js';
import { houseOf } from '../build-house.js';
import { type Call, isGiven } from '../call.js';
import { noRedis } from '../no-redis.js';
import { refuse } from '../refusal.js';
import { workersText } from '../texts/workers-text.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const house = await houseOf(call, 'records');
  if (house.kind === 'refused') return refuse(program, house.findings);
  const { redis } = house.value;
  if (redis === null) return refuse(program, [noRedis('workers are listed on a Redis')]);
  try {
    const workers = await listWorkers(house.value, redis);
    const json = jsonDocument({ v: 1, workers });
    program.output.results.write(isGiven(call, 'json') ? json : workersText(workers));
    return 0;
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
    const { code, message } = error;
    const remedy = 'bnerd doctor says what is the matter';
    return refuse(
      program,
      [{ code, severity: 'error', path: redis.address.shown, message, remedy }],
      'text',
      1,
    );
  }
}
