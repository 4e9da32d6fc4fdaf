/** How many decisions a second one process gets into the log on Redis when many are made at once. */

import { entryAt, load, missingForRedis, RowRedis } from '../redis.js';

const AT_ONCE = 50;
const WAVES = 400;
const TEAM = 'run-bench-1';
const redis = new RowRedis();

export const row = {
  name: 'redis-decisions',
  measures: `${WAVES} × ${AT_ONCE} decisions appended to the log on Redis, ${AT_ONCE} at once, which go together`,
  reference: `the same, ${AT_ONCE} in one JSON text, by bare XADD on the same server`,
  goal: null,
  floor: null,
  rounds: 15,
  warmup: 3,
  cpu: 'self',
  counts: { what: 'decisions', perRun: AT_ONCE * WAVES, goalPerSecond: 200_000 },
  missing: missingForRedis,
  serverCpuMs: () => redis.cpuMs(),
  release: () => redis.stop(),
  ours: {
    prepare: async () => ({ ...(await redis.record(TEAM)), waves: await waves() }),
    async run({ record, waves }) {
      for (const wave of waves) await Promise.all(wave.map((entry) => record.log.append(entry)));
    },
    release: ({ end }) => end(),
  },
  theirs: {
    prepare: async () => ({ ...(await redis.connect()), waves: await waves() }),
    async run({ connection, names, waves }) {
      const key = names.log(TEAM);
      for (const wave of waves)
        await connection.client.xadd(key, `0-${wave[0].first}`, 'e', JSON.stringify(wave));
    },
    release: ({ names, release }) => release([names.log(TEAM)]),
  },
};

async function waves() {
  const { RECORD_VERSION } = await load('events/log-entry.js');
  return Array.from({ length: WAVES }, (_, wave) =>
    Array.from({ length: AT_ONCE }, (_, place) => entryAt(RECORD_VERSION, wave * AT_ONCE + place + 1)),
  );
}
