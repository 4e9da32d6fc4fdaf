/**
 * One worker, measured. At each line of stdin, which says how many turns have ended by then and in how many teams, it waits for
 * that, and says what the heap holds; and what it holds of the states of these teams alone, folded from their logs.
 * Run with --expose-gc. argv: address, prefix, folder of the mission.
 */

import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from '../redis.js';
import { command } from './program.js';

const [url, prefix, workspace] = process.argv.slice(2);
const { RedisConnection } = await load('events/redis/connection.js');
const { redisAddress } = await load('events/redis/redis-address.js');
const { readRedisRecord } = await load('events/redis/redis-view.js');
const { redisNames } = await load('shared/redis-names.js');
const { fold } = await load('state/team-store.js');

const WAIT_MS = 300_000;
const connection = new RedisConnection(redisAddress(url), 'record');
await connection.ready(AbortSignal.timeout(20_000));
const names = redisNames(prefix);
const logOf = async (place) =>
  (await readRedisRecord({ connection, names, team: `idle-${place}`, reading: 'strict' }).log()).entries;
const heap = () => {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
};

async function turnsEnded(teams) {
  let ended = 0;
  for (let place = 1; place <= teams; place++) {
    const entries = await logOf(place).catch(() => []); // It has not begun.
    ended += entries.flatMap(({ facts }) => facts).filter(({ type }) => type === 'turn.ended').length;
  }
  return ended;
}

void command(['worker', '--concurrency', '256'], process.env, workspace).then(({ said }) => {
  console.error(said);
  process.exit(1);
});
for await (const line of createInterface({ input: process.stdin })) {
  const [turns, teams] = line.split(' ').map(Number);
  const until = performance.now() + WAIT_MS;
  while ((await turnsEnded(teams)) < turns) {
    if (performance.now() > until) throw new Error(`${turns} turns did not end in time`);
    await delay(500);
  }
  const held = heap();
  const states = [];
  for (let place = 1; place <= teams; place++) states.push(fold(await logOf(place)));
  console.log(JSON.stringify({ held, states: heap() - held, teams: states.length }));
}
