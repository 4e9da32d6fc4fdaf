/** What compare-and-set, the chain and the check of an entry add to the bare command that puts it into a stream. */

import { entryAt, load, missingForRedis, RowRedis } from '../redis.js';

const ENTRIES = 2_000;
const TEAM = 'run-bench-1';
const redis = new RowRedis();

export const row = {
  name: 'redis-append',
  measures: `${ENTRIES} entries appended to the log on Redis one by one, each when the one before is acknowledged`,
  reference: 'the same entries as JSON by bare XADD on the same server, one by one',
  // At least 85 % of its rate.
  goal: 1.18,
  floor: null,
  rounds: 15,
  warmup: 3,
  cpu: 'self',
  counts: { what: 'entries', perRun: ENTRIES, goalPerSecond: null },
  missing: missingForRedis,
  release: () => redis.stop(),
  ours: {
    async prepare() {
      const { RECORD_VERSION } = await load('events/log-entry.js');
      return { ...(await redis.record(TEAM)), version: RECORD_VERSION };
    },
    async run({ record, version }) {
      for (let first = 1; first <= ENTRIES; first++) await record.log.append(entryAt(version, first));
    },
    release: ({ end }) => end(),
  },
  theirs: {
    async prepare() {
      const { RECORD_VERSION } = await load('events/log-entry.js');
      return { ...(await redis.connect()), version: RECORD_VERSION };
    },
    async run({ connection, names, version }) {
      const key = names.log(TEAM);
      for (let first = 1; first <= ENTRIES; first++) {
        await connection.client.xadd(key, `0-${first}`, 'e', JSON.stringify(entryAt(version, first)));
      }
    },
    release: ({ names, release }) => release([names.log(TEAM)]),
  },
};
