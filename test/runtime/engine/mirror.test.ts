// What becomes of a team whose server loses its record, whole or in part (spec/engine.md §1 "Loss", case Q31).
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileRecord } from '../../../src/events/record-view.js';
import { readMirror } from '../../../src/events/redis/mirror-file.js';
import type { Mirrored } from '../../../src/events/redis/mirror-lines.js';
import { openTranscriptStream } from '../../../src/events/redis/redis-transcripts.js';
import { readRedisRecord } from '../../../src/events/redis/redis-view.js';
import { cleanupTeam } from '../../../src/runtime/cleanup-team.js';
import { mirrorPath } from '../../../src/runtime/engine/mend-from-mirror.js';
import { namedTeam } from '../../../src/runtime/named-team.js';
import { answerRequest } from '../../../src/runtime/operator.js';
import { resumeTeam } from '../../../src/runtime/resume-team.js';
import { listTeams, teamStatus } from '../../../src/runtime/teams.js';
import { verifyTeam } from '../../../src/runtime/verify-team.js';
import { sha256 } from '../../../src/shared/digest.js';
import { describePrivateRedis, privateRedisForTests, type TestRedis } from '../../helpers/redis.js';
import { onRedis } from '../../helpers/redis-team.js';
import {
  resumeJob,
  seenThrough,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../../helpers/team.js';
import { until } from '../../helpers/until.js';
import { JOB } from '../job.js';
import { ASKS, resume } from '../left-behind.js';

describePrivateRedis('a server that loses a team', () => {
  const redis = privateRedisForTests();

  async function client(on: TestRedis) {
    const connection = on.connect();
    await connection.ready(AbortSignal.timeout(10_000));
    return connection;
  }

  async function mirrorOf({ live }: Pick<WatchedTeam, 'live'>): Promise<Mirrored> {
    const mirror = await readMirror(mirrorPath(live.folder), live.id);
    if (mirror === undefined) throw new Error('there is no mirror');
    return mirror;
  }

  /** A team that waits for an answer, all of it mirrored. */
  async function waiting(on: TestRedis): Promise<{ at: TestHouse; team: WatchedTeam; id: string }> {
    const at = onRedis(await writeMission(ASKS), on);
    const team = await startJob(at, {}, true);
    await team.fact('turn.ended', ({ member }) => member === 'worker');
    await until(
      async () => (await mirrorOf(team).catch(() => undefined))?.entries.length === team.entries.length,
      { what: 'the mirror has it all' },
    );
    return { at, team, id: team.live.id };
  }

  /** As FLUSHALL does, for whoever has this prefix. */
  async function loseAll(on: TestRedis): Promise<void> {
    const line = await client(on);
    const keys = await on.keys();
    if (keys.length > 0) await line.client.del(...keys);
  }

  /** As a coordinator that was killed has left it: its mirror says nothing of an end. */
  async function left(team: WatchedTeam): Promise<void> {
    const path = mirrorPath(team.live.folder);
    const bytes = await readFile(path);
    await team.live.stop('stop');
    await team.ended();
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }

  test('the mirror holds at the end what the server holds, digests of the log included', async () => {
    const on = redis();
    const at = onRedis(await writeMission(JOB), on);
    const team = await startJob(at);
    await team.ended();
    const mirror = await mirrorOf(team);
    const connection = await client(on);
    const view = readRedisRecord({ connection, names: on.names, team: team.live.id, reading: 'strict' });
    expect(mirror.entries).toEqual((await view.log()).entries);
    expect(mirror.log).toEqual(await connection.client.xrange(on.names.log(team.live.id), '-', '+'));
    expect([...mirror.memories.keys()].sort()).toEqual(await view.members());
    for (const [member, raw] of mirror.memories)
      expect(openTranscriptStream(raw).entries).toEqual((await view.transcript(member)).entries);
    expect(mirror.texts.map((text) => sha256(text)).sort()).toEqual(await view.blobs());
  });

  test.each([
    ['all of it', loseAll],
    [
      'the log alone',
      async (on: TestRedis, id: string) => {
        await (await client(on)).client.del(on.names.log(id));
      },
    ],
  ])(
    '%s is lost while it runs: whoever coordinates puts it back and goes on, and says so',
    async (_, lose) => {
      const on = redis();
      const { at, team, id } = await waiting(on);
      const end = seenThrough(at, team, true);
      const before = team.facts.length;
      await lose(on, id);
      const resumed = await team.fact('run.resumed');
      expect(resumed.findings.map(({ code }) => code)).toContain('record-put-back');
      expect(team.numberOf((fact) => fact === resumed)).toBe(before + 1);
      await answerRequest(at.house, id, 'r1', 'teal');
      expect(await end).toMatchObject({ reason: 'done', recorded: true });
      expect(await verifyTeam(at.house, id)).toMatchObject({ value: { ok: true } });
      expect((await listTeams(at.house)).map((one) => one.id)).toEqual([id]);
    },
  );

  test('what nobody coordinates is not put back by itself: a resume asks for the word, and goes by it', async () => {
    const on = redis();
    const { at, team, id } = await waiting(on);
    await left(team);
    await loseAll(on);
    expect(await resume(at, id)).toMatchObject({
      kind: 'refused',
      findings: [
        { code: 'record-missing', message: expect.stringContaining('put away from another machine') },
      ],
    });
    expect(await listTeams(at.house)).toMatchObject([{ id, phase: 'unreadable', reason: 'record-missing' }]);
    const status = await teamStatus(at.house, id);
    expect(status).toMatchObject({ findings: [{ message: expect.stringContaining(`${id} --take-over`) }] });
    // A run of that name would be another team, with nothing to put this one back from.
    await expect(namedTeam(at.house, id)).rejects.toMatchObject({ code: 'record-missing' });
    expect(await on.keys()).toEqual([]);
    const options = { operatorPresent: true, onEntry: () => {}, takeOver: true };
    const again = await resumeTeam(at.house, id, options);
    if (again.kind !== 'live') throw new Error(JSON.stringify(again));
    await answerRequest(at.house, id, 'r1', 'teal');
    expect(await again.team.ended).toMatchObject({ reason: 'done' });
    expect(await verifyTeam(at.house, id)).toMatchObject({ value: { ok: true } });
  });

  test('a stale mirror brings no team back that was put away elsewhere; cleanup makes an archive of it', async () => {
    const on = redis();
    const { at, team, id } = await waiting(on);
    const here = mirrorPath(team.live.folder);
    const stale = await readFile(here);
    await team.live.stop('stop');
    await team.ended();
    const archive = join(at.house.home, 'archive');
    expect(await cleanupTeam(at.house, id, { purge: false })).toMatchObject({ kind: 'found' });
    expect(await on.keys()).toEqual([]);
    await expect(stat(here)).rejects.toMatchObject({ code: 'ENOENT' });
    // The same home as another machine would have it, which coordinated the run once.
    await mkdir(team.live.folder, { recursive: true });
    await writeFile(here, stale);
    expect(await resume(at, id)).toMatchObject({ findings: [{ code: 'record-missing' }] });
    expect(await on.keys()).toEqual([]);
    expect(await cleanupTeam(at.house, id, { purge: false })).toMatchObject({ kind: 'found' });
    expect(await on.keys()).toEqual([]);
    expect(await listTeams(at.house)).toEqual([]);
    const [, second = ''] = (await readdir(archive)).sort();
    const { entries } = await readFileRecord(join(archive, second), 'strict').log();
    const facts = entries.flatMap((entry) => entry.facts);
    expect(facts.find(({ type }) => type === 'run.ended')).toMatchObject({
      reason: 'failed',
      cause: 'error',
    });
    expect(facts.at(-1)).toMatchObject({ type: 'run.archived' });
  });

  test('a mirror that was changed puts nothing back, and says from which line on', async () => {
    const on = redis();
    const { at, team, id } = await waiting(on);
    await left(team);
    await loseAll(on);
    const path = mirrorPath(team.live.folder);
    const text = await readFile(path, 'utf8');
    await copyFile(path, `${path}.whole`);
    const line = text.slice(0, text.indexOf('run.started')).split('\n').length;
    await writeFile(path, text.replace('run.started', 'run.startef'));
    expect(await resume(at, id, true)).toMatchObject({
      findings: [
        { code: 'mirror-broken', message: expect.stringContaining(`${path}:${line}: line ${line}`) },
      ],
    });
    expect(await on.keys()).toEqual([]);
    // A tail that was never whole is no damage.
    await writeFile(path, `${await readFile(`${path}.whole`, 'utf8')}0123 {"kind":"l`);
    expect(await resume(at, id, true)).toMatchObject({ kind: 'live' });
    await cleanupTeam(at.house, id, { purge: true });
  });

  test('the end of the log is lost: what the server holds stands, the lost tail is kept and told, and no turn goes on', async () => {
    const on = redis();
    const { at, team, id } = await waiting(on);
    await team.live.stop('stop');
    await team.ended();
    const line = await client(on);
    const key = on.names.log(id);
    // As a replica that was behind would have it: nothing of the worker's turn but its start.
    const { log } = await mirrorOf(team);
    const start = team.numberOf((fact) => fact.type === 'turn.started' && fact.member === 'worker');
    await line.client.del(key);
    for (const [entry, fields] of log)
      if (Number(entry.slice(2)) <= start) await line.client.xadd(key, entry, ...fields);
    const again = await resumeJob(at, id, true);
    const resumed = await again.fact('run.resumed');
    expect(resumed).not.toHaveProperty('kept');
    expect(resumed.findings.map(({ code }) => code)).toContain('log-shorter');
    const lost = await readFile(join(team.live.folder, 'log.lost'), 'utf8');
    expect(lost).toContain('"run.ended"');
    expect(lost).not.toContain('"run.started"');
    await again.fact('request.opened');
    expect(await verifyTeam(at.house, id)).toMatchObject({ value: { ok: true } });
    await again.live.stop('stop');
    await again.ended();
  });
});
