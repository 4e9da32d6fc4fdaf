import { expect, test } from 'vitest';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { git } from '../helpers/repository.js';
import { isAlive, oneBrief } from './delegation.js';
import { atWork, OnRunners } from './on-runners.js';

describeRedis('runners over Redis', () => {
  const redis = redisForTests();

  test('a lead delegates; a runner elsewhere does the work, and its commit is a branch of the workspace', async () => {
    const on = await OnRunners.make(
      oneBrief(['commit greet.txt hello'], { verify_keys: ['greets'] }),
      redis(),
    );
    const { machine, process: runner } = await on.runner();
    const run = await (await on.at.run()).ended;
    expect(run.exit, run.stderr).toBe(0);
    const [sent] = await on.at.of('brief.sent');
    expect(git(on.at.at.workspace, 'show', `${sent?.branch}:greet.txt`)).toBe('hello');
    expect(await on.at.of('brief.accepted')).toMatchObject([{ runner: machine.id, key_id: machine.key.id }]);
    expect(await on.at.of('brief.ended')).toMatchObject([
      { status: 'completed', verify: [{ key: 'greets', outcome: 'passed' }] },
    ]);
    const verified = await on.at.bnerd('team', 'verify', 'one');
    expect(verified.exit, verified.stdout).toBe(0);
    runner.signal('SIGTERM');
    const ended = await runner.ended;
    expect(ended.exit, ended.stderr).toBe(0);
  });

  test('a runner is killed: its brief is lost when its lease ends, and another runner has it next', async () => {
    const { on, machine: first, runner, team, pid, engineer } = await atWork(redis(), {}, { name: 'first' });
    const { machine: second } = await on.runner({ name: 'second' });
    runner.signal('SIGKILL');
    await runner.ended;
    await engineer.go();
    expect(await on.at.fact('brief.ended')).toMatchObject({ status: 'lost', cause: 'lost' });
    expect(await isAlive(pid)).toBe(false);
    const run = await team.ended;
    expect(run.exit, run.stderr).toBe(0);
    const accepted = await on.at.of('brief.accepted');
    expect(accepted.map((each) => each.runner)).toEqual([first.id, second.id]);
    expect((await on.at.of('brief.delivered')).length).toBe(1);
  });
});
