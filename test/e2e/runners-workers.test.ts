// Delegation where whoever coordinates takes no turn, or is gone: workers send the briefs and take the results in (engine.md §3).
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KeyFolder } from '../../src/delegate/keys/key-folder.js';
import { systemClock } from '../../src/shared/clock.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { heldEngineer, oneBrief } from './delegation.js';
import { OnRunners } from './on-runners.js';
import type { RunnerMachine } from './runner-machine.js';

const COMMITS = ['commit greet.txt hello'];

describeRedis('runners of teams that workers serve', () => {
  const redis = redisForTests();

  test('a coordinator that takes no turn and a worker: the brief is sent, worked on and taken in once', async () => {
    const on = await OnRunners.make(oneBrief(COMMITS), redis());
    await on.runner();
    await on.at.worker();
    const run = await (await on.at.run(['--no-worker'])).ended;
    expect(run.exit, run.stderr).toBe(0);
    await expectDelivered(on);
  });

  test('the coordinator is killed while an engineer works: a worker alone takes the result in and ends the run', async () => {
    const engineer = await heldEngineer();
    const on = await OnRunners.make(oneBrief(engineer.deeds), redis());
    await on.runner();
    await on.at.worker();
    const coordinator = await on.at.run(['--no-worker']);
    await engineer.atWork();
    coordinator.signal('SIGKILL');
    await coordinator.ended;
    await engineer.go();
    expect(await on.at.fact('run.ended')).toMatchObject({ reason: 'done' });
    await expectDelivered(on);
  });

  test('a runner whose key a resume has taken in is heard where nobody has accepted it', async () => {
    const scene = await ofTwoHomes(redis());
    const { on } = scene;
    const machine = await on.machine();
    await scene.knows(machine);
    const { keys } = await scene.resumed();
    expect(keys).toMatchObject([{ id: machine.key.id, role: 'runner' }]);
    await machine.start();
    await scene.worker();
    expect(await on.at.fact('run.ended')).toMatchObject({ reason: 'done' });
    await expectDelivered(on);
    const verified = await on.at.bnerd('team', 'verify', 'one');
    expect(verified.stdout).not.toContain('its signature was not checked');
    expect(verified.exit, verified.stdout).toBe(0);
  });

  test('a runner whose key a resume has let go is refused where it is accepted still', async () => {
    const scene = await ofTwoHomes(redis(), async (on, vm) => {
      const machine = await on.machine();
      await vm.accept(machine.key.key, machine.id, 'runner');
      return machine;
    });
    const { on, machine } = scene;
    if (machine === undefined) throw new Error('no machine was made');
    await scene.knows(machine);
    await on.keys.retire(machine.key.id);
    expect(await scene.resumed()).toMatchObject({ retired_keys: [machine.key.id] });
    await machine.start();
    await scene.worker();
    expect(await on.at.fact('brief.evidence', ({ code }) => code === 'retired_key')).toBeDefined();
    expect(await on.at.of('brief.accepted')).toEqual([]);
  });
});

/** A team of one home that was begun and is resumed there, and is served by a worker that has another. */
async function ofTwoHomes(
  redis: Parameters<typeof OnRunners.make>[1],
  before: (on: OnRunners, vm: KeyFolder) => Promise<RunnerMachine | undefined> = async () => undefined,
) {
  const on = await OnRunners.make(oneBrief(COMMITS), redis);
  const home = join(await tempDir('vm'), 'home');
  const vm = new KeyFolder(home, systemClock);
  await vm.init('worker');
  const own = (await vm.list()).keys[0];
  if (own === undefined) throw new Error('the worker has no key');
  await on.keys.accept(own.key, 'vm', 'worker');
  const machine = await before(on, vm);
  const killed = async (words: readonly string[], fact: 'run.started' | 'run.resumed') => {
    const coordinator = await on.at.at.startBnerd(words, { env: on.at.env });
    const said = await on.at.fact(fact);
    coordinator.signal('SIGKILL');
    await coordinator.ended;
    return said;
  };
  await killed(['team', 'run', 'job', '--no-worker', '--auto-approve', 'all', '--id', 'one'], 'run.started');
  return {
    on,
    machine,
    worker: () => on.at.worker([], { BNERD_HOME: home }),
    /** A runner takes the briefs that this worker signs. */
    knows: async ({ place }: RunnerMachine) => {
      await new KeyFolder(place.state, systemClock).accept(own.key, 'vm', 'worker');
    },
    /** What a resume of the home that has begun it says; it is killed before anything moves. */
    resumed: async () => {
      const said = await killed(['team', 'resume', 'one', '--no-worker', '--take-over'], 'run.resumed');
      if (said.type !== 'run.resumed') throw new Error(said.type);
      return said;
    },
  };
}

async function expectDelivered(on: OnRunners): Promise<void> {
  const [sent] = await on.at.of('brief.sent');
  expect(git(on.at.at.workspace, 'show', `${sent?.branch}:greet.txt`)).toBe('hello');
  expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['completed']);
  expect(await on.at.of('brief.delivered')).toHaveLength(1);
}
