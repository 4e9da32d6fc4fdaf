// Told to stop while the server does not answer: every process of ours ends in its grace, with its exit code, and says what
// may go on elsewhere (spec/engine.md §3, case Q3). Nobody looks for a server anywhere else meanwhile.

import { expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import { oneTask } from '../e2e/missions.js';
import type { BnerdRun, RunningBnerd } from '../helpers/bnerd.js';
import { describePrivateRedis, privateRedis, redisAt } from '../helpers/redis.js';
import type { RedisServer } from '../helpers/redis-server.js';
import { trap } from '../helpers/trap.js';
import { until } from '../helpers/until.js';
import { SharedTeam, TEAM } from './shared-team.js';

const GRACE_MS = 1_000;
/** Beyond its grace a process has two seconds (spec/engine.md §3); what a loaded machine adds is given it here. */
const END_MS = GRACE_MS + 2_000;
const LOADED_MS = 6_000;

/** A worker's tool that runs until it is ended. */
const FOR_EVER = oneTask([does(shell('echo begun >> begun; sleep 600'))], { recipe: { safety: 'full' } });

describePrivateRedis('Q3: told to stop while the server', () => {
  test.each([
    ['is gone', (server: RedisServer) => server.kill()],
    ['says nothing', async (server: RedisServer) => server.freeze()],
  ])('%s, coordinator, worker, and who looks on end in their grace', async (how, breaks) => {
    const server = await privateRedis();
    const team = await SharedTeam.of(FOR_EVER, redisAt(server.url), { lease: '30s' });
    const { options, asked, caught } = await trap();
    const grace = ['--grace', `${GRACE_MS}ms`];
    const coordinator = await team.coordinate([...grace, '--json-events'], options);
    const worker = await team.worker(grace, options);
    await team.at.files('begun');
    const attached = await team.resume(['--attach'], options);
    await attached.says(/looking on at/);
    const watching = await team.at.startBnerd(['team', 'watch', TEAM], team.start(options));
    await watching.says(/task #1/);
    await breaks(server);
    const began = performance.now();
    const all = [coordinator, worker, attached, watching];
    for (const one of all) one.signal('SIGTERM');
    const took: number[] = [];
    const endOf = async (one: RunningBnerd): Promise<BnerdRun> => {
      const run = await within(one, END_MS + LOADED_MS);
      took.push(Math.round(performance.now() - began));
      return run;
    };
    const [coordinated, worked, looked, watched] = await Promise.all(all.map(endOf));
    process.stdout.write(`told to stop while the server ${how}, they ended after ${took.join(', ')} ms\n`);
    expect(coordinated?.exit, coordinated?.stderr).toBe(143);
    expect(coordinated?.stderr).toContain('turns that other processes run may go on until their leases end');
    expect(coordinated?.lines.at(-1)).toMatchObject({ type: 'run.ended', reason: 'cancelled' });
    expect(worked?.exit, worked?.stderr).toBe(0);
    expect(worked?.stderr).toContain('it is taken over when its lease ends');
    expect(looked?.exit, looked?.stderr).toBe(143);
    expect(looked?.stderr).toContain('the team goes on');
    expect(watched?.exit, watched?.stderr).toBe(143);
    expect(caught()).toBe(0);
    const dialled = [...new Set((await asked()).map((one) => JSON.stringify(one)))];
    expect(dialled).toEqual([JSON.stringify({ path: server.socket })]);
    await server.kill();
    await server.start(); // For the check that nothing is left.
  });

  test('has never answered, a worker that waits for it ends', async () => {
    const server = await privateRedis();
    const team = await SharedTeam.of(FOR_EVER, redisAt(server.url));
    const { options, asked } = await trap();
    server.freeze();
    const worker = await team.launch([], options);
    await until(async () => (await asked()).length > 0, { ms: 60_000, what: 'it asks for its server' });
    worker.signal('SIGTERM');
    const run = await within(worker, 2_000 + LOADED_MS);
    expect(run.exit, run.stderr).toBe(0);
    expect(run.stderr).toBe('');
    server.thaw();
  });
});

/** The end of a process that must come by itself; the deadline ends a broken test, and is no measure of speed. */
async function within({ ended, pid, stderr }: RunningBnerd, ms: number): Promise<BnerdRun> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`process ${pid} has not ended in ${ms} ms: ${stderr()}`)), ms);
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
