/**
 * What compare-and-set, the chain and the check of an entry add to the bare command that puts it into a stream; and beside
 * it what any script adds, were it to do nothing but the command.
 */

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
  serverCpuMs: () => redis.cpuMs(),
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
  theirs: bare((client) => (key, id, text) => client.xadd(key, id, 'e', text)),
  beside: {
    'a script that only adds': bare(async (client) => {
      const sha = await client.script('LOAD', "return redis.call('XADD', KEYS[1], ARGV[1], 'e', ARGV[2])");
      return (key, id, text) => client.evalsha(sha, 1, key, id, text);
    }),
  },
};

/** A side that adds the entries as JSON, and looks at nothing. */
function bare(adding) {
  return {
    async prepare() {
      const { RECORD_VERSION } = await load('events/log-entry.js');
      const opened = await redis.connect();
      return { ...opened, add: await adding(opened.connection.client), version: RECORD_VERSION };
    },
    async run({ add, names, version }) {
      const key = names.log(TEAM);
      for (let first = 1; first <= ENTRIES; first++) {
        await add(key, `0-${first}`, JSON.stringify(entryAt(version, first)));
      }
    },
    release: ({ names, release }) => release([names.log(TEAM)]),
  };
}
