// A team that one process runs: the operator's words and its end, whatever moment they come at (spec/team.md §7).
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Model } from '../../src/models/model.js';
import { FREE } from '../../src/models/settings.js';
import type { LiveTeam } from '../../src/runtime/live-team.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import { startTeam } from '../../src/runtime/start-team.js';
import { ask, does, expectInvariants, finish, type Step, says, shell, when, works } from '../cases/play.js';
import {
  type Mission,
  ORDER,
  runMission,
  startJob,
  type TestHouse,
  WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { JOB } from './job.js';

function worker(...steps: readonly Step[]): Mission {
  return {
    recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
    roles: { boss: {}, worker: { base: 'write' } },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      worker: { idle: 'Ready.', turns: [works('#1', ...steps)] },
    },
  };
}

/** Starts the job with another model in the place of the worker's; grace 0. */
async function startWith(at: TestHouse, model: Model): Promise<WatchedTeam> {
  const prepared = await prepareRun(at.house, { ...ORDER, graceMs: 0 });
  if (prepared.kind === 'refused') throw new Error(JSON.stringify(prepared.findings));
  const plan = { ...prepared.plan, models: new Map([...prepared.plan.models, ['worker', model]]) };
  const watched = new WatchedTeam();
  watched.live = await startTeam(at.house, plan, {
    operatorPresent: false,
    onEntry: (entry) => watched.addEntry(entry),
  });
  return watched;
}

/** A far side that never answers and hears no signal. */
class Deaf implements Model {
  readonly id = 'test/deaf';
  readonly facts = FREE;
  asked = 0;
  generate(): Promise<never> {
    this.asked++;
    return new Promise(() => {});
  }
  leftover(): readonly string[] {
    return [];
  }
}

const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

/** What a team that has ended may have left behind. */
async function expectReleased(at: TestHouse, live: LiveTeam): Promise<void> {
  expect(await readdir(join(live.folder, 'processes'))).toEqual([]);
  expect((await readdir(at.house.temporaryDirectory)).filter((name) => name.startsWith('bnerd-'))).toEqual(
    [],
  );
}

describe('the first word', () => {
  test('calls off a model that is thinking; no turn begins after it, and all is recorded', async () => {
    const at = await writeMission(worker({ ...does(shell('echo late')), delay_ms: 60_000 }));
    const team = await startJob(at);
    await team.fact('task.claimed');
    await until(
      () => team.live.activity().some(({ member, what }) => member === 'worker' && what === 'thinking'),
      {
        what: 'the worker thinks',
      },
    );
    await team.live.stop('terminate');
    await team.live.stop('interrupt');
    expect(await team.ended()).toMatchObject({
      reason: 'cancelled',
      exit: 143,
      openTasks: ['#1'],
      resumable: true,
      recorded: true,
      detail: 'stopped by tester',
    });
    const stopping = team.numberOf((fact) => fact.type === 'run.stopping');
    expect(team.of('run.stopping')).toHaveLength(1);
    expect(team.facts.slice(stopping).filter((fact) => fact.type === 'turn.started')).toEqual([]);
    expect(team.facts.at(-1)?.type).toBe('run.ended');
    expect(team.live.activity()).toEqual([]);
    expectInvariants(team);
    await expectReleased(at, team.live);
  });

  test('ends the processes of a running tool, and the call gets a result', async () => {
    const at = await writeMission(worker(does(shell('echo $$ > pid; sleep 1000; echo never'))));
    const team = await startJob(at);
    const pid = await until(
      async () => Number(await readFile(join(at.workspace, 'pid'), 'utf8').catch(() => '')) || undefined,
      {
        what: 'the command runs',
      },
    );
    await team.live.stop('interrupt');
    expect(await team.ended()).toMatchObject({ reason: 'cancelled', exit: 130 });
    await until(() => isGone(pid), { what: 'its process is gone' });
    expect(team.transcripts.at(-1)).toMatchObject({
      member: 'worker',
      entry: { kind: 'result', outcome: 'cancelled', text: expect.stringContaining('cancelled') },
    });
    await expectReleased(at, team.live);
  });

  test('said when the run has ended changes nothing and leaves no timer behind', async () => {
    const team = await runMission(JOB);
    const before = timers();
    await team.live.stop('interrupt');
    team.live.kill();
    expect(timers()).toBe(before);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
  });

  test('said in the first moment, before any turn, still ends the run', async () => {
    const at = await writeMission(JOB);
    const team = await startJob(at);
    await team.live.stop('hangup');
    expect(await team.ended()).toMatchObject({ reason: 'cancelled', exit: 129 });
    expectInvariants(team);
  });

  test('said while the first entry is being told, before the team moves, is heard', async () => {
    const at = await writeMission(JOB);
    const prepared = await prepareRun(at.house, ORDER);
    if (prepared.kind === 'refused') throw new Error('refused');
    const live = await startTeam(at.house, prepared.plan, {
      operatorPresent: false,
      onEntry: (_entry, team) => void team.stop('interrupt'),
    });
    expect(await live.ended).toMatchObject({ reason: 'cancelled' });
    expect(live.state().budget.turns).toBe(0);
  });
});

