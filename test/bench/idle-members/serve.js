/** One worker, measured (`looks.js`). Run with --expose-gc. argv: address, prefix, folder of the mission. */

import { load } from '../redis.js';
import { answerLooks } from './looks.js';
import { command } from './program.js';

const [url, prefix, workspace] = process.argv.slice(2);
const { RedisConnection } = await load('events/redis/connection.js');
const { redisAddress } = await load('events/redis/redis-address.js');
const { readRedisRecord } = await load('events/redis/redis-view.js');
const { redisNames } = await load('shared/redis-names.js');

const connection = new RedisConnection(redisAddress(url), 'record');
await connection.ready(AbortSignal.timeout(20_000));
const names = redisNames(prefix);

void command(['worker', '--concurrency', '256'], process.env, workspace).then(({ said }) => {
  console.error(said);
  process.exit(1);
});
await answerLooks(async (place) => {
  const reading = readRedisRecord({ connection, names, team: `idle-${place}`, reading: 'strict' });
  return (await reading.log()).entries;
});
