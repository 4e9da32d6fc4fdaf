// Members that work with files, where the team's workers are on several machines (spec/engine.md §3).
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claim, complete, does, finish, type Step, says, shell, type Turn, when } from '../cases/play.js';
import type { BnerdRun, RunningBnerd } from '../helpers/bnerd.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { commitAll, git } from '../helpers/repository.js';
import type { Mission } from '../helpers/team.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis } from './on-redis.js';

const FULL = { recipe: { safety: 'full' } } as const;

const REPORTED = { artifacts: ['report'] };

const works = (task: string, ...steps: readonly Step[]): Turn =>
  when(
    `Task ${task} is ready`,
    does(claim(task)),
    ...steps,
    does(complete(task, task === '#1' ? REPORTED : {})),
    says(`${task} done.`),
  );

/** Looks at what the workspace began with, and leaves something in it. */
const WRITES = oneTask([does(shell('cat seed; git rev-parse HEAD; echo made >> made'))], FULL);

/** A team that was started on vm-1, and workers that are on other machines as far as they know. */
class Machines extends OnRedis {
  /** @param mission run by a process on vm-1 that takes no turns */
  coordinator(
    words: readonly string[] = [],
    more: Readonly<Record<string, string>> = {},
  ): Promise<RunningBnerd> {
    const env = { ...this.env, BNERD_HOST: 'vm-1', ...more };
    return this.at.start(['--auto-approve', 'all', '--id', 'one', '--no-worker', ...words], { env });
  }

  /** A worker with a home of its own. @param settings of its machine */
  async on(host: string, settings = ''): Promise<{ readonly worker: RunningBnerd; readonly home: string }> {
    const home = await tempDir(host);
    await writeFile(join(home, '.bnerd.yaml'), settings);
    const env = { ...this.env, BNERD_HOST: host, HOME: home, BNERD_HOME: join(home, 'state') };
    const worker = await this.at.startBnerd(['worker'], { env, cwd: await tempDir('work') });
    await worker.says(/takes turns/);
    return { worker, home };
  }

  /** `bnerd team move` on a machine of its own. */
  async move(settings: string): Promise<BnerdRun> {
    const home = await tempDir('vm-4');
    await writeFile(join(home, '.bnerd.yaml'), settings);
    const env = { ...this.env, BNERD_HOST: 'vm-4', HOME: home, BNERD_HOME: join(home, 'state') };
    return this.at.bnerd(['team', 'move', 'one'], { env, cwd: await tempDir('work') });
  }

  /** What status says of turns that wait. */
  waits(pattern: RegExp): Promise<unknown> {
    return until(
      async () => {
        const { stdout } = await this.bnerd('team', 'status', 'one', '--json');
        return (JSON.parse(stdout) as { waiting: readonly string[] }).waiting.some((line) =>
          pattern.test(line),
        );
      },
      { ms: 60_000, what: `status says ${pattern}` },
    );
  }

  /** What the worker of the team was told by its tools. */
  async told(): Promise<string> {
    return (await this.bnerd('team', 'transcript', 'one', 'worker')).stdout;
  }
}

/** Where a worker on another machine makes workspaces. */
const made = (home: string, prefix: string, losses = 0): string =>
  join(home, 'state', 'workspaces', 'teams', prefix, 'one', String(losses));

const there = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