test('words that come too late are refused by a value, never by an exception', async () => {
  const team = await runMission(JOB);
  const late = { kind: 'refused', code: 'ended' };
  expect(await team.live.send('lead', 'hello?')).toMatchObject(late);
  expect(await team.live.stopMember('worker')).toMatchObject(late);
  expect(await team.live.answer('r1', { kind: 'approve' })).toMatchObject({ kind: 'refused' });
});

describe('the second word', () => {
  test('ends the run although a model hears no signal', { timeout: 20_000 }, async () => {
    const at = await writeMission(JOB);
    const deaf = new Deaf();
    const team = await startWith(at, deaf);
    await until(() => deaf.asked > 0, { what: 'it was asked' });
    await team.live.stop('interrupt');
    team.live.kill();
    team.live.kill();
    expect(await team.ended()).toMatchObject({
      reason: 'cancelled',
      exit: 130,
      recorded: true,
      resumable: true,
    });
    expect(team.of('run.killing')).toHaveLength(1);
    expect(team.of('run.ended')).toHaveLength(1);
    await expectReleased(at, team.live);
  });

  test('comes by itself when the first was not enough', { timeout: 20_000 }, async () => {
    const deaf = new Deaf();
    const team = await startWith(await writeMission(JOB), deaf);
    await until(() => deaf.asked > 0, { what: 'it was asked' });
    await team.live.stop('terminate');
    expect(await team.ended()).toMatchObject({ reason: 'cancelled', exit: 143, recorded: true });
    expect(team.of('run.killing')).toHaveLength(1);
  });
});

describe('those who listen', () => {
  test('may throw: they hear no more, the team goes on, and its end says so', async () => {
    const at = await writeMission(JOB);
    const prepared = await prepareRun(at.house, ORDER);
    if (prepared.kind === 'refused') throw new Error('refused');
    let entries = 0;
    let memories = 0;
    const live = await startTeam(at.house, prepared.plan, {
      operatorPresent: false,
      onEntry: () => {
        entries++;
        if (entries === 3) throw new Error('the pipe is closed');
      },
      onTranscript: () => {
        memories++;
        throw new Error('the other one too');
      },
    });
    const ended = await live.ended;
    expect(ended).toMatchObject({ reason: 'done', exit: 0, recorded: true });
    expect(ended.detail).toContain('the pipe is closed');
    expect(ended.detail).toContain('the other one too');
    expect([entries, memories]).toEqual([3, 1]);
  });
});

describe('a start that fails', () => {
  test('has run no turn and leaves nothing', async () => {
    const at = await writeMission(JOB);
    const prepared = await prepareRun(at.house, ORDER);
    if (prepared.kind === 'refused') throw new Error('refused');
    const deaf = new Deaf();
    const plan = {
      ...prepared.plan,
      models: new Map([...prepared.plan.models].map(([role]) => [role, deaf])),
    };
    const house = { ...at.house, temporaryDirectory: join(at.house.temporaryDirectory, 'not-there') };
    await expect(startTeam(house, plan, { operatorPresent: false, onEntry: () => {} })).rejects.toMatchObject(
      {
        code: 'ENOENT',
      },
    );
    expect(await readdir(join(at.house.home, 'runs'))).toEqual([]);
    expect(deaf.asked).toBe(0);
  });
});

