// The cases of stopping: members that must be ended (B25, B26, B33) and a run that must go nowhere after its end (G168).
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stopTeam } from '../../src/runtime/operator.js';
import { listTeams, teamStatus, teamTranscript } from '../../src/runtime/teams.js';
import { startMemoryJob } from '../helpers/memory-team.js';
import { noneRunning, running } from '../helpers/running.js';
import { type Mission, resumeJob, startJob, type WatchedTeam, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { crashAt } from './crash.js';
import { does, expectInvariants, finish, says, shell, stateBehind, update, when, works } from './play.js';

const LIMPET = "trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 600 & wait; done";

/** One is at a call; two has the same role as nobody else and can take what one gives back. */
function pair(call: string, more: Partial<Mission> = {}): Mission {
  return {
    recipe: {
      tasks: [{ id: 'first', subject: 'Do one' }],
      limits: { concurrency: 1 },
      ...more.recipe,
    },
    roles: { boss: {}, one: { base: 'write' }, two: { base: 'write' } },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      one: { idle: 'Ready.', turns: [works('#1', does(shell(call), shell('echo later > later')))] },
      two: { idle: 'Ready.', turns: [works('#1', does(shell('echo "two was here"')))] },
      ...more.script,
    },
  };
}

const types = (team: WatchedTeam): string[] => team.facts.map(({ type }) => type);

async function pidOf(workspace: string): Promise<number> {
  const written = async (): Promise<string | null> => {
    const text = await readFile(join(workspace, 'pid'), 'utf8').catch(() => '');
    return text.endsWith('\n') ? text : null; // The file is there before its line is.
  };
  return Number(await until(written, { what: 'the tool runs' }));
}

