// Runners that stop, die and come back (spec/runner.md §3, cases F145 and F146): what they had done arrives once.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complete, does, says, when } from '../cases/play.js';
import { describeRedis, redisForTests } from '../helpers/redis.js';
import { git } from '../helpers/repository.js';
import { tempDir } from '../helpers/temp-dir.js';
import { until } from '../helpers/until.js';
import { delegates, delegating, isAlive, pidIn } from './delegation.js';
import { atWork, OnRunners } from './on-runners.js';

/** Long enough for a process to come back within one. */
const LONG = { BNERD_LEASE: '20s', BNERD_BEAT: '500ms' };

describeRedis('a runner that comes back', () => {
  const redis = redisForTests();

  test('F145: told to stop in the middle of a brief it reports at once, and the brief is offered again to whoever comes', async () => {
    const said = { words: ['--grace', '1s'] };
    const { on, machine, runner: first, team, pid, engineer } = await atWork(redis(), LONG, said);
    first.signal('SIGTERM');
    const stopped = await first.ended;
    // The report was taken in, so nothing lies in the outbox.
    expect(stopped.exit, stopped.stderr).toBe(0);
    expect(await isAlive(pid)).toBe(false);
    expect(await on.at.fact('brief.evidence')).toMatchObject({ code: 'left_alone' });
    expect(await on.at.fact('brief.ended')).toMatchObject({ status: 'lost' });
    await engineer.go();
    await machine.start();
    const run = await team.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect((await on.at.of('brief.accepted')).map(({ runner }) => runner)).toEqual([machine.id, machine.id]);
    expect((await on.at.of('brief.ended')).map(({ status }) => status)).toEqual(['lost', 'completed']);
  });

  test.each([
    ['its engineer works', 'at-work', []],
    ['what it made is verified', 'verifies', ['greets']],
  ] as const)(
    'killed while %s and started again: reported as crashed once, and nothing of the engineer runs',
    async (_, file, verifyKeys) => {
      const at = await tempDir('engineer');
      const on = await OnRunners.make(
        delegating(
          [
            when(
              'Task #1 is ready',
              does(
                delegates(
                  '#1',
                  file === 'at-work'
                    ? [`touch ${at}/at-work`, `wait ${at}/never`]
                    : ['commit greet.txt hello', `touch ${at}/done`],
                  { verify_keys: [...verifyKeys] },
                ),
              ),
              says('Sent.'),
            ),
            when('has ended: failed \\(crashed\\)', does(complete('#1')), says('By myself.')),
          ],
          {
            recipe: {
              engineer: {
                kind: 'command',
                verify: { greets: ['sh', '-c', `echo $$ > ${at}/verifies; sleep 600`] },
              },
            },
          },
        ),
        redis(),
        LONG,
      );
      const { machine, process: first } = await on.runner();
      const running = await on.at.run();
      const pid = await pidIn(join(at, file));
      first.signal('SIGKILL');
      await first.ended;
      await machine.start();
      const run = await running.ended;
      expect(run.exit, run.stderr).toBe(0);
      expect(await isAlive(pid)).toBe(false);
      expect(await on.at.of('brief.sent')).toHaveLength(1);
      expect(await on.at.of('brief.ended')).toMatchObject([{ status: 'failed', cause: 'crashed' }]);
    },
  );

  test('F146: with an empty folder it is another runner: nothing stays bound to the old one, and whom it lacks is said', async () => {
    const on = await OnRunners.make(
      delegating([
        when('Task #1 is ready', does(delegates('#1', ['commit greet.txt hello'])), says('Sent.')),
        when('waits: no runner of pool default can take it', says('I wait.')),
        when('has ended: completed', does(complete('#1')), says('It is in.')),
      ]),
      redis(),
    );
    const { machine, process: first } = await on.runner();
    first.signal('SIGTERM');
    await first.ended;
    await rm(machine.workdir, { recursive: true });
    const second = await machine.start();
    const key = /public key (\S+)/.exec(second.stderr())?.[1] ?? '';
    const running = await on.at.run();
    await on.at.fact('brief.evidence', ({ code }) => code === 'not_taken');
    await until(
      async () => (await on.at.bnerd('team', 'status', 'one')).stdout.includes(`bnerd keys accept ${key}`),
      { ms: 60_000, what: 'its status says whom the brief lacks' },
    );
    expect((await on.at.bnerd('keys', 'accept', key, '--name', 'vm-again')).exit).toBe(0);
    const run = await running.ended;
    expect(run.exit, run.stderr).toBe(0);
    const [accepted] = await on.at.of('brief.accepted');
    expect(accepted?.key_id).not.toBe(machine.key.id);
    expect(git(on.at.at.workspace, 'branch', '--list', 'bnerd/*')).not.toBe('');
  });

  test('the folder of a runner is one process, and so is its identity', async () => {
    const on = await OnRunners.make(delegating([]), redis());
    const { machine } = await on.runner();
    const second = await (await machine.spawn()).ended;
    expect(second.exit).toBe(2);
    expect(second.stderr).toContain('is the runner with this folder');
  });

  test('one identity on two machines: the second is refused and told who has it, and the first goes on', async () => {
    const on = await OnRunners.make(delegating([]), redis());
    const { machine, process: first } = await on.runner();
    const other = await on.machine({ name: 'other' });
    await cp(join(machine.workdir, 'identity.json'), join(other.workdir, 'identity.json'));
    const second = await (await other.spawn()).ended;
    expect(second.exit, second.stderr).toBe(2);
    expect(second.stderr).toContain(`${machine.id} lives already, as process ${first.pid} on `);
    expect(second.stderr).toContain('give this one a workdir of its own');
    const { stdout } = await on.at.bnerd('runners', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ runners: [{ id: machine.id, pid: first.pid }] });
  });

  test('killed between its promise and the word to begin, and started again: reported as crashed, once', async () => {
    const at = await tempDir('engineer');
    const sends = does(delegates('#1', [`touch ${at}/at-work`, 'commit greet.txt hello']));
    const gone = when('has ended: failed \\(crashed\\)', does(complete('#1')), says('By myself.'));
    const server = redis();
    const on = await OnRunners.make(
      delegating([when('Task #1 is ready', sends, says('Sent.')), gone]),
      server,
      { BNERD_LEASE: '60s', BNERD_BEAT: '500ms' },
    );
    const machine = await on.machine();
    const team = await on.at.run();
    const { brief } = await on.at.fact('brief.sent');
    const connection = server.connect();
    await connection.ready(new AbortController().signal);
    const { client } = connection;
    const isAsked = async (): Promise<boolean> =>
      (await server.keys()).some((key) => key.endsWith(`:one~${brief}`));
    await until(isAsked, { ms: 60_000, what: 'a runner is asked for' });
    team.signal('SIGSTOP');
    const first = await machine.start();
    const isPromised = async (): Promise<boolean> =>
      (await client.xrange(server.names.inbox('one'), '-', '+')).some(([, fields]) =>
        fields.join().includes('"accepted"'),
      );
    await until(isPromised, { ms: 60_000, what: 'its runner has promised to work on it' });
    first.signal('SIGKILL');
    await first.ended;
    await machine.start();
    team.signal('SIGCONT');
    const run = await team.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await on.at.of('brief.sent')).toHaveLength(1);
    expect(await on.at.of('brief.accepted')).toMatchObject([{ runner: machine.id }]);
    expect(await on.at.of('brief.ended')).toMatchObject([{ status: 'failed', cause: 'crashed' }]);
    expect(await readFile(join(at, 'at-work'), 'utf8').catch(() => 'nobody')).toBe('nobody');
  });

  test('killed while it fetches the repository, and started again: reported as crashed, once, and nothing was begun', async () => {
    const at = await tempDir('engineer');
    const sends = does(delegates('#1', [`touch ${at}/at-work`, 'commit greet.txt hello']));
    const gone = when('has ended: failed \\(crashed\\)', does(complete('#1')), says('By myself.'));
    const on = await OnRunners.make(
      delegating([when('Task #1 is ready', sends, says('Sent.')), gone]),
      redis(),
      LONG,
    );
    const { machine, process: first } = await on.runner({ env: { PATH: await slowGit(at) } });
    const team = await on.at.run();
    await pidIn(join(at, 'fetches'));
    first.signal('SIGKILL');
    await first.ended;
    await writeFile(join(at, 'go'), '');
    await machine.start();
    const run = await team.ended;
    expect(run.exit, run.stderr).toBe(0);
    expect(await on.at.of('brief.sent')).toHaveLength(1);
    expect(await on.at.of('brief.ended')).toMatchObject([{ status: 'failed', cause: 'crashed' }]);
    expect(await readFile(join(at, 'at-work'), 'utf8').catch(() => 'nobody')).toBe('nobody');
  });

  test('drained it takes no more, finishes what it has, and ends', async () => {
    const { on, machine, runner, team, engineer } = await atWork(redis());
    const listed = await on.at.bnerd('runners', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({
      runners: [{ id: machine.id, pools: ['default'], slots: 1, running: 1, draining: false }],
    });
    expect((await on.at.bnerd('runners')).stdout).toContain(machine.id);
    const drained = await on.at.bnerd('runner', 'drain', 'vm');
    expect(drained.exit, drained.stderr).toBe(0);
    await runner.says(/it is drained/);
    await engineer.go();
    expect((await runner.ended).exit).toBe(0);
    expect((await team.ended).exit).toBe(0);
    expect((await on.at.bnerd('runners')).stdout).toContain('no runner is there');
  });
});

/** A `PATH` whose git says that it fetches, and waits for the word to give that up; from then on it is the usual one. */
async function slowGit(at: string): Promise<string> {
  const folder = join(at, 'bin');
  const program = [
    '#!/bin/sh',
    `case " $* " in *" fetch "*) if [ ! -e ${at}/fetches ]; then`,
    `  echo $$ > ${at}/fetches`,
    `  while [ ! -e ${at}/go ]; do sleep 0.05; done`,
    '  exit 1',
    'fi;; esac',
    `PATH="\${PATH#${folder}:}" exec git "$@"`,
    '',
  ];
  await mkdir(folder);
  await writeFile(join(folder, 'git'), program.join('\n'), { mode: 0o755 });
  return `${folder}:${process.env['PATH']}`;
}