describe('a member that is stopped by the operator', () => {
  test('in its turn: the tool is called off, every open call gets a cancelled result, its task goes back', async () => {
    const at = await writeMission({
      ...worker(does(shell('sleep 1000'), shell('echo later')), says('never')),
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when(
              'worker was stopped',
              does({ tool: 'team_task_update', args: { task: '#1', status: 'cancelled' } }),
              finish('partial'),
            ),
          ],
        },
        worker: { idle: 'Ready.', turns: [works('#1', does(shell('sleep 1000'), shell('echo later')))] },
      },
    });
    const team = await startJob(at);
    await team.fact('tool.started');
    expect(await team.live.stopMember('worker')).toMatchObject({ kind: 'accepted' });
    expect(await team.live.stopMember('worker')).toMatchObject({ kind: 'accepted' });
    expect(await team.ended()).toMatchObject({ reason: 'partial', exit: 3 });
    expect(team.of('member.stopped')).toMatchObject([{ by: 'tester', reason: 'stopped by the operator' }]);
    expect(team.of('task.released')).toMatchObject([{ task: '#1', reason: 'stopped' }]);
    const results = team.transcripts.flatMap(({ member, entry }) =>
      member === 'worker' && entry.kind === 'result' ? [entry] : [],
    );
    expect(results.slice(-2).map((entry) => entry.outcome)).toEqual(['cancelled', 'cancelled']);
    expect(results.at(-1)?.text).toContain('the member was stopped');
    expectInvariants(team);
    await expectReleased(at, team.live);
  });

  test('while it waits for a word: its request is withdrawn and the call that asked is closed', async () => {
    const mission = worker(does(ask('Which?')));
    const team = await startJob(
      await writeMission({
        ...mission,
        script: {
          ...mission.script,
          boss: {
            idle: 'Waiting.',
            turns: [
              when(
                'worker was stopped',
                does({ tool: 'team_task_update', args: { task: '#1', status: 'cancelled' } }),
                finish('partial'),
              ),
            ],
          },
        },
      }),
      {},
      true,
    );
    await until(() => team.live.state().members.get('worker')?.life.kind === 'parked', {
      what: 'it is parked',
    });
    await team.live.stopMember('worker');
    expect(await team.ended()).toMatchObject({ reason: 'partial' });
    expect(team.of('request.withdrawn')).toHaveLength(1);
    const memory = team.transcripts.filter(({ member }) => member === 'worker').map(({ entry }) => entry);
    expect(memory.at(-1)).toMatchObject({ kind: 'result', outcome: 'cancelled' });
    const ids = memory.map((entry) => entry.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the lead cannot be stopped alone, nor a member that is not there', async () => {
    const team = await startJob(await writeMission(worker(does(ask('Which?')))), {}, true);
    expect(await team.live.stopMember('boss')).toMatchObject({ kind: 'refused', code: 'lead' });
    expect(await team.live.stopMember('wroker')).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('did you mean "worker"'),
    });
  });
});

test('a script that was not played to its end fails the run, with the place of each step left', async () => {
  const mission = worker(says('on'));
  const team = await runMission({
    ...mission,
    recipe: { ...mission.recipe, on_demand: ['spare'] },
    roles: { ...mission.roles, spare: {} },
    script: {
      ...mission.script,
      worker: { idle: 'Ready.', turns: [works('#1'), when('never said', says('unused'))] },
      spare: { turns: [when('', says('nobody called me'))] },
    },
  });
  const ended = await team.ended();
  expect(ended).toMatchObject({ reason: 'failed', exit: 1, cause: 'error' });
  expect(ended.detail).toContain('roles.worker.turns[1]');
  expect(ended.detail).toContain('roles.spare.turns[0]');
});