describe('B25 a member that is told to stop does stop', () => {
  test('B25 in two steps: its task is nobody else’s before its turn has ended, then slot and task are free', async () => {
    // Obeys TERM, but takes its time and writes at its end: to that moment the task is its own.
    const at = await writeMission(
      pair("trap 'sleep 0.3; echo last > last; exit 0' TERM; echo $$ > pid; sleep 600 & wait"),
    );
    const team = await startJob(at, { graceMs: 5_000 });
    await pidOf(at.workspace);
    const stopped = await team.live.stopMember('one');
    expect(stopped).toMatchObject({ kind: 'accepted', text: expect.stringContaining('one is stopping') });
    expect(await team.live.send('one', 'still there?')).toMatchObject({
      kind: 'refused',
      code: 'member_stopped',
    });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    // Both steps are there, in this order, and what was its work came back behind the end of its turn.
    const numbers = [
      team.numberOf((fact) => fact.type === 'member.stopping' && !fact.forced),
      team.numberOf(
        (fact) => fact.type === 'turn.ended' && fact.member === 'one' && fact.outcome === 'cancelled',
      ),
      team.numberOf((fact) => fact.type === 'task.released' && fact.reason === 'stopped'),
      team.numberOf((fact) => fact.type === 'member.stopped'),
      team.numberOf((fact) => fact.type === 'task.claimed' && fact.member === 'two'),
    ];
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(numbers).not.toContain(-1);
    expect(team.of('member.stopping')).toHaveLength(1);
    // The tool had ended before the task was another's.
    expect(await readFile(join(at.workspace, 'last'), 'utf8')).toBe('last\n');
    expect(team.of('mail.dead')).toMatchObject([{ to: 'one', reason: 'stopped', body: 'still there?' }]);
    // The second call of its reply was never run and has a result.
    await expect(readFile(join(at.workspace, 'later'))).rejects.toMatchObject({ code: 'ENOENT' });
    const outcomes = team.transcripts.flatMap(({ member, entry }) =>
      member === 'one' && entry.kind === 'result' ? [entry.outcome] : [],
    );
    expect(outcomes.slice(-2)).toEqual(['cancelled', 'cancelled']);
    expectInvariants(team);
  });

  test('B25 one that does not listen is killed when the grace is over, and nobody else’s process is touched', async () => {
    const mission = pair(LIMPET, {
      recipe: {
        tasks: [
          { id: 'first', subject: 'Do one', role: 'one' },
          { id: 'second', subject: 'Do two', role: 'two' },
        ],
        limits: { concurrency: 2 },
      },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('one was stopped', does(update('#1', { status: 'cancelled' })), says('Cancelled.')),
            when('has completed #2', finish('partial')),
          ],
        },
        two: {
          idle: 'Ready.',
          turns: [works('#2', does(shell('until [ -e go ]; do sleep 0.02; done; echo "went on"')))],
        },
      },
    });
    const at = await writeMission(mission);
    const team = await startJob(at, { graceMs: 100 });
    const pid = await pidOf(at.workspace);
    await team.fact('tool.started', (fact) => fact.member === 'two');
    await team.live.stopMember('one', { forced: true });
    await team.fact('member.stopped');
    expect(team.of('member.stopping')).toMatchObject([{ member: 'one', by: 'tester', forced: true }]);
    await noneRunning({ pids: [pid], groups: [pid], marker: 'BNERD_MEMBER=one' });
    // The other's tool runs on and comes to its own end.
    expect(await running({ marker: 'BNERD_MEMBER=two' })).not.toEqual([]);
    await writeFile(join(at.workspace, 'go'), '');
    expect(await team.ended()).toMatchObject({ reason: 'partial' });
    expect(team.results('two').join('\n')).toContain('went on');
    expectInvariants(team);
  });

  test('B25 without a word more it is killed by the clock: stopping, stopping by force, stopped', async () => {
    const at = await writeMission(pair(LIMPET));
    // The tool itself gives its program longer than the run gives the tool.
    const team = await startJob(at, { graceMs: 0 });
    const pid = await pidOf(at.workspace);
    await team.live.stopMember('one');
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    await noneRunning({ pids: [pid], groups: [pid], marker: `BNERD_TEAM=${team.live.id}` });
    expect(types(team).filter((type) => type.startsWith('member.stop'))).toContain('member.stopped');
    expect(team.of('task.claimed').map(({ member, attempt }) => [member, attempt])).toEqual([
      ['one', 1],
      ['two', 2],
    ]);
    expectInvariants(team);
  });

  test('B25 B33 a turn that nothing ends is cut off: its slot and its task are free, and that is said', async () => {
    const at = await writeMission(pair('echo never', {}));
    // A model that hears no signal: the only thing here that no process can be killed for.
    let late: (text: string) => void = () => {};
    const team = await startJob(at, { graceMs: 0 }, false, (plan) => {
      const models = new Map(plan.models);
      const model = models.get('one');
      if (model === undefined) throw new Error('no model of one');
      const deaf = {
        ...model,
        id: model.id,
        facts: model.facts,
        leftover: () => [],
        generate: () =>
          new Promise<Awaited<ReturnType<typeof model.generate>>>((resolve) => {
            late = (text) => {
              const usage = { inputTokens: 1, cachedTokens: 0, outputTokens: 1 };
              resolve({ kind: 'reply', text, calls: [], usage, stop: 'end' });
            };
          }),
      };
      return { ...plan, models: models.set('one', deaf) };
    });
    await team.fact('budget.reserved', (fact) => fact.member === 'one');
    const one = team.of('turn.started').find((fact) => fact.member === 'one');
    expect(one).toBeDefined();
    await team.live.stopMember('one');
    const stopped = await team.fact('member.stopped');
    expect(stopped.reason).toMatch(/^stopped by the operator; turn \d+ did not end and was cut off/);
    expect(team.of('member.stopping').map(({ forced }) => forced)).toEqual([false, true]);
    // Only one turn at a time is allowed: the other could not have worked while its slot was held.
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('task.completed')).toMatchObject([{ task: '#1', member: 'two' }]);
    const before = team.transcripts.length;
    late('too late');
    await team.live.settled();
    expect(team.transcripts.slice(before)).toEqual([]);
    expectInvariants(team);
  });

  test('B25 the lead stops a member whose turn runs: it is told both times, and nothing starts in between', async () => {
    const stop = { tool: 'team_stop_member', args: { member: 'one', reason: 'it goes the wrong way' } };
    const at = await writeMission(
      pair('echo $$ > pid; sleep 600', {
        recipe: { tasks: [{ id: 'first', subject: 'Do one' }], limits: { concurrency: 2 } },
        script: {
          boss: {
            idle: 'Waiting.',
            turns: [when('stop it now', does(stop), says('Stopped it.')), when('has completed #1', finish())],
          },
        },
      }),
    );
    const team = await startJob(at);
    await pidOf(at.workspace);
    await team.live.send('lead', 'stop it now');
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.results('boss')[0]).toMatch(/^one is stopping: its turn is called off/);
    expect(team.inputs('boss').join('\n')).toContain(
      'one was stopped by boss: it goes the wrong way. Back on the board: #1.',
    );
    expectInvariants(team);
  });

  test('B25 killed between the two steps: the resume stops it before anything moves', async () => {
    const at = await writeMission(pair(LIMPET));
    const team = await startJob(at, { graceMs: 60_000 });
    await pidOf(at.workspace);
    await team.live.stopMember('one');
    await team.live.stop('stop');
    team.live.kill();
    expect(await team.ended()).toMatchObject({ reason: 'cancelled' });
    expect(team.of('member.stopped')).toEqual([]);
    const resumed = await resumeJob(at, team.live.id);
    expect(await resumed.ended()).toMatchObject({ reason: 'done' });
    const state = stateBehind([...team.entries, ...resumed.entries], (fact) => fact.type === 'run.resumed');
    expect(state.members.get('one')).toMatchObject({ life: { kind: 'stopped' }, stopping: null });
    expect(resumed.of('task.completed')).toMatchObject([{ member: 'two' }]);
    expectInvariants(team, resumed);
  });

  test('B25 killed between the two steps: the operator may say it again to nobody’s team, and it has stopped', async () => {
    const at = await writeMission(pair(LIMPET));
    const team = await startJob(at, { graceMs: 60_000 });
    await pidOf(at.workspace);
    const dying = crashAt(at, team, (row) => row.kind === 'fact' && row.fact.type === 'member.stopping');
    await team.live.stopMember('one');
    const { id } = await dying;
    expect(await stopTeam(at.house, id, 'one', false)).toEqual({
      kind: 'done',
      text: `recorded; go on with: bnerd team resume ${id}`,
      live: false,
    });
    const status = await teamStatus(at.house, id);
    expect(status).toMatchObject({
      value: { phase: 'running', tasks: [{ id: '#1', state: 'pending', owner: null }] },
    });
    const memory = await teamTranscript(at.house, id, 'one');
    expect(memory.kind === 'found' && memory.value.entries.at(-1)).toMatchObject({ outcome: 'cancelled' });
    expect(await stopTeam(at.house, id, 'one', false)).toMatchObject({
      text: expect.stringContaining('nothing had to be changed'),
    });
  });
});

