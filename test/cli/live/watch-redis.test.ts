// `bnerd team watch` of a team on Redis: the same as of one in files (spec/team.md §7, engine.md §1).
import { expect, onTestFinished, test } from 'vitest';
import { watchTeam } from '../../../src/cli/live/watch-team.js';
import { RedisEngine } from '../../../src/runtime/engine/redis.js';
import { answerRequest } from '../../../src/runtime/operator.js';
import { Team } from '../../helpers/build-state.js';
import { describeRedis, redisForTests } from '../../helpers/redis.js';
import { openRecordOn } from '../../helpers/redis-record.js';
import { onRedis } from '../../helpers/redis-team.js';
import { startJob, type TestHouse, writeMission } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';
import { ASKS } from '../../runtime/left-behind.js';
import { type TestProgram, testProgram } from '../streams.js';

describeRedis('watching a team on Redis', () => {
  const redis = redisForTests();

  function watch(at: TestHouse, id: string, json: boolean): { seen: TestProgram; ended: Promise<number> } {
    const seen = testProgram();
    const called = new AbortController();
    onTestFinished(() => called.abort());
    const { redis: place } = at.house;
    if (place === null) throw new Error('this house keeps no teams on Redis');
    const ended = new RedisEngine(at.house, place).look(id, (look) =>
      watchTeam(seen.program, { id, look, from: 1, json }, called.signal),
    );
    ended.catch(() => {}); // looked at where a test waits for it
    return { seen, ended };
  }

  test('what happens is told as it happens, to the end of the run; lines of JSON hold each fact once', async () => {
    const on = redis();
    const at = onRedis(await writeMission(ASKS), on);
    const team = await startJob(at, {}, true);
    const { id } = team.live;
    const [text, json] = [watch(at, id, false), watch(at, id, true)];
    await until(() => text.seen.stdout.text.includes(`answer: bnerd team answer ${id} r1 <text>`), {
      what: 'the question is shown',
    });
    await answerRequest(at.house, id, 'r1', 'teal');
    await team.ended();
    expect(await text.ended).toBe(0);
    expect(await json.ended).toBe(0);
    expect(text.seen.stdout.text).toMatch(/\ndone \(exit 0\)\n/);
    const lines = json.seen.stdout.text.trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as { readonly n: number; readonly type: string });
    expect(told.map(({ n }) => n)).toEqual(team.facts.map((_, place) => place + 1));
    expect(told.map(({ type }) => type)).toEqual(team.facts.map(({ type }) => type));
  });

  test('one that nobody runs is left, with the way on', async () => {
    const on = redis();
    const at = onRedis(await writeMission(ASKS), on);
    const { record } = await openRecordOn(on, { mode: 'create' });
    const [first] = Team.start({}).entries;
    if (first !== undefined) await record.log.append(first);
    const { seen, ended } = watch(at, 'run-test-1', false);
    expect(await ended).toBe(1);
    expect(seen.stderr.text).toContain('no process runs run-test-1, and it has not ended');
  });

  test('a server that has lost what was told ends the watch by name', async () => {
    const on = redis();
    const at = onRedis(await writeMission(ASKS), on);
    const team = await startJob(at, {}, true);
    const { id } = team.live;
    const { seen, ended } = watch(at, id, false);
    await until(() => seen.stdout.text.includes('r1'), { what: 'the question is shown' });
    const connection = on.connect();
    await connection.ready(AbortSignal.timeout(10_000));
    const [newest] = await connection.client.xrevrange(on.names.log(id), '+', '-', 'COUNT', 1);
    await connection.client.xdel(on.names.log(id), newest?.[0] ?? '');
    await expect(ended).rejects.toMatchObject({ code: 'log-lost' });
  });
});
