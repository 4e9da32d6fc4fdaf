// What becomes of a team whose server loses its record, whole or in part (spec/engine.md §1 "Loss", case Q31).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileRecord } from '../../../src/events/record-view.js';
import { readRedisRecord } from '../../../src/events/redis/redis-view.js';
import { isMirrored, mirrorFolder } from '../../../src/runtime/engine/mend-from-mirror.js';
import { answerRequest } from '../../../src/runtime/operator.js';
import { listTeams } from '../../../src/runtime/teams.js';
import { verifyTeam } from '../../../src/runtime/verify-team.js';
import { describePrivateRedis, privateRedisForTests, type TestRedis } from '../../helpers/redis.js';
import { onRedis } from '../../helpers/redis-team.js';
import { resumeJob, startJob, type TestHouse, type WatchedTeam, writeMission } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';
import { JOB } from '../job.js';
import { ASKS } from '../left-behind.js';

describePrivateRedis('a server that loses a team', () => {
  const redis = privateRedisForTests();

  async function client(on: TestRedis) {
    const connection = on.connect();
    await connection.ready(AbortSignal.timeout(10_000));
    return connection;
  }

  /** A team that waits for an answer, all of it mirrored. */
  async function waiting(on: TestRedis): Promise<{ at: TestHouse; team: WatchedTeam; folder: string }> {
    const at = onRedis(await writeMission(ASKS), on);
    const team = await startJob(at, {}, true);
    await team.fact('turn.ended', ({ member }) => member === 'worker');
    const { folder } = team.live;
    await until(async () => (await isMirrored(folder)) && (await seen(folder)) >= team.entries.length, {
      what: 'the mirror has it all',
    });
    return { at, team, folder };
  }

  const seen = async (folder: string): Promise<number> =>
    (await readFileRecord(mirrorFolder(folder), 'strict').log()).entries.length;

  test('the mirror holds at the end what the server holds', async () => {
    const on = redis();
    const at = onRedis(await writeMission(JOB), on);
    const team = await startJob(at);
    await team.ended();
    const mirror = readFileRecord(mirrorFolder(team.live.folder), 'strict');
    const view = readRedisRecord({
      connection: await client(on),
      names: on.names,
      team: team.live.id,
      reading: 'strict',
    });
    expect((await mirror.log()).entries).toEqual((await view.log()).entries);
    expect(await mirror.members()).toEqual(await view.members());
    for (const member of await view.members())
      expect((await mirror.transcript(member)).entries).toEqual((await view.transcript(member)).entries);
    expect(await mirror.blobs()).toEqual(await view.blobs());
  });

  test('all is lost while it runs: the run ends by name, resume puts the record back, and the team ends', async () => {
    const on = redis();
    const { at, team } = await waiting(on);
    const { id } = team.live;
    const line = await client(on);
    for (const key of await on.keys()) await line.client.del(key);
    expect(await team.ended()).toMatchObject({
      recorded: false,
      detail: expect.stringContaining(on.names.log(id)),
    });
    expect((await listTeams(at.house)).map((one) => one.id)).toEqual([id]);
    const again = await resumeJob(at, id, true);
    await answerRequest(at.house, id, 'r1', 'teal');
    expect(await again.ended()).toMatchObject({ reason: 'done' });
    expect(await verifyTeam(at.house, id)).toMatchObject({ value: { ok: true } });
  });

  test('the end of the log is lost: what the server holds stands, the lost tail is kept and told', async () => {
    const on = redis();
    const { at, team, folder } = await waiting(on);
    const { id } = team.live;
    await team.live.stop('stop');
    await team.ended();
    const line = await client(on);
    const key = on.names.log(id);
    const [newest] = await line.client.xrevrange(key, '+', '-', 'COUNT', 1);
    await line.client.xdel(key, newest?.[0] ?? '');
    const again = await resumeJob(at, id, true);
    const lost = await readFile(join(folder, 'log.lost'), 'utf8');
    expect(lost).toContain('"run.ended"');
    await again.live.stop('stop');
    await again.ended();
  });
});
