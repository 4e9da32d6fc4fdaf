// Cases about cost and loops that have no end (section H): who is stopped, when, and what is kept.
import { describe, expect, test } from 'vitest';
import { resumeHelps } from '../../src/team/end.js';
import { evolveEntry } from '../../src/team/evolve.js';
import { emptyState } from '../../src/team/state.js';
import { providerTeam } from '../helpers/provider-team.js';
import type { Respond } from '../helpers/providers/far-side.js';
import {
  type Mission,
  resumeJob,
  runMission,
  startJob,
  type WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import { claim, complete, does, expectInvariants, finish, list, says, spawn, when, works } from './play.js';
import { behind, call, called, heard, isBoss, say } from './priced.js';

/** Does its first task, and never comes to an end with anything else. */
const endless: Respond = (seen) => {
  if (isBoss(seen)) return say('I wait.');
  if (!heard(seen).includes('Task #1 is ready')) return say('Ready.');
  if (!called(seen, 'team_task_claim')) return call('team_task_claim', { task: '#1' });
  if (!called(seen, 'team_task_complete'))
    return call('team_task_complete', { task: '#1', summary: 'the first' });
  return call('team_task_list', {});
};

const TWO_TASKS = providerTeam({
  recipe: {
    tasks: ['one', 'two'].map((id) => ({ id, subject: `The task ${id}`, role: 'worker' })),
  },
});

/** How a run ends in which a part of the script is never played, since nobody comes to play it. */
const UNPLAYED = { reason: 'failed', cause: 'lead' };

describe('H170 a worker that would bring workers, and a budget', () => {
  test('H170 the tool is absent, the call is refused, and nobody comes', async () => {
    const team = await runMission({
      recipe: { on_demand: ['helper'], tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
      roles: { boss: {}, worker: {}, helper: {} },
      script: {
        boss: { idle: 'Waiting.', turns: [when('has completed #1', finish('failed'))] },
        worker: {
          idle: 'Ready.',
          turns: [works('#1', does(spawn('helper')))],
        },
        helper: { turns: [when('is never said', says('Nothing.'))] },
      },
    });
    expect(await team.ended()).toMatchObject(UNPLAYED);
    const seat = team.of('member.spawned').find(({ seat: { member } }) => member === 'worker')?.seat;
    expect(seat?.tools.map(({ name }) => name)).not.toContain('team_spawn');
    expect(team.of('member.spawned').map(({ seat: { member } }) => member)).toEqual(['boss', 'worker']);
    expect(team.results('worker')[1]).toMatch(/team_spawn/);
    const { outcome } = team.transcripts.flatMap(({ member, entry }) =>
      member === 'worker' && entry.kind === 'result' ? [entry] : [],
    )[1] ?? { outcome: 'none' };
    expect(outcome).not.toBe('ok');
  });

  test.each([
    ['tokens', '60000', 60_000],
    ['cost_usd', '60', 60],
  ] as const)(
    'H170, H173 %s stops the next call, not the one after: used and reserved never pass it, and results are kept',
    async (limit, value, bound) => {
      const { at, far } = await behind(TWO_TASKS, endless);
      const team = await startJob(at, { limits: new Map([[limit, value]]) });
      const ended = await team.ended();
      expect(ended).toMatchObject({ reason: 'budget', exit: 5, openTasks: ['#2'], resumable: false });
      expect(resumeHelps('budget', null)).toBe(false);
      const { budget, tasks } = team.live.state();
      const used = limit === 'tokens' ? budget.inputTokens + budget.outputTokens : (budget.costUsd ?? 0);
      expect(used).toBeLessThanOrEqual(bound);
      expect(used, 'it is used, not saved').toBeGreaterThan(bound * 0.7);
      // Every call that was made had its reservation, and none was made after the limit was met.
      expect(far.seen).toHaveLength(team.of('budget.reserved').length);
      const metAt = team.facts.findIndex(({ type }) => type === 'limit.reached');
      expect(team.facts.slice(metAt).map(({ type }) => type)).not.toContain('budget.reserved');
      expect(team.of('limit.reached')).toMatchObject([{ limit, member: null }]);
      expect(reservedAtMost(team, limit)).toBeLessThanOrEqual(bound);
      expect(tasks.get('#1')?.state).toMatchObject({ kind: 'completed', summary: 'the first' });
      expect(ended.detail).toContain(`limit ${limit} = ${bound} reached`);
      expectInvariants(team);
    },
  );

  test('H173 one member more than --limit members is refused with number and limit, and the lead is told by that', async () => {
    const team = await runMission(
      {
        recipe: { on_demand: ['helper'], tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
        roles: { boss: {}, worker: {}, helper: {} },
        script: {
          boss: {
            turns: [
              when('', does(spawn('helper')), says('Refused.')),
              when('has completed #1', finish('failed')),
            ],
          },
          worker: {
            idle: 'Ready.',
            turns: [when('Task #1 is ready', does(claim('#1')), does(complete('#1')), says('Done.'))],
          },
          helper: { turns: [when('is never said', says('Nothing.'))] },
        },
      },
      { limits: new Map([['members', '2']]) },
    );
    expect(await team.ended()).toMatchObject(UNPLAYED);
    expect(team.results('boss')[0]).toContain('the team has 2 members; the limit is 2 (limits.members)');
    expect(team.of('member.spawned')).toHaveLength(2);
    expect(team.of('limit.reached')).toEqual([
      { type: 'limit.reached', limit: 'members', value: 2, member: 'boss' },
    ]);
  });
});

/** The most that was used and reserved together, behind any entry. */
function reservedAtMost({ entries }: WatchedTeam, limit: 'tokens' | 'cost_usd'): number {
  let state = emptyState();
  let most = 0;
  for (const entry of entries) {
    state = evolveEntry(state, entry);
    const { inputTokens, outputTokens, costUsd, reservedTokens, reservedUsd } = state.budget;
    const now =
      limit === 'tokens' ? inputTokens + outputTokens + reservedTokens : (costUsd ?? 0) + reservedUsd;
    most = Math.max(most, now);
  }
  return most;
}

const LOOPER: Mission = {
  recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
  roles: { boss: {}, worker: {} },
  script: {
    boss: {
      idle: 'Waiting.',
      turns: [when('truncated: true', says('It goes on.')), when('has completed #1', finish())],
    },
    worker: {
      idle: 'Ready.',
      turns: [
        when(
          'Task #1 is ready',
          does(claim('#1')),
          ...Array.from({ length: 11 }, (_, index) => ({
            ...does(list()),
            text: `looked ${index + 1} times`,
          })),
          does(complete('#1')),
          says('Done.'),
        ),
      ],
    },
  },
};

test('H175 soft mark at 6 calls, hard cap at 10: a word in between, then the lead has the part, truncated', async () => {
  const team = await runMission(LOOPER, { limits: new Map([['calls_per_turn', '10']]) });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const ofWorker = team.transcripts.flatMap(({ member, entry }) => (member === 'worker' ? [entry] : []));
  const marks = ofWorker.flatMap((entry, place) =>
    entry.kind === 'input' && entry.text.includes('limits.calls_per_turn') && entry.messages.length === 0
      ? [{ text: entry.text, calls: ofWorker.slice(0, place).filter(({ kind }) => kind === 'result').length }]
      : [],
  );
  expect(marks, 'told once, at 6').toMatchObject([
    {
      calls: 6,
      text: expect.stringContaining(
        'you have made 6 of the 10 calls of this turn, 4 are left (limits.calls_per_turn)',
      ),
    },
  ]);
  // It stands in no result of a tool, and is the runtime's word.
  expect(marks[0]?.text).toMatch(/^\[from the team runtime\]/);
  const [cut] = team.of('turn.ended').filter(({ outcome }) => outcome === 'limit');
  expect(cut).toMatchObject({ member: 'worker', calls: 10, detail: 'calls_per_turn', truncated: true });
  const [report = ''] = team.inputs('boss').filter((text) => text.includes('truncated: true'));
  expect(report).toContain('cut off by limits.calls_per_turn (10) after 10 calls');
  expect(report).toContain('looked 10 times');
  // The call that was left open has its result before the model is asked again.
  const open = ofWorker.filter((entry) => entry.kind === 'result' && entry.outcome === 'cancelled');
  expect(open).toMatchObject([
    { text: expect.stringContaining('not run: the turn is over (limits.calls_per_turn)') },
  ]);
  // What it held is not lost: it is reminded, goes on under the same attempt, and comes to its end.
  expect(team.of('member.nudged')).toMatchObject([{ member: 'worker', task: '#1', count: 1 }]);
  expect(team.of('task.claimed')).toHaveLength(1);
  expect(team.of('task.completed')).toMatchObject([{ task: '#1', attempt: 1 }]);
  expectInvariants(team);
});

test('H175 the mark is told once a turn, also when a wait divides the turn and its process is gone by then', async () => {
  const refused = { kind: 'rate_limited', message: 'too many requests', retry_after_ms: 300 } as const;
  const at = await writeMission({
    recipe: {
      tasks: [{ id: 'job', subject: 'Look around', role: 'worker' }],
      limits: { calls_per_turn: 10 },
    },
    roles: { boss: {}, worker: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1'), list(), list(), list(), list(), list()),
            { ...does(list()), fail: refused },
            does(complete('#1')),
            says('Done.'),
          ),
        ],
      },
    },
  });
  const first = await startJob(at);
  await first.fact('turn.ended', ({ member, wait }) => member === 'worker' && wait !== null);
  await first.live.stop('stop');
  await first.ended();
  const second = await resumeJob(at, first.live.id);
  expect(await second.ended()).toMatchObject({ reason: 'done' });
  const marks = [...first.inputs('worker'), ...second.inputs('worker')].filter((text) =>
    text.includes('limits.calls_per_turn'),
  );
  expect(marks).toHaveLength(1);
  expectInvariants(first, second);
});
