// A team closes by itself when its work is over and not before, and every view shows the same team
// (cases A18, B46, B48).
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { listTeams, teamStatus } from '../../src/runtime/teams.js';
import { fold } from '../../src/state/team-store.js';
import { statusView } from '../../src/team/show/status.js';
import { isOpen, type TeamState } from '../../src/team/state.js';
import { gate, waitAt } from '../helpers/gate.js';
import { runMission, startJob, writeMission } from '../helpers/team.js';
import { passes, spawn, taskOf } from './look.js';
import { ask, does, expectInvariants, mailTo, says, when, works } from './play.js';

const BEGIN = when('', says('Begin.'));

describe('A18', () => {
  test('A18: each idle period gives one idle notice, the run closes itself, and its record grows no more', async () => {
    const team = await runMission({
      recipe: {
        tasks: [
          ...taskOf('one', 'two'),
          { id: 'more', subject: 'More', role: 'one', blocked_by: ['of-two'] },
        ],
      },
      roles: { boss: {}, one: {}, two: {} },
      script: {
        boss: { idle: 'Waiting.', turns: [BEGIN] },
        one: { idle: 'Ready.', turns: [works('#1'), works('#3')] },
        two: { idle: 'Ready.', turns: [works('#2')] },
      },
    });
    expect(await team.ended()).toMatchObject({ reason: 'done', exit: 0 });
    expect(team.of('run.ended')).toMatchObject([{ closed_by: 'runtime' }]);
    for (const member of ['one', 'two']) {
      const periods = team.of('turn.ended').filter((fact) => fact.member === member);
      const notices = team.of('mail.sent').filter((fact) => fact.kind === 'idle' && fact.from === member);
      expect(notices).toHaveLength(periods.length);
      expect(periods).toHaveLength(member === 'one' ? 2 : 1);
    }
    expect(team.of('mail.sent').filter((fact) => fact.kind === 'idle' && !fact.to.includes('boss'))).toEqual(
      [],
    );
    const path = join(team.live.folder, 'log.jsonl');
    const size = (await stat(path)).size;
    await passes();
    expect((await stat(path)).size).toBe(size);
    expect(JSON.parse((await readFile(path, 'utf8')).trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      facts: [{ type: 'run.ended' }],
    });
  });

  test('A18: a team that waits for the operator writes nothing and asks no model', async () => {
    const team = await startJob(
      await writeMission({
        recipe: { tasks: taskOf('worker') },
        roles: { boss: {}, worker: {} },
        script: {
          boss: { idle: 'Waiting.', turns: [BEGIN] },
          worker: { idle: 'Ready.', turns: [works('#1', does(ask('Which?')))] },
        },
      }),
      {},
      true,
    );
    await team.fact('turn.ended', (fact) => fact.outcome === 'parked');
    await team.fact('turn.ended', (fact) => fact.member === 'boss');
    const rows = team.journal.length;
    const calls = team.live.state().budget.modelCalls;
    await passes();
    expect(team.journal.slice(rows)).toEqual([]);
    expect(team.live.state().budget.modelCalls).toBe(calls);
    await team.live.answer('r1', { kind: 'text', text: 'blue' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
  });
});

test('B46: a run closes by itself exactly when nothing is open, unread for the lead, or at work', async () => {
  const team = await runMission({
    recipe: {
      tasks: [...taskOf('one', 'two'), { id: 'more', subject: 'More', role: 'one', blocked_by: ['of-two'] }],
    },
    roles: { boss: {}, one: {}, two: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN, when('completed #3', says('That was all.'))] },
      one: { idle: 'Ready.', turns: [works('#1'), works('#3')] },
      two: { idle: 'Ready.', turns: [works('#2')] },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done', exit: 0 });
  const closed = prefixesOf(team.entries).map(isOver);
  // Only the last two: behind the entry that made it so, and behind the end that followed at once.
  expect(closed.indexOf(true)).toBe(closed.length - 2);
  expect(closed.at(-1)).toBe(true);
  expect(team.entries.at(-1)?.facts).toMatchObject([{ type: 'run.ended', closed_by: 'runtime' }]);
});

/** The predicate of the end: 0 open tasks, 0 unread for the lead, 0 members at work. */
function isOver(state: TeamState): boolean {
  const open = [...state.tasks.values()].some(isOpen);
  const unread = state.members.get(state.lead)?.unread.length ?? 0;
  const working = [...state.members.values()].some((member) => member.life.kind === 'working');
  return !open && unread === 0 && !working;
}

test('B48: status, list, tools and facts agree on the members at every point of a run', async () => {
  const at = await writeMission({
    recipe: { on_demand: ['three'], tasks: taskOf('one') },
    roles: { boss: {}, one: { base: 'write' }, two: {}, three: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            '',
            does(spawn('three')),
            does({ tool: 'team_overview', args: {} }),
            does(mailTo('all', 'Hello.')),
            says('There are four.'),
          ),
        ],
      },
      one: { idle: 'Ready.', turns: [works('#1', does(waitAt('one')))] },
      two: { idle: 'Ready.', turns: [when('Hello', says('Hello.'))] },
      three: { idle: 'Ready.', turns: [when('Hello', says('Hello.'))] },
    },
  });
  const ones = await gate(at.workspace, 'one');
  const team = await startJob(at);
  await team.fact('turn.ended', (fact) => fact.member === 'boss');
  await team.fact('tool.started');
  const names = ['boss', 'one', 'three', 'two'];
  const views = async () => {
    const status = await teamStatus(at.house, team.live.id);
    const [listed] = await listTeams(at.house);
    return {
      spawned: team
        .of('member.spawned')
        .map((fact) => fact.seat.member)
        .sort(),
      live: [...team.live.state().members.keys()].sort(),
      status: status.kind === 'found' ? status.value.members.map((member) => member.name).sort() : [],
      listed: listed?.members,
    };
  };
  expect(await views()).toEqual({ spawned: names, live: names, status: names, listed: 4 });
  expect(team.results('boss')[1]?.match(/^\w+ \(\w+\): \w+/gm)).toHaveLength(4);
  await ones.open();
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(await views()).toEqual({ spawned: names, live: names, status: names, listed: 4 });
  for (const state of prefixesOf(team.entries)) {
    const view = statusView(state, team.live.id);
    const spawned = team.journal.filter(
      (row) => row.kind === 'fact' && row.fact.type === 'member.spawned' && row.number < state.next,
    );
    expect(view.members).toHaveLength(spawned.length);
    expect(view.tasks.map((task) => task.id)).toEqual([...state.tasks.keys()]);
  }
  expectInvariants(team);
});

/** The state behind each entry. */
function prefixesOf(entries: readonly LogEntry[]): TeamState[] {
  return entries.map((_, index) => fold(entries.slice(0, index + 1)));
}
