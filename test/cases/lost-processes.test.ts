// Teams on Redis whose processes are gone, with real processes: who takes what up, and what nobody makes of a process that is
// not there (cases C65, C68, F133–F153 of teamwork.md).
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneTask, worksOn } from '../e2e/missions.js';
import { WAITING } from '../e2e/on-redis.js';
import { liveTwice } from '../faults/chains.js';
import { SharedTeam, TEAM } from '../faults/shared-team.js';
import { type BnerdRun, bnerd, bnerdPlace, type RunningBnerd, startBnerd } from '../helpers/bnerd.js';
import { bnerdHere } from '../helpers/bnerd-here.js';
import {
  describePrivateRedis,
  describeRedis,
  privateRedis,
  redisAt,
  redisForTests,
  type TestRedis,
} from '../helpers/redis.js';
import type { Mission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import {
  claim,
  complete,
  does,
  expectInvariants,
  finish,
  mailTo,
  type Step,
  says,
  shell,
  when,
} from './play.js';

interface Status {
  readonly phase: string;
  readonly waiting: readonly string[];
  readonly members: readonly { readonly name: string; readonly state: string }[];
  readonly tasks: readonly { readonly id: string; readonly state: string; readonly owner: string | null }[];
}

async function statusOf(team: SharedTeam): Promise<Status> {
  const { stdout } = await team.bnerd('team', 'status', TEAM, '--json');
  return JSON.parse(stdout);
}

async function kill(...all: readonly RunningBnerd[]): Promise<void> {
  for (const one of all) one.signal('SIGKILL');
  await Promise.all(all.map(({ ended }) => ended));
}

/** A team in the middle of a tool of its worker, whose processes are all gone. */
async function allKilled(at: TestRedis): Promise<SharedTeam> {
  const team = await SharedTeam.of(WAITING, at);
  const all = [await team.coordinate(), await team.worker()];
  await team.at.files('begun');
  await kill(...all);
  return team;
}

async function expectDone(team: SharedTeam, run?: BnerdRun): Promise<void> {
  if (run !== undefined) expect(run.exit, run.stderr).toBe(0);
  const log = await team.log();
  expect((await team.of('run.ended')).at(-1)).toMatchObject({ reason: 'done' });
  expectInvariants({ entries: log });
  expect(liveTwice(log)).toEqual([]);
}

describeRedis('a team whose processes are gone', () => {
  const redis = redisForTests();

  test('C65: worker and coordinator are killed: another worker takes the turn over, with its claim, and a word that changes nothing is refused', async () => {
    const team = await allKilled(redis());
    await team.worker();
    const lost = await team.fact('turn.lost');
    await team.fact('run.ended');
    await expectDone(team);
    expect(lost.member).toBe('worker');
    expect((await team.of('task.claimed')).map(({ member }) => member)).toEqual(['worker']);
    expect(await team.at.file('begun')).toBe('begun\n');
    const facts = await team.facts();
    for (const words of [
      ['answer', TEAM, 'r1', 'yes'],
      ['send', TEAM, 'worker', 'go on'],
    ]) {
      const refused = await team.bnerd('team', ...words);
      expect(refused.exit, refused.stdout).not.toBe(0);
      expect(refused.stderr).toContain('error');
    }
    expect(await team.facts()).toEqual(facts);
  });

  test('C68: a worker is killed behind what it has completed and before its next word: who waits for that has its turn', async () => {
    const mission: Mission = {
      recipe: {
        safety: 'full',
        tasks: [
          { id: 'one', subject: 'Do one', role: 'worker' },
          { id: 'two', subject: 'Do two', role: 'next', blocked_by: ['one'] },
        ],
      },
      roles: { boss: {}, worker: { base: 'write' }, next: { base: 'write' } },
      script: {
        boss: { idle: 'Waiting.', turns: [when(['has completed #2', 'Take it from here'], finish())] },
        worker: {
          idle: 'Ready.',
          turns: [
            when(
              'Task #1 is ready',
              does(claim('#1')),
              does(shell('echo done >> done')),
              does(complete('#1')),
              { ...says('Take it from here.'), delay_ms: 2_000 },
            ),
          ],
        },
        next: { idle: 'Ready.', turns: [worksOn('#2')] },
      },
    };
    const team = await SharedTeam.of(mission, redis());
    const coordinator = await team.coordinate();
    const first = await team.worker(['--concurrency', '1']);
    await team.fact('task.completed');
    await kill(first);
    expect((await team.of('task.claimed')).map(({ task }) => task)).toEqual(['#1']);
    await team.worker();
    await expectDone(team, await coordinator.ended);
    expect((await team.of('task.claimed')).map(({ task }) => task)).toEqual(['#1', '#2']);
    expect(await team.at.file('done')).toBe('done\n');
  });

  test('F133 and F138: a run is found by its id from another home under another host name, with its tasks; nobody is at work before a process is', async () => {
    const team = await allKilled(redis());
    const place = await bnerdPlace();
    const { env } = team.start({ env: { BNERD_HOST: 'another-host' } });
    const looked = await bnerdHere(['team', 'status', TEAM, '--json'], { place, env: env ?? {} });
    expect(JSON.parse(looked.stdout)).toMatchObject({ tasks: [{ id: '#1', state: 'claimed' }] });
    await until(
      async () => (await statusOf(team)).waiting.some((line) => line.includes('no process runs it')),
      {
        ms: 60_000,
        what: 'it is known to have no process',
      },
    );
    const words = ['team', 'resume', TEAM, '--no-worker'];
    const coordinator = await startBnerd(words, { place, cwd: team.at.workspace, env: env ?? {} });
    await coordinator.says(/worker waits in .*which nobody serves/);
    const { members, tasks } = await statusOf(team);
    expect(members.filter(({ state }) => state === 'working')).toEqual([]);
    expect(tasks).toMatchObject([{ id: '#1', state: 'claimed', owner: 'worker' }]);
    const turns = (await team.of('turn.started')).length;
    await team.worker();
    await expectDone(team, await coordinator.ended);
    expect((await team.of('turn.started')).length).toBeGreaterThan(turns);
    expect(await team.of('task.claimed')).toHaveLength(1);
  });

  test('F143: without the keys that name its process a team is no reason to make one: a word is refused, a turn is nobody else’s before it is over', async () => {
    const at = redis();
    const holds = (file: string): Step =>
      does(shell(`echo ${file} >> ${file}; until [ -e go-${file} ]; do sleep 0.05; done; echo late >> late`));
    const steps = [holds('begun'), holds('again')]; // The first is called off, or told as unknown: the second comes next.
    const team = await SharedTeam.of(oneTask(steps, { recipe: { safety: 'full' } }), at);
    const coordinator = await team.coordinate();
    const [first, second] = [await team.worker(), await team.worker()];
    await team.at.files('begun');
    const connection = at.connect();
    await connection.ready(AbortSignal.timeout(20_000));
    const { client } = connection;
    const leases = (await at.keys()).filter((key) => key.includes(':turn:'));
    expect(leases).toHaveLength(1);
    await client.del(...leases);
    await team.at.files('again');
    expect((await team.bnerd('team', 'send', TEAM, 'worker', 'are you there?')).exit).toBe(0);
    await writeFile(join(team.at.workspace, 'go-begun'), '');
    await writeFile(join(team.at.workspace, 'go-again'), '');
    await expectDone(team, await coordinator.ended);
    expect(await team.at.files('begun', 'again', 'late')).toEqual(['begun\n', 'again\n', 'late\n']);
    await kill(first, second);
    await client.del(at.names.log(TEAM));
    const before = await at.keys();
    const place = await bnerdPlace(); // Without a mirror of it.
    const { env = {} } = team.start();
    const refused = await bnerdHere(['team', 'send', TEAM, 'worker', 'hello'], { place, env });
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain('there is no team one');
    expect((await at.keys()).filter((key) => !before.includes(key))).toEqual([]);
  });

  test('F151: of three members one never began: it is named, and a resume begins that one and no other', async () => {
    const greets = (name: string) => ({
      idle: 'Ready.',
      turns: [when('Say hello', says(`${name} is here.`))],
    });
    const mission: Mission = {
      recipe: { safety: 'full', limits: { lost_turns: 1 } },
      roles: { boss: {}, one: {}, two: { base: 'write' }, three: {} },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [when('', does(mailTo('all', 'Say hello.')), says('Asked.')), when('two is here', finish())],
        },
        one: greets('one'),
        two: {
          idle: 'Ready.',
          turns: [when('Say hello', does(shell('echo begun > begun; sleep 600')), says('two is here.'))],
        },
        three: greets('three'),
      },
    };
    const team = await SharedTeam.of(mission, redis());
    const coordinator = await team.coordinate();
    const worker = await team.worker();
    await team.at.files('begun');
    for (const name of ['boss', 'one', 'three'])
      await team.fact('turn.ended', ({ member }) => member === name);
    await kill(worker);
    const failed = await team.fact('member.failed');
    expect(failed.member).toBe('two');
    coordinator.signal('SIGINT');
    await coordinator.ended;
    const begun = (await team.of('turn.started')).length;
    const resumed = await team.resume();
    await team.worker();
    await expectDone(team, await resumed.ended);
    const since = (await team.of('turn.started')).slice(begun).map(({ member }) => member);
    expect(new Set(since)).toEqual(new Set(['two', 'boss']));
    expect(await team.of('member.spawned')).toHaveLength(4);
  });

  test('F153: a word reaches a member at work, wakes one that has finished, and is refused for one that is not there', async () => {
    const holds = (file: string): Step =>
      does(shell(`echo > ${file}; until [ -e go-${file} ]; do sleep 0.05; done`));
    const mission: Mission = {
      recipe: {
        safety: 'full',
        tasks: ['worker', 'other'].map((role) => ({ id: role, subject: `Do ${role}`, role })),
      },
      roles: { boss: {}, worker: { base: 'write' }, other: { base: 'write' } },
      script: {
        boss: { idle: 'Waiting.', turns: [when(['it is seen', 'has completed #2'], finish())] },
        worker: {
          idle: 'Ready.',
          turns: [
            worksOn('#1', holds('begun')),
            when('one thing more', does(mailTo('lead', 'it is seen')), says('Seen.')),
          ],
        },
        other: { idle: 'Ready.', turns: [worksOn('#2', holds('other'))] },
      },
    };
    const team = await SharedTeam.of(mission, redis());
    const coordinator = await team.coordinate();
    await team.worker();
    await team.at.files('begun');
    expect((await team.bnerd('team', 'send', TEAM, 'worker', 'look at the tests')).exit).toBe(0);
    const turns = (await team.of('turn.started')).filter(({ member }) => member === 'worker').length;
    await writeFile(join(team.at.workspace, 'go-begun'), '');
    await team.fact('turn.ended', ({ member }) => member === 'worker');
    const memory = JSON.stringify(await team.transcript('worker'));
    expect(memory).toContain('look at the tests');
    expect((await team.of('turn.started')).filter(({ member }) => member === 'worker')).toHaveLength(turns);
    expect((await team.bnerd('team', 'send', TEAM, 'worker', 'one thing more')).exit).toBe(0);
    const refused = await team.bnerd('team', 'send', TEAM, 'helper', 'hello');
    expect(refused.exit, refused.stderr).toBe(2);
    expect(refused.stderr).toContain('no member is named helper; known: all, boss, lead, other, worker');
    await writeFile(join(team.at.workspace, 'go-other'), '');
    await expectDone(team, await coordinator.ended);
    expect(JSON.stringify(await team.transcript('worker')).startsWith(memory.slice(0, -1))).toBe(true);
    expect((await team.of('member.spawned')).filter(({ seat }) => seat.member === 'worker')).toHaveLength(1);
  });
});

