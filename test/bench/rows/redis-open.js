/** What a worker waits for that takes up a team with a long log, with a snapshot of it and without. */

import { longLog } from '../long-log.js';
import { load, missingForRedis, RowRedis } from '../redis.js';

/** Turns of some eight facts each. */
const TURNS = 12_500;
const TEAM = 'run-bench-1';
const CODE = 'bench';
const redis = new RowRedis();
/** Opened for all rounds: each opens the same log. */
let place;

const side = (code) => ({
  async prepare() {
    place ??= longTeam();
    return place;
  },
  async run({ connection, names, clock }) {
    const { openRedisRecord } = await load('events/redis/redis-record.js');
    const { TeamStore } = await load('state/team-store.js');
    const snapshots = { code, afterFacts: Number.MAX_SAFE_INTEGER };
    const options = { connection, names, team: TEAM, mode: 'open', clock, snapshots };
    const record = await openRedisRecord(options);
    await TeamStore.open(record.log, clock);
    await record.close();
  },
});

export const row = {
  name: 'redis-open',
  measures: 'a team with a log of some 100,000 facts on Redis opened, with a snapshot of it',
  reference: 'the same without: its log read, checked and folded from the first entry',
  goal: null,
  floor: null,
  rounds: 9,
  warmup: 2,
  cpu: 'self',
  missing: missingForRedis,
  serverCpuMs: () => redis.cpuMs(),
  async release() {
    const { release, connection, names } = await place;
    await release(await connection.client.keys(names.everyKey));
    await redis.stop();
  },
  ours: side(CODE),
  theirs: side('none'),
};

async function longTeam() {
  const { LOG_START, seal } = await load('events/redis/log-stream.js');
  const { openRedisRecord } = await load('events/redis/redis-record.js');
  const { ServerClock } = await load('events/redis/server-clock.js');
  const { systemClock } = await load('shared/clock.js');
  const { foldLog } = await load('state/fold-log.js');
  const { snapshotText } = await load('state/snapshot.js');
  const opened = await redis.connect();
  const { connection, names } = opened;
  const clock = await ServerClock.ask(connection.client, systemClock);
  let head = LOG_START;
  for (const line of await longLog(TURNS)) {
    const { first, facts } = JSON.parse(line);
    const sealed = seal(TEAM, 'bench', head, { lines: [line], next: first + facts.length });
    await connection.client.xadd(names.log(TEAM), sealed.head.id, ...sealed.fields);
    head = sealed.head;
  }
  const snapshots = { code: CODE, afterFacts: Number.MAX_SAFE_INTEGER };
  const record = await openRedisRecord({ connection, names, team: TEAM, mode: 'open', clock, snapshots });
  const { state, walls } = await foldLog(record.log);
  await record.log.snapshots.keep({ next: state.next, text: snapshotText({ state, walls }) });
  await record.close();
  return { ...opened, clock };
}
