// `--attach`: a team that another process coordinates, looked on and answered from a second terminal (spec/engine.md §3).
import { expect, test } from 'vitest';
import { shell } from '../cases/play.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { hasTerminal, Terminal } from '../helpers/terminal.js';
import { until } from '../helpers/until.js';
import { job } from './job.js';
import { oneTask } from './missions.js';
import { OnRedis, WAITING } from './on-redis.js';

const ATTACHED = ['team', 'run', 'job', '--id', 'one', '--auto-approve', 'all', '--attach'];

describeRedis('a team that another process coordinates', () => {
  const redis = redisForTests();

  test('is looked on to its end: progress, result and exit code are those of the run', async () => {
    const at = new OnRedis(await job(WAITING), redis());
    const coordinator = await at.run();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    const attached = await at.at.startBnerd(ATTACHED, { env: at.env });
    const bound = await at.at.startBnerd(['team', 'resume', 'one', '--attach'], { env: at.env });
    for (const one of [attached, bound]) await one.says(/looking on at one/);
    await at.write('go');
    const run = await coordinator.ended;
    for (const one of [attached, bound]) {
      const seen = await one.ended;
      expect(seen.exit).toBe(0);
      expect(seen.stdout).toBe(run.stdout);
      expect(seen.stderr).toContain('[worker] task #1 completed');
      expect(seen.stderr).toContain('done (exit 0)');
    }
    expect(await at.of('run.started')).toHaveLength(1);
    expect(await at.of('run.resumed')).toEqual([]);
  });

  test('Ctrl-C ends the looking on alone', async () => {
    const at = new OnRedis(await job(WAITING), redis());
    const coordinator = await at.run();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    const attached = await at.at.startBnerd(ATTACHED, { env: at.env });
    await attached.says(/looking on at one/);
    attached.signal('SIGINT');
    const seen = await attached.ended;
    expect(seen.exit).toBe(130);
    expect(seen.stderr).toContain('the team goes on: bnerd team resume one --attach');
    await at.write('go');
    expect((await coordinator.ended).exit).toBe(0);
    expect(await at.of('run.stopping')).toEqual([]);
  });

  test('whose processes are all gone is left, with the way on', async () => {
    const at = new OnRedis(await job(WAITING), redis());
    const coordinator = await at.run();
    await until(() => at.file('begun'), { ms: 60_000, what: 'the tool runs' });
    const attached = await at.at.startBnerd(ATTACHED, { env: at.env });
    await attached.says(/looking on at one/);
    coordinator.signal('SIGKILL');
    const seen = await attached.ended;
    expect(seen.exit).toBe(1);
    expect(seen.stderr).toContain(
      'no process runs one, and it has not ended; go on with: bnerd team resume one',
    );
  });

  test('is taken up by --attach where nobody coordinates it; in files --attach says what to use', async () => {
    const at = new OnRedis(await job(oneTask([])), redis());
    expect((await at.at.here(ATTACHED, { env: at.env })).exit).toBe(0);
    expect((await at.at.here(ATTACHED, { env: at.env })).stderr).toContain('had ended');
    const files = await job(WAITING);
    const running = await files.start(['--auto-approve', 'all', '--id', 'one']);
    await until(() => files.file('begun'), { ms: 60_000, what: 'the tool runs' });
    const refused = await files.here(['team', 'resume', 'one', '--attach']);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain('bnerd team watch one');
    running.signal('SIGINT');
    await running.ended;
  });

  // Registered only where there is a terminal to be had: nothing is ever skipped.
  if (hasTerminal())
    test('is asked about at the terminal that looks on, what it waits for since before too', async () => {
      const asks = oneTask([{ text: 'I need a file.', calls: [shell('echo written > made')] }]);
      const at = new OnRedis(await job(asks), redis());
      const coordinator = new Terminal(['team', 'run', 'job', '--id', 'one'], {
        place: at.at.place,
        cwd: at.at.workspace,
        env: { BNERD_MISSION_REPO: at.at.mission, ...at.env },
      });
      await at.fact('request.opened');
      const attached = new Terminal(['team', 'resume', 'one', '--attach'], {
        place: at.at.place,
        cwd: at.at.workspace,
        env: at.env,
      });
      await attached.shows('Approve? [y/N/explain]: ');
      attached.type('y\n');
      expect(await attached.ended).toBe(0);
      expect(await coordinator.ended).toBe(0);
      expect(await at.file('made')).toBe('written\n');
      expect(attached.screen()).toContain('done (exit 0)');
    });

  if (hasTerminal())
    test('waits for who looks on from a terminal, where it would else end for want of an answer', async () => {
      const asks = oneTask([{ text: 'I need a file.', calls: [shell('echo written > made')] }]);
      const at = new OnRedis(await job(asks), redis());
      const coordinator = await at.at.start(['--id', 'one', '--no-worker'], { env: at.env });
      await at.fact('run.started');
      const { place, workspace: cwd } = at.at;
      const attach = ['team', 'resume', 'one', '--attach'];
      const first = new Terminal(attach, { place, cwd, env: at.env });
      await first.shows('looking on at one');
      await at.worker();
      await first.shows('Approve? [y/N/explain]: ');
      const second = new Terminal(attach, { place, cwd, env: at.env });
      await second.shows('Approve? [y/N/explain]: ');
      first.type('y\n');
      expect(await second.ended).toBe(0);
      expect((await coordinator.ended).exit).toBe(0);
      expect(await at.file('made')).toBe('written\n');
    });
});
