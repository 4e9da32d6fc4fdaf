// A server that loses data in the middle of a run, and its processes: they go on by themselves (spec/engine.md §1 "Loss").

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { job } from '../e2e/job.js';
import { OnRedis, WAITING } from '../e2e/on-redis.js';
import { LoopbackProxy } from '../helpers/loopback-proxy.js';
import { describePrivateRedis, privateRedis, redisAt, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import { SharedTeam, TEAM } from './shared-team.js';

type OneTeam = Pick<SharedTeam, 'at' | 'redis'>;

/** The folder of the team on its machine. */
const folderOf = ({ at, redis }: OneTeam): string => join(at.place.state, 'served', redis.prefix, TEAM);

const mirrorOf = (team: OneTeam): Promise<string> =>
  readFile(join(folderOf(team), 'mirror.jsonl'), 'utf8').catch(() => '');

async function inTheTool(team: OneTeam): Promise<void> {
  await until(() => team.at.file('begun'), { ms: 60_000, what: 'the tool runs' });
  await until(async () => (await mirrorOf(team)).includes('tool.started'), { what: 'that is mirrored' });
}

async function clientOf(at: TestRedis): Promise<Redis> {
  const connection = at.connect();
  await connection.ready(AbortSignal.timeout(20_000));
  return connection.client;
}

describePrivateRedis('a server loses data in the middle of a run', () => {
  test('Q31: FLUSHALL: the coordinator puts the record back, workers take the team up again, each thing was done once', async () => {
    const at = redisAt((await privateRedis()).url);
    const team = await SharedTeam.of(WAITING, at);
    const coordinator = await team.coordinate(['--json-events']);
    await team.worker();
    await inTheTool(team);
    const before = await team.facts();
    const client = await clientOf(at);
    await client.flushall();
    const resumed = await team.fact('run.resumed');
    expect(resumed.findings.map(({ code }) => code)).toContain('record-put-back');
    expect((await team.facts()).slice(0, before.length)).toEqual(before);
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(run.stderr).toContain('record-put-back');
    // What may have taken effect is not repeated: it is told as unknown, and the script goes on from there.
    expect(await team.at.file('begun')).toBe('begun\n');
    expect(await team.at.file('ended')).toBeUndefined();
    expect(await team.of('task.claimed')).toHaveLength(1);
    const unknown = (await team.transcript('worker')).filter(({ kind }) => kind === 'result');
    expect(JSON.stringify(unknown)).toContain('it is unknown whether it took effect');
    expect(await team.bnerd('team', 'verify', TEAM)).toMatchObject({ exit: 0 });
    // Whoever reads the events has each fact of the record once, the resume among them.
    const events = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, place) => place + 1));
    expect(events.map(({ type }) => type)).toEqual((await team.facts()).map(({ type }) => type));
  });

  test('FLUSHALL under the one process that coordinates the run and takes its turns: it goes on with what it mirrored', async () => {
    const at = new OnRedis(await job(WAITING), redisAt((await privateRedis()).url));
    const run = await at.run();
    await inTheTool(at);
    await (await clientOf(at.redis)).flushall();
    const ended = await run.ended;
    expect(ended.exit, ended.stderr).toBe(0);
    expect(await at.of('run.resumed')).toHaveLength(1);
    expect(await at.file('begun')).toBe('begun\n');
    expect(await at.of('task.claimed')).toHaveLength(1);
  });

  test('a replica that was behind is promoted: what it holds stands, the rest is told, the run goes on to its end', async () => {
    const primary = await privateRedis({ config: ['--repl-diskless-sync-delay', '0'] });
    const replica = await privateRedis();
    const [line, replication] = [
      await LoopbackProxy.start(primary.socket),
      await LoopbackProxy.start(primary.socket),
    ];
    const at = redisAt(primary.url);
    const after = redisAt(replica.url);
    const client = await clientOf(after);
    await client.replicaof('127.0.0.1', replication.port);
    const team = await SharedTeam.of(
      WAITING,
      { ...at, connect: () => after.connectBy(line.url) },
      { url: line.url },
    );
    const coordinator = await team.coordinate();
    await team.worker();
    await inTheTool(team);
    const log = at.names.log(TEAM);
    const original = await clientOf(at);
    await until(async () => (await original.xlen(log)) === (await client.xlen(log)), {
      what: 'the replica has it all',
      ms: 30_000,
    });
    replication.line = 'down';
    replication.cut();
    expect((await team.bnerd('team', 'send', TEAM, 'lead', 'lost on the way')).exit).toBe(0);
    await until(async () => (await mirrorOf(team)).includes('lost on the way'), { what: 'it was seen' });
    await primary.kill();
    await client.replicaof('NO', 'ONE');
    line.target = replica.socket;
    line.cut();
    const resumed = await team.fact('run.resumed');
    expect(resumed.findings.map(({ code }) => code)).toContain('log-shorter');
    expect(resumed).not.toHaveProperty('kept');
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await team.at.file('begun')).toBe('begun\n');
    expect(await readFile(join(folderOf(team), 'log.lost'), 'utf8')).toContain('lost on the way');
    expect(await team.bnerd('team', 'verify', TEAM)).toMatchObject({ exit: 0 });
    await primary.start();
  });

  test('a coordinator that slept while its team was put away brings nothing of it back', async () => {
    const at = redisAt((await privateRedis()).url);
    const team = await SharedTeam.of(WAITING, at);
    const coordinator = await team.coordinate();
    const worker = await team.worker();
    await inTheTool(team);
    coordinator.signal('SIGSTOP');
    worker.signal('SIGKILL');
    await until(async () => !(await at.keys()).includes(at.names.runLease(TEAM)), {
      ms: 60_000,
      what: 'its lease is over',
    });
    const stale = await mirrorOf(team);
    expect(await team.bnerd('team', 'cleanup', TEAM, '--yes')).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('archived'),
    });
    await expect(stat(folderOf(team))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(stale).not.toBe('');
    coordinator.signal('SIGCONT');
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(1);
    expect(run.stderr).toContain('the team one was removed, or the server has lost its data');
    await until(async () => (await at.keys()).every((key) => !key.includes(TEAM)), {
      what: 'nothing of it is left',
    });
    expect((await team.bnerd('team', 'ps')).stdout).toContain('no teams yet');
  });
});
