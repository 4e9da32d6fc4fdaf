// How teams on Redis are put away, and that nothing of them is left there (spec/engine.md §3).
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Agenda } from '../../../src/dispatch/agenda.js';
import { registerWorker } from '../../../src/dispatch/presence.js';
import { readFileRecord } from '../../../src/events/record-view.js';
import { readRedisRecord } from '../../../src/events/redis/redis-view.js';
import { cleanupTeam } from '../../../src/runtime/cleanup-team.js';
import { engineOf } from '../../../src/runtime/engine/engine-of.js';
import { openLink, redisFolder } from '../../../src/runtime/engine/redis-link.js';
import { joinRedisTeam, type RedisTeam } from '../../../src/runtime/engine/redis-open.js';
import { verifyTeam } from '../../../src/runtime/verify-team.js';
import { NO_BOUNDS } from '../../../src/runtime/workers/fit.js';
import { Worker, type WorkerOptions } from '../../../src/runtime/workers/worker.js';
import { fold } from '../../../src/state/team-store.js';
import { stateDigest } from '../../../src/team/state-digest.js';
import { describeRedis, redisForTests, type TestRedis } from '../../helpers/redis.js';
import { openRecordOn } from '../../helpers/redis-record.js';
import { onRedis, redisPlace } from '../../helpers/redis-team.js';
import { startJob, type TestHouse, writeMission } from '../../helpers/team.js';
import { tempDir } from '../../helpers/temp-dir.js';
import { until } from '../../helpers/until.js';
import { JOB } from '../job.js';
import { ASKS } from '../left-behind.js';

