/** What a member that waits costs the worker that serves its team. */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { BEFORE, byMember, IDLE, onMission, TEAMS } from '../idle-members/mission.js';
import { missingForRedis, RowRedis } from '../redis.js';

const redis = new RowRedis();

export const row = {
  name: 'idle-member',
  measures: `heap of a worker that serves ${TEAMS} teams of ${IDLE} members that wait after a turn, by member`,
  reference: 'the states of the same teams, folded from their logs, which whoever decides must have',
  goal: null,
  floor: null,
  rounds: 1,
  missing: missingForRedis,
  release: () => redis.stop(),
  size: { what: 'an idle member', goalBytes: 20_000 },
  async look() {
    const { connection, names, url, release } = await redis.connect();
    const environment = { BNERD_REDIS_URL: url, BNERD_REDIS_PREFIX: names.prefix };
    try {
      return await onMission(environment, async ({ workspace, start }) => {
        const coordinator = start('coordinate.js', [], workspace);
        const worker = start('serve.js', ['--expose-gc'], url, names.prefix, workspace);
        const ended = once(coordinator, 'exit').then(() => {
          throw new Error('the coordinator ended before all was measured');
        });
        ended.catch(() => {}); // In the end it is killed, when nobody waits for it any more.
        const answers = createInterface({ input: worker.stdout })[Symbol.asyncIterator]();
        const when = async (more, teams) => {
          coordinator.stdin.write(`${more}\n`);
          worker.stdin.write(`${teams * IDLE} ${teams}\n`);
          const { value, done } = await Promise.race([answers.next(), ended]);
          if (done) throw new Error('the worker ended before it was measured');
          return JSON.parse(value);
        };
        const before = await when(BEFORE, BEFORE);
        return byMember(before, await when(TEAMS, BEFORE + TEAMS));
      });
    } finally {
      await release(await connection.client.keys(names.everyKey));
    }
  },
};
