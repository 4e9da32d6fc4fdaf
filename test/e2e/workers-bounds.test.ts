// What a worker serves and what it leaves to others (spec/engine.md §3).
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis } from './on-redis.js';

const HELLO = oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } });

describeRedis('what a worker serves', () => {
  const redis = redisForTests();
  const on = async (mission = HELLO): Promise<OnRedis> => new OnRedis(await job(mission), redis());

  /** Waits for a line of `waiting` in the status of the team that fits. */
  const waits = (at: OnRedis, pattern: RegExp): Promise<unknown> =>
    until(
      async () => {
        const { stdout } = await at.bnerd('team', 'status', 'one', '--json');
        const { waiting } = JSON.parse(stdout) as { waiting: readonly string[] };
        return waiting.some((line) => pattern.test(line));
      },
      { ms: 60_000, what: `status says ${pattern}` },
    );

  test('a pool that nobody serves is said at once by the coordinator, and by status', async () => {
    const at = await on();
    const coordinator = await at.run(['--no-worker']);
    await coordinator.says(/boss waits in turns\.\S+, which nobody serves \(no_worker\)/);
    await waits(at, /^boss waits in turns\.\S+, which nobody serves/);
    expect((await at.bnerd('workers')).stdout).toContain('no worker is there');
    await at.worker();
    expect((await coordinator.ended).exit).toBe(0);
  });

  test('a team that is looser than --max-safety goes back, is named, and is served by another', async () => {
    const at = await on();
    const coordinator = await at.run(['--no-worker']);
    await at.fact('run.started');
    const strict = await at.worker(['--max-safety', 'read-only']);
    const why = /one: its turns go back to the queue: its safety full is looser than --max-safety read-only/;
    await strict.says(why);
    await coordinator.says(
      /waits in turns\.\S+ and nobody takes it: safety full is looser than the read-only/,
    );
    await waits(at, /^boss waits in turns\.\S+ and nobody takes it/);
    expect(strict.stderr().match(new RegExp(why, 'g'))).toHaveLength(1);
    expect(await at.of('turn.started')).toEqual([]);
    await at.worker();
    expect((await coordinator.ended).exit).toBe(0);
  });

  test('a team whose workspace lies outside of --workspace-root is left to others', async () => {
    const at = await on();
    const coordinator = await at.run(['--no-worker']);
    await at.fact('run.started');
    const roots = [await tempDir('root'), await tempDir('root')].flatMap((root) => [
      '--workspace-root',
      root,
    ]);
    const elsewhere = await at.worker(roots);
    await elsewhere.says(new RegExp(`lies outside of --workspace-root ${roots[1]}, ${roots[3]}`));
    expect(await at.of('turn.started')).toEqual([]);
    await at.worker([...roots, '--workspace-root', at.at.mission]);
    expect((await coordinator.ended).exit).toBe(0);
  });

  test('a worker without the key of a provider gives the team back, and what is missing is named', async () => {
    const at = await on({ ...HELLO, recipe: { ...HELLO.recipe, model: 'anthropic/claude-sonnet-4-5' } });
    const key = { ...at.env, ANTHROPIC_API_KEY: 'sk-ant-nobody-has-this-key' };
    const coordinator = await at.at.start(['--auto-approve', 'all', '--id', 'one', '--no-worker'], {
      env: key,
    });
    await at.fact('run.started');
    const keyless = await at.worker();
    await keyless.says(/its turns go back to the queue: .*there is no key of anthropic/);
    await coordinator.says(new RegExp(`nobody takes it: no key of anthropic on ${hostname()}`));
    expect(await at.of('turn.started')).toEqual([]);
    await at.bnerd('team', 'stop', 'one');
    await coordinator.ended;
  });

  test('what the settings of the worker deny is denied there, whatever the run allows', async () => {
    const mission = oneTask([does(shell('echo hello > hello'))], { recipe: { safety: 'full' } });
    const at = await on(mission);
    const coordinator = await at.run(['--no-worker']);
    await at.fact('run.started');
    const home = await tempDir('home');
    await writeFile(join(home, '.bnerd.yaml'), 'permissions: [{ tool: shell_exec, decision: deny }]\n');
    await at.worker([], { HOME: home });
    await coordinator.ended;
    expect(await at.file('hello')).toBeUndefined();
    expect((await at.bnerd('team', 'transcript', 'one', 'worker')).stdout).toContain(
      `denied, not run: rule of settings on ${hostname()}: deny shell_exec`,
    );
  });

  test('workers are listed with what they serve, and are gone when they have ended', async () => {
    const at = await on();
    const worker = await at.worker(['--pools', 'any', '--max-safety', 'non-destructive'], {
      OPENAI_API_KEY: 'sk-nobody-has-this-key',
    });
    const { stdout } = await at.bnerd('workers', '--json');
    expect(stdout).not.toContain('sk-nobody');
    expect(JSON.parse(stdout)).toMatchObject({
      v: 1,
      workers: [
        {
          host: hostname(),
          pid: worker.pid,
          pools: ['turns'],
          slots: 2,
          running: 0,
          providers: ['openai'],
          max_safety: 'non-destructive',
          workspace_roots: [],
        },
      ],
    });
    const text = (await at.bnerd('workers')).stdout;
    expect(text).toMatch(/^WORKER +HOST +PID +SLOTS +PROGRESS/);
    expect(text).toContain('0/2');
    expect(text).toContain('at most non-destructive');
    worker.signal('SIGTERM');
    expect((await worker.ended).exit).toBe(0);
    expect(JSON.parse((await at.bnerd('workers', '--json')).stdout)).toEqual({ v: 1, workers: [] });
  });

  test('a pool that there is none of, and a folder that is not there, are refused', async () => {
    const at = await on();
    const refused = await at.bnerd('worker', '--pools', 'gpu', '--workspace-root', '/nowhere/at/all');
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toMatch(/--pools/);
    expect(refused.stderr).toMatch(/--workspace-root/);
  });
});
