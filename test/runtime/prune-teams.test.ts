// Which teams are put away because they ended long ago, on both engines (spec/engine.md §3).
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cleanupTeam } from '../../src/runtime/cleanup-team.js';
import { oldTeams, pruneTeams } from '../../src/runtime/prune-teams.js';
import { listTeams } from '../../src/runtime/teams.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { onRedis } from '../helpers/redis-team.js';
import { startJob, type TestHouse, writeMission } from '../helpers/team.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { JOB } from './job.js';
import { ASKS, crashed } from './left-behind.js';

/** The same house, so much later. */
function later(at: TestHouse, ms: number): TestHouse['house'] {
  const { clock } = at.house;
  return {
    ...at.house,
    clock: { wallMs: () => clock.wallMs() + ms, monotonicMs: () => clock.monotonicMs() },
  };
}

const HOUR = 3_600_000;

describe('teams in files', () => {
  test('what has ended long ago is archived; what ended just now, lives, or can go on stays', async () => {
    const { at, id: left } = await crashed();
    const done = await startJob(at);
    await done.ended();
    const ended = done.live.id;
    expect(await oldTeams(at.house, HOUR)).toEqual({ teams: [], findings: [] });
    const house = later(at, 2 * HOUR);
    const old = await oldTeams(house, HOUR);
    expect(old.teams.map(({ id }) => id)).toEqual([ended]);
    const [first] = old.teams;
    expect(first).toMatchObject({ reason: 'done', ended: expect.stringMatching(/^\d{4}-.*Z$/) });
    const pruned = await pruneTeams(house, old.teams);
    expect(pruned.findings).toEqual([]);
    expect(pruned.away.map(({ id }) => id)).toEqual([ended]);
    expect(await readdir(join(house.home, 'archive'))).toEqual([ended]);
    expect((await listTeams(house)).map(({ id }) => id)).toEqual([left]);
  });

  test('a record that cannot be read is told, and costs the others nothing', async () => {
    const at = await writeMission(JOB);
    const [one, other] = [await startJob(at), await startJob(at)];
    await Promise.all([one.ended(), other.ended()]);
    await writeFile(join(one.live.folder, 'log.jsonl'), 'x\ny\n');
    const old = await oldTeams(later(at, HOUR), HOUR / 2);
    expect(old.teams.map(({ id }) => id)).toEqual([other.live.id]);
    expect(old.findings).toMatchObject([{ code: 'log-broken', path: one.live.id }]);
  });
});

describeRedis('teams on Redis', () => {
  const redis = redisForTests();

  test('the same: what has ended is archived and off the server, what lives stays', async () => {
    const on = redis();
    const at = onRedis(await writeMission(ASKS), on);
    const live = await startJob(at, {}, true);
    await live.fact('request.opened');
    const done = onRedis({ ...(await writeMission(JOB)) }, on);
    const ended = await startJob(done);
    await ended.ended();
    const house = later(done, 2 * HOUR);
    // The sign of life of a team that has ended lapses with its lease.
    const old = await until(
      async () => {
        const found = await oldTeams(house, HOUR);
        return found.teams.length > 0 ? found : undefined;
      },
      { what: 'the team is seen to be nobody’s' },
    );
    expect(old.teams.map(({ id }) => id)).toEqual([ended.live.id]);
    const pruned = await pruneTeams(house, old.teams);
    expect(pruned).toMatchObject({ away: [{ id: ended.live.id }], findings: [] });
    const left = await on.keys();
    expect(left.filter((key) => key.includes(ended.live.id))).toEqual([]);
    expect(left).toContain(on.names.log(live.live.id));
  });

  test('what only this machine has of a team that was put away from another one goes as well, with what killed workers have left', async () => {
    const on = redis();
    const here = onRedis(await writeMission(JOB), on);
    const team = await startJob(here);
    await team.ended();
    const { id, folder } = team.live;
    const elsewhere = { ...here.house, home: await tempDir() };
    expect(await cleanupTeam(elsewhere, id, { purge: false })).toMatchObject({ kind: 'found' });
    const served = join(here.house.home, 'served', on.prefix);
    await mkdir(join(served, 'run-of-a-killed-worker', 'processes'), { recursive: true });
    await mkdir(join(served, 'run-with-work', 'workspace'), { recursive: true });
    expect((await oldTeams(here.house, HOUR)).teams).toEqual([]);
    const house = later(here, 2 * HOUR);
    const old = await oldTeams(house, HOUR);
    expect(old.teams).toMatchObject([{ id, reason: 'done' }]);
    expect(await pruneTeams(house, old.teams)).toMatchObject({ away: [{ id }], findings: [] });
    expect(await readdir(served)).toEqual(['run-with-work']);
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(join(house.home, 'archive'))).toEqual([id]);
    expect(await on.keys()).toEqual([]);
  });
});
