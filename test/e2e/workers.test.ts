// Teams on Redis through the program: one process or several, workers that come, go and are killed (spec/engine.md §2, §3).
import { expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { until } from '../helpers/until.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis, WAITING } from './on-redis.js';

describeRedis('a team on Redis', () => {
  const redis = redisForTests();
  const on = async (
    mission = oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } }),
  ): Promise<OnRedis> => new OnRedis(await job(mission), redis());

  test('one process runs it to its end; others look at it, and its record agrees', async () => {
    const at = await on();
    const run = await (await at.run()).ended;
    expect(run.exit).toBe(0);
    expect(await at.file('hello')).toBe('hello\n');
    expect((await at.bnerd('team', 'status', 'one')).stdout).toContain('ended (done, exit 0)');
    expect((await at.bnerd('team', 'ps')).stdout).toContain('one');
    expect(await at.bnerd('team', 'verify', 'one')).toMatchObject({ exit: 0 });
    const again = await (await at.run()).ended;
    expect(again.exit).toBe(0);
    expect(await at.of('run.started')).toHaveLength(1);
  });

  test('a coordinator takes no turn; a worker does, and has everything from the record', async () => {
    const at = await on();
    const coordinator = await at.run(['--no-worker']);
    await at.fact('run.started');
    expect(await at.of('turn.started')).toEqual([]);
    await at.worker();
    expect((await coordinator.ended).exit).toBe(0);
    expect(await at.file('hello')).toBe('hello\n');
  });

  test('a worker is killed in a turn: another takes the turn over, with the same claim, and nothing is done twice', async () => {
    const at = await on(WAITING);
    const coordinator = await at.run(['--no-worker']);
    const first = await at.worker();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    first.signal('SIGKILL');
    const second = await at.worker();
    expect(second.pid).not.toBe(first.pid);
    const lost = await at.fact('turn.lost');
    expect(lost.member).toBe('worker');
    const run = await coordinator.ended;
    // What may have taken effect is not repeated: it is told as unknown, and the script goes on from there.
    expect(await at.file('begun')).toBe('begun\n');
    expect(run.exit).toBe(0);
    expect((await at.of('task.claimed')).length).toBe(1);
  });

  test('the coordinator is killed: workers see the team to its end, and resume tells it', async () => {
    const at = await on(WAITING);
    const coordinator = await at.run(['--no-worker']);
    await at.worker();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    coordinator.signal('SIGKILL');
    await coordinator.ended;
    expect((await at.bnerd('team', 'send', 'one', 'lead', 'are you there?')).exit).toBe(0);
    await at.write('go');
    const ended = await at.fact('run.ended');
    expect(ended.reason).toBe('done');
    const resumed = await at.bnerd('team', 'resume', 'one');
    expect(resumed.exit).toBe(0);
  });

  test('the coordinator is killed: a resume is recorded, with the turn that goes on in a worker', async () => {
    const at = await on(WAITING);
    const coordinator = await at.run(['--no-worker']);
    await at.worker();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    coordinator.signal('SIGKILL');
    await coordinator.ended;
    const again = await at.at.startBnerd(['team', 'resume', 'one', '--no-worker'], { env: at.env });
    const resumed = await at.fact('run.resumed');
    const { length: turns } = await at.of('turn.started');
    expect(resumed.kept).toHaveLength(1);
    await at.write('go');
    const run = await again.ended;
    expect(run.exit).toBe(0);
    expect(run.stderr).toContain('resumed');
    expect(await at.file('ended')).toBe('ended\n');
    expect(await at.of('turn.lost')).toEqual([]);
    expect(
      (await at.of('turn.started')).slice(0, turns).filter(({ member }) => member === 'worker'),
    ).toHaveLength(1);
  });

  test('a word to stop from elsewhere ends the turn of a worker and the run', async () => {
    const at = await on(WAITING);
    const coordinator = await at.run(['--no-worker']);
    await at.worker();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    expect((await at.bnerd('team', 'stop', 'one')).exit).toBe(0);
    expect((await coordinator.ended).exit).toBe(130);
    expect(await at.file('ended')).toBeUndefined();
  });

  test('a second coordinator is refused with the name of the first', async () => {
    const at = await on(WAITING);
    await at.run();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    const second = await at.bnerd('team', 'resume', 'one');
    expect(second.exit).toBe(2);
    expect(second.stderr).toContain('team-held');
    await at.bnerd('team', 'stop', 'one');
  });

  test('a coordinator that was away for longer than its lease takes it anew where nobody else has, and sees the run to its end', async () => {
    const at = await on(WAITING);
    const coordinator = await at.run(['--no-worker']);
    await at.worker();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    const before = await at.facts();
    coordinator.signal('SIGSTOP');
    await until(async () => !(await at.redis.keys()).some((key) => key.endsWith(':run')), {
      ms: 60_000,
      what: 'its lease is over',
    });
    coordinator.signal('SIGCONT');
    await at.write('go');
    expect((await coordinator.ended).exit).toBe(0);
    expect((await at.facts()).slice(0, before.length)).toEqual(before);
    expect(await at.of('run.started')).toHaveLength(1);
  });
});