describePrivateRedis('a team whose processes are gone, and its server for a while', () => {
  test('F140 and F141: who cannot be asked is not taken for alive; what is gone is stopped, once and for all', async () => {
    const server = await privateRedis({ config: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    const team = await allKilled(redisAt(server.url));
    const place = await bnerdPlace();
    const { env = {} } = team.start({ env: { BNERD_HOST: 'another-host' } });
    const elsewhere = (...words: readonly string[]): Promise<BnerdRun> => bnerd(words, { place, env });
    await server.kill();
    for (const away of await Promise.all(['resume', 'status'].map((word) => elsewhere('team', word, TEAM)))) {
      expect(away.exit).toBe(1);
      expect(away.stderr).toContain('does not answer');
      expect(away.stdout).toBe('');
    }
    await server.start();
    await until(async () => (await team.bnerd('team', 'status', TEAM)).stdout.includes('process: none'), {
      ms: 60_000,
      what: 'nobody has it any more',
    });
    expect((await statusOf(team)).waiting).toEqual([expect.stringContaining('no process runs it')]);
    const stopped = await team.bnerd('team', 'stop', TEAM, 'worker');
    expect(stopped.exit, stopped.stderr).toBe(0);
    expect((await team.of('member.stopped')).map(({ member }) => member)).toEqual(['worker']);
    for (let times = 0; times < 2; times++) {
      const again = await team.bnerd('team', 'stop', TEAM);
      expect(again.exit, again.stderr).toBe(0);
    }
    expect(await team.of('run.ended')).toMatchObject([{ reason: 'cancelled' }]);
    expect((await statusOf(team)).phase).toBe('ended');
  });
});
