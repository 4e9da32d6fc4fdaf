import { expect, test } from 'vitest';
import { openRedisRecord } from '../../../src/events/redis/redis-record.js';
import { ServerClock } from '../../../src/events/redis/server-clock.js';
import { teamStatus } from '../../../src/runtime/teams.js';
import { systemClock } from '../../../src/shared/clock.js';
import { foldLog } from '../../../src/state/fold-log.js';
import { snapshotText } from '../../../src/state/snapshot.js';
import { describeRedis, redisForTests } from '../../helpers/redis.js';
import { onRedis } from '../../helpers/redis-team.js';
import { startJob, writeMission } from '../../helpers/team.js';
import { ASKS } from '../left-behind.js';

describeRedis('a look at a team on Redis', () => {
  const redis = redisForTests();

  test('status begins with the snapshot that somebody of this version has kept', async () => {
    const on = redis();
    const at = onRedis(await writeMission(ASKS), on);
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    await team.live.stop('stop');
    await team.ended();
    const { id } = team.live;
    const without = await teamStatus(at.house, id);

    const connection = on.connect();
    await connection.ready(AbortSignal.timeout(20_000));
    const clock = await ServerClock.ask(connection.client, systemClock);
    const snapshots = { code: at.house.version, afterFacts: Number.MAX_SAFE_INTEGER };
    const { names } = on;
    const record = await openRedisRecord({ connection, names, team: id, mode: 'open', clock, snapshots });
    const { state, walls } = await foldLog(record.log);
    // Its beginning is said to be another: so it is seen where a status has it from.
    const marked = { state, walls: { first: '2001-01-01T00:00:00.000Z', newest: walls?.newest ?? '' } };
    await record.log.snapshots?.keep({ next: state.next, text: snapshotText(marked) });
    await record.close();

    const withOne = await teamStatus(at.house, id);
    if (without.kind === 'refused' || withOne.kind === 'refused') throw new Error('the team is there');
    expect(withOne.value).toEqual({ ...without.value, started: '2001-01-01T00:00:00.000Z' });
  });
});