describeRedis('a workspace and several machines', () => {
  const redis = redisForTests();

  const team = async (mission: Mission = WRITES): Promise<Machines> => {
    const at = new Machines(await job(mission), redis());
    await at.write('seed');
    await writeFile(join(at.at.workspace, 'seed'), 'what it began with\n');
    return at;
  };

  /** Its workspace is a repository whose commit was pushed. */
  const pushed = async (mission?: Mission): Promise<{ at: Machines; origin: string; commit: string }> => {
    const at = await team(mission);
    const origin = join(await tempDir('origin'), 'one.git');
    git(at.at.workspace, 'init', '--quiet', '--bare', origin);
    const commit = commitAll(at.at.workspace, 'first');
    git(at.at.workspace, 'remote', 'add', 'origin', origin);
    git(at.at.workspace, 'push', '--quiet', 'origin', 'HEAD:main');
    return { at, origin, commit };
  };

  test('a commit that was pushed is checked out where the first turn that writes is taken, and stays there', async () => {
    const { at, origin, commit } = await pushed();
    const coordinator = await at.coordinator();
    const { home } = await at.on('vm-2', `runner: { repos: [${JSON.stringify(origin)}] }\n`);
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await at.of('workspace.bound')).toMatchObject([{ host: 'vm-2', commit }]);
    const tree = made(home, at.redis.prefix);
    expect(await there(join(tree, 'made'))).toBe('made\n');
    expect(await at.file('made')).toBeUndefined();
    expect(await at.told()).toMatch(new RegExp(`what it began with\\n.*${commit}`));
    expect(git(tree, 'status', '--porcelain')).toBe('?? made');
  });

  test.each([
    ['a file that is in no commit', (at: Machines) => at.write('more')],
    [
      'a commit that was not pushed',
      async (at: Machines) => {
        await at.write('more');
        commitAll(at.at.workspace, 'second');
      },
    ],
  ])(
    'with %s the workspace is on its machine alone: nobody else takes turns that use it',
    async (_, change) => {
      const { at } = await pushed();
      await change(at);
      const coordinator = await at.coordinator();
      const { worker } = await at.on('vm-2');
      await coordinator.says(/worker waits in turns\.vm-1, which nobody serves \(no_worker\)/);
      await at.waits(/^worker waits in turns\.vm-1, which nobody serves/);
      expect(await at.file('made')).toBeUndefined();
      await at.on('vm-1');
      expect((await coordinator.ended).exit).toBe(0);
      expect(await at.file('made')).toBe('made\n');
      expect(worker.stderr()).not.toContain('error');
    },
  );

  test('a repository that the machine may not fetch from is left to others, and that is said', async () => {
    const { at, origin } = await pushed();
    const coordinator = await at.coordinator();
    const { worker } = await at.on('vm-2');
    await worker.says(/its turns go back to the queue: its workspace is a checkout of .*runner\.repos/);
    expect(await at.of('workspace.bound')).toEqual([]);
    await at.on('vm-3', `runner: { repos: [${JSON.stringify(origin)}] }\n`);
    expect((await coordinator.ended).exit).toBe(0);
    expect(await at.of('workspace.bound')).toMatchObject([{ host: 'vm-3' }]);
  });

  test('a team that only reads reads the commit, on as many machines as there are', async () => {
    const reads = oneTask([does(shell('cat seed'))], { recipe: { safety: 'read-only' } });
    const { at, origin } = await pushed(reads);
    const coordinator = await at.coordinator();
    await at.on('vm-2', `runner: { repos: [${JSON.stringify(origin)}] }\n`);
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await at.of('workspace.bound')).toEqual([]);
    expect(await at.told()).toContain('what it began with');
  });

  test('a directory of the run is made on the machine that writes it first', async () => {
    const at = await team(
      oneTask([does(shell('ls | wc -l; echo made > made'))], {
        recipe: { ...FULL.recipe, workspace: 'temp' },
      }),
    );
    const coordinator = await at.coordinator();
    const { home } = await at.on('vm-2');
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await there(join(made(home, at.redis.prefix), 'made'))).toBe('made\n');
  });

  test('two machines of one name: the one without the directory takes no turn with it', async () => {
    const at = await team();
    const coordinator = await at.coordinator();
    await at.fact('run.started');
    const elsewhere = `${at.at.workspace}.moved`;
    await rename(at.at.workspace, elsewhere);
    const { worker } = await at.on('vm-1');
    await worker.says(/is not there on vm-1; .*BNERD_HOST/);
    await rename(elsewhere, at.at.workspace);
    expect((await coordinator.ended).exit).toBe(0);
  });

  test('a worker without the program that tools are to run under takes no turn', async () => {
    const at = await team();
    const home = await tempDir('vm-1');
    const wrapper = join(await tempDir('bin'), 'sandbox');
    await writeFile(wrapper, '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    await writeFile(join(home, '.bnerd.yaml'), `shell: { wrap: [${JSON.stringify(wrapper)}] }\n`);
    const coordinator = await at.coordinator([], { HOME: home });
    await at.fact('run.started');
    await rename(wrapper, `${wrapper}.gone`);
    const { worker } = await at.on('vm-1');
    await worker.says(/its turns go back to the queue: shell\.wrap: the program/);
    expect(await at.of('turn.started')).toEqual([]);
    await rename(`${wrapper}.gone`, wrapper);
    await at.on('vm-1');
    expect((await coordinator.ended).exit).toBe(0);
  });

  test('a machine that will not come back is given up by the operator: what was only there is done again', async () => {
    const report = shell('echo made >> report');
    const { at, origin, commit } = await pushed({
      recipe: {
        ...FULL.recipe,
        tasks: [
          { id: 'one', subject: 'Make a report', role: 'maker' },
          { id: 'two', subject: 'Keep on', role: 'keeper', blocked_by: ['one'] },
        ],
      },
      roles: { boss: {}, maker: { base: 'write' }, keeper: { base: 'write' } },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('has completed #1', says('One.')),
            when(['has completed #1', 'has completed #2'], finish()),
          ],
        },
        maker: {
          idle: 'Ready.',
          turns: [
            works('#1', does(report)),
            when('#1 is yours again', does(report), does(complete('#1', REPORTED)), says('Again.')),
          ],
        },
        keeper: {
          idle: 'Ready.',
          turns: [works('#2', does(shell('echo begun > begun; sleep 20')))],
        },
      },
    });
    const mayFetch = `runner: { repos: [${JSON.stringify(origin)}] }\n`;
    const coordinator = await at.coordinator();
    const { worker, home } = await at.on('vm-2', mayFetch);
    await until(() => there(join(made(home, at.redis.prefix), 'begun')), {
      ms: 60_000,
      what: 'the keeper is on',
    });
    expect(await at.move(mayFetch)).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/machine-lives.*pid/),
    });
    worker.signal('SIGKILL');
    await at.fact('turn.lost');
    const moved = await at.move(mayFetch);
    expect(moved.stderr).toContain(`starts again from commit ${commit}`);
    expect(moved.stderr).toContain('without their files are open again: #1');
    expect(moved.exit).toBe(0);
    const next = await at.on('vm-3', mayFetch);
    const run = await coordinator.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await at.of('workspace.bound')).toMatchObject([{ host: 'vm-2' }, { host: 'vm-3', commit }]);
    expect(await there(join(made(next.home, at.redis.prefix, 1), 'report'))).toBe('made\n');
    expect((await at.of('task.completed')).map(({ task }) => task).sort()).toEqual(['#1', '#1', '#2']);
  });
});