describeRedis('a team on Redis is put away', () => {
  const redis = redisForTests();

  async function finished(on: TestRedis): Promise<{ at: TestHouse; id: string }> {
    const at = onRedis(await writeMission(JOB), on);
    const team = await startJob(at);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    return { at, id: team.live.id };
  }

  async function worker(at: TestHouse, on: TestRedis): Promise<Worker> {
    const options: WorkerOptions = {
      concurrency: 1,
      graceMs: 500,
      pools: ['any', 'host'],
      bounds: NO_BOUNDS,
      onTrouble: () => {},
    };
    const one = await Worker.start(at.house, redisPlace(on), options);
    onTestFinished(() => one.close());
    return one;
  }

  test('its archive says what the stream said, and no key is left', async () => {
    const on = redis();
    const { at, id } = await finished(on);
    const { connection } = await lineTo(on);
    const view = readRedisRecord({ connection, names: on.names, team: id, reading: 'strict' });
    const [log, worker] = [(await view.log()).entries, (await view.transcript('worker')).entries];
    const target = join(at.house.home, 'archive', id);
    expect(await cleanupTeam(at.house, id, { purge: false })).toEqual({
      kind: 'found',
      value: { text: `${id} is archived in ${target}` },
    });
    const archive = readFileRecord(target, 'strict');
    const { entries } = await archive.log();
    expect(stateDigest(fold(entries.slice(0, -1)))).toBe(stateDigest(fold(log)));
    expect(entries.at(-1)?.facts.at(-1)).toEqual({ type: 'run.archived', by: 'tester' });
    expect(worker.length).toBeGreaterThan(0);
    expect((await archive.transcript('worker')).entries).toEqual(worker);
    expect((await archive.blobs()).length).toBeGreaterThan(0);
    expect(await on.keys()).toEqual([]);
    await expect(stat(join(at.house.home, 'served', on.prefix, id))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    // What is in the archive is a record in files like any other.
    expect(await readFile(join(target, 'log.jsonl'), 'utf8')).toContain('"run.archived"');
  });

  test('--purge keeps nothing anywhere', async () => {
    const on = redis();
    const { at, id } = await finished(on);
    expect(await cleanupTeam(at.house, id, { purge: true })).toMatchObject({
      value: { text: `${id} is deleted` },
    });
    expect(await on.keys()).toEqual([]);
    await expect(readdir(join(at.house.home, 'archive'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('one that is live is stopped first, while a worker serves it; the worker goes on', async () => {
    const on = redis();
    const at = onRedis(await writeMission(ASKS), on, { takesTurns: false });
    const serving = await worker(at, on);
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    expect(await cleanupTeam(at.house, team.live.id, { purge: false })).toMatchObject({ kind: 'found' });
    expect(await team.ended()).toMatchObject({ reason: 'cancelled' });
    const ours = [`${on.prefix}:worker:`, `${on.prefix}:q:`];
    const left = (await on.keys()).filter((key) => !ours.some((beginning) => key.startsWith(beginning)));
    expect(left, 'of the team nothing is left').toEqual([]);
    await serving.close();
    expect(await on.keys(), 'the last to go takes the queues away').toEqual([]);
  });

  test('a worker with a home of its own leaves no folder there when it lets the team go', async () => {
    const on = redis();
    const at = onRedis(await writeMission(JOB), on, { takesTurns: false });
    const there = { ...at, house: { ...at.house, home: await tempDir() } };
    const serving = await worker(there, on);
    const team = await startJob(at);
    const served = join(there.house.home, 'served', on.prefix);
    await team.fact('turn.started');
    expect(await readdir(served)).toEqual([team.live.id]);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    await serving.close();
    expect(await readdir(served)).toEqual([]);
  });

  test('one whose processes died when they were told to stop is ended, and archived', async () => {
    const on = redis();
    const at = onRedis(await writeMission(ASKS), on);
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    const { record, store, id } = { ...(await joined(at, on, team.live.id)), id: team.live.id };
    await team.live.stop('stop');
    await team.ended();
    // Taken up and told to stop by a process that is gone since.
    await store.catchUp();
    await store.send('resume', { kind: 'run.resume', host: 'gone', disabled: [], findings: [] });
    await store.send('stop', { kind: 'run.stop', by: 'tester', cause: 'stop' });
    await record.close();
    const engine = await engineOf(at.house);
    expect(await engine.putAway(id, { purge: false })).toMatchObject({ kind: 'done' });
    expect(await on.keys()).toEqual([]);
  });

  test('another team stays as it is, with its queue', async () => {
    const on = redis();
    const [one, other] = [await finished(on), await finished(on)];
    await cleanupTeam(one.at.house, one.id, { purge: true });
    expect(await verifyTeam(other.at.house, other.id)).toMatchObject({ value: { ok: true } });
    expect((await on.keys()).filter((key) => key.includes(one.id))).toEqual([]);
    await cleanupTeam(other.at.house, other.id, { purge: true });
    expect(await on.keys()).toEqual([]);
  });

  test('a late writer finds the log gone, and makes nothing anew', async () => {
    const on = redis();
    const { at, id } = await finished(on);
    const late = await openRecordOn(on, { mode: 'open', team: id });
    const { entries } = await readRedisRecord({
      connection: late.connection,
      names: on.names,
      team: id,
      reading: 'strict',
    }).log();
    const agenda = new Agenda({ client: late.connection.client, names: on.names });
    await cleanupTeam(at.house, id, { purge: false });
    const next = fold(entries).next;
    const [last] = entries.slice(-1);
    const gone = expect.objectContaining({ code: 'log-gone' });
    await expect(late.record.blobs.put('too late')).rejects.toEqual(gone);
    if (last === undefined) throw new Error('nothing was recorded');
    await expect(late.record.log.append({ ...last, first: next })).rejects.toEqual(gone);
    await agenda.lookNever(id);
    expect(await on.keys()).toEqual([]);
  });

  test('a start that fails leaves nothing', async () => {
    const on = redis();
    const at = onRedis(await writeMission(JOB), on);
    const broken = startJob(at, {}, false, (plan) => ({
      ...plan,
      started: { ...plan.started, workspace: { kind: 'temp', path: '' } },
      workspaceFrom: join(at.mission, 'not-there'),
    }));
    await expect(broken).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await on.keys()).toEqual([]);
    expect(await readdir(join(at.house.home, 'served', on.prefix))).toEqual([]);
  });

  test('what a killed start has left is taken off by the worker that finds it', async () => {
    const on = redis();
    const at = onRedis(await writeMission(JOB), on);
    const { record, connection } = await openRecordOn(on, { mode: 'create' });
    await record.blobs.put('a prompt of a team that never began');
    await new Agenda({ client: connection.client, names: on.names }).add('run-test-1', 0);
    const serving = await worker(at, on);
    await until(async () => (await on.keys()).every((key) => !key.includes('run-test-1')), {
      what: 'nothing of it is left',
    });
    await serving.close();
    expect(await on.keys()).toEqual([]);
  });

  test('teams run and put away one after the other leave no key behind, nor do their workers', async () => {
    const on = redis();
    const at = onRedis(await writeMission(JOB), on);
    for (let team = 1; team <= 12; team++) {
      const one = await startJob(at);
      await one.ended();
      await cleanupTeam(at.house, one.live.id, { purge: true });
      expect(await on.keys(), `after team ${team}`).toEqual([]);
    }
  });

  test('queues stay as long as a worker is registered', async () => {
    const on = redis();
    const { at, id } = await finished(on);
    const link = await openLink(at.house, redisPlace(on));
    onTestFinished(() => link.close());
    await registerWorker(link, 'w-1', () => ({
      pools: [],
      providers: [],
      version: '',
      maxSafety: 'full',
      workspaceRoots: [],
      operators: [],
      signed: 'with a key',
      slots: 1,
      running: 0,
      host: 'h',
      pid: 1,
      silentMs: 0,
    }));
    await cleanupTeam(at.house, id, { purge: true });
    const queues = (await on.keys()).filter((key) => key.startsWith(`${on.prefix}:q:`));
    expect(queues.length).toBeGreaterThan(0);
  });

  async function joined(at: TestHouse, on: TestRedis, id: string): Promise<RedisTeam> {
    const link = await openLink(at.house, redisPlace(on));
    onTestFinished(() => link.close());
    return joinRedisTeam(at.house, link, id, redisFolder(at.house, redisPlace(on), id));
  }

  async function lineTo(on: TestRedis): Promise<{ connection: ReturnType<TestRedis['connect']> }> {
    const connection = on.connect();
    await connection.ready(AbortSignal.timeout(10_000));
    return { connection };
  }
});