describe('B26 every id that is shown can be used, or says whose it is', () => {
  test('B26 names, roles, tasks and requests of status', async () => {
    const at = await writeMission(pair(LIMPET));
    const team = await startJob(at, { graceMs: 100 });
    await pidOf(at.workspace);
    const status = await teamStatus(at.house, team.live.id);
    if (status.kind === 'refused') throw new Error('no status');
    const shown = status.value.members.flatMap(({ name, role, tasks }) => [name, role, ...tasks]);
    expect(shown).toContain('#1');
    for (const id of [...new Set(shown), 'lead']) {
      const said = await team.live.stopMember(id);
      if (said.kind === 'accepted') continue;
      // What cannot be stopped by this word says which word it takes.
      expect(said.message).toMatch(/one holds it: stop one by name|stop the team/);
    }
    expect((await listTeams(at.house)).map(({ id }) => id)).toEqual([team.live.id]);
    await until(
      () =>
        [...team.live.state().members.values()].every(
          ({ name, life }) => name === 'boss' || life.kind === 'stopped',
        ),
      { what: 'all have stopped' },
    );
    expectInvariants(team);
  });
});

describe('G168 a run that is cancelled dispatches nothing more', () => {
  test('G168 cancel races with a completion that would unblock two tasks: 200 rounds, 0 turns begin behind it', async () => {
    const mission: Mission = {
      recipe: {
        tasks: [
          { id: 'first', subject: 'Do one', role: 'one' },
          { id: 'left', subject: 'Left', role: 'two', blocked_by: ['first'] },
          { id: 'right', subject: 'Right', role: 'three', blocked_by: ['first'] },
        ],
      },
      roles: { boss: {}, one: {}, two: {}, three: {} },
      script: {
        boss: { idle: 'Waiting.', turns: [when('has completed #3', finish())] },
        one: { idle: 'Ready.', turns: [works('#1')] },
        two: { idle: 'Ready.', turns: [works('#2')] },
        three: { idle: 'Ready.', turns: [works('#3')] },
      },
    };
    const at = await writeMission(mission);
    let raced = 0;
    for (let round = 0; round < 200; round++) {
      const team = await startMemoryJob(at);
      // From the claim on, the word falls one row later with every round, and begins anew.
      let left = round % 12;
      team.onRow = (row) => {
        const near =
          team.of('task.claimed').length > 0 || (row.kind === 'fact' && row.fact.type === 'task.claimed');
        if (near && left-- === 0) void team.live.stop('interrupt');
      };
      expect(await team.ended()).toMatchObject({ reason: 'cancelled', exit: 130 });
      const word = team.numberOf((fact) => fact.type === 'run.stopping');
      const begun = team.facts.slice(word).filter(({ type }) => type === 'turn.started');
      expect(begun, `round ${round}`).toEqual([]);
      if (team.of('task.completed').length > 0) raced++;
      expectInvariants(team);
    }
    // Both sides of the race were there: the completion came first in some rounds, the word in others.
    expect(raced).toBeGreaterThan(0);
    expect(raced).toBeLessThan(200);
  });
});
