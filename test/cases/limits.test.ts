// Cases about cost, rate limits and loops that have no end (section H): who is stopped, when, and what is kept.
import { describe, expect, onTestFinished, test } from 'vitest';
import { Releases } from '../../src/shared/releases.js';
import { resumeHelps } from '../../src/team/end.js';
import { evolveEntry } from '../../src/team/evolve.js';
import { emptyState } from '../../src/team/state.js';
import { statusView } from '../../src/team/status.js';
import { Team } from '../helpers/build-state.js';
import { settingsOf } from '../helpers/model-settings.js';
import { providerTeam } from '../helpers/provider-team.js';
import type { Deed, FarSide, Respond, Seen } from '../helpers/providers/far-side.js';
import { startFarSide } from '../helpers/providers/start-far-side.js';
import {
  type Mission,
  resumeJob,
  runMission,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import { timeOf } from './look.js';
import { claim, complete, does, expectInvariants, finish, list, mailTo, says, spawn, when } from './play.js';

/** A house whose `anthropic/claude-test` is a far side, at a dollar per thousand tokens. */
async function behind(mission: Mission, respond: Respond): Promise<{ at: TestHouse; far: FarSide }> {
  const releases = new Releases();
  onTestFinished(() => releases.run());
  const far = await startFarSide('anthropic', respond, releases);
  const at = await writeMission({
    ...mission,
    recipe: { ...mission.recipe, model: 'anthropic/claude-test' },
  });
  const price = { input: 1_000, cachedInput: 100, cacheWrite: 1_000, output: 1_000 };
  const models = settingsOf({
    variables: { ANTHROPIC_API_KEY: 'test-key-anthropic-000000', ANTHROPIC_BASE_URL: far.url },
    declared: { 'anthropic/claude-test': { price, contextTokens: 200_000, maxOutputTokens: 2_000 } },
  });
  return { at: { ...at, house: { ...at.house, models } }, far };
}

const USAGE = { input: 3_000, output: 500 };

const call = (tool: string, args: Record<string, unknown>): Deed => ({
  kind: 'reply',
  text: 'so far',
  calls: [{ tool, arguments: args }],
  usage: USAGE,
});
const say = (text: string): Deed => ({ kind: 'reply', text, usage: USAGE });

const isBoss = (seen: Seen): boolean => seen.system.join('\n').includes('You are boss.');
const heard = (seen: Seen): string => seen.messages.map(({ text }) => text).join('\n');
const called = (seen: Seen, tool: string): boolean =>
  seen.messages.some(
    (message) => message.role === 'assistant' && message.calls.some((one) => one.tool === tool),
  );

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
          turns: [
            when(
              'Task #1 is ready',
              does(claim('#1')),
              does(spawn('helper')),
              does(complete('#1')),
              says('Done.'),
            ),
          ],
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

const WORKERS = ['ada', 'bob', 'cid', 'dan', 'eve'];

/** A boss and five workers, each of whom takes its task and reports it. */
const five: Respond = (seen) => {
  const all = heard(seen);
  if (isBoss(seen)) {
    return WORKERS.every((_, index) => all.includes(`has completed #${index + 1}`))
      ? call('team_finish', { outcome: 'done', result: 'All five.' })
      : say('I wait.');
  }
  const task = /Task (#\d) is ready/.exec(all)?.[1];
  if (task === undefined) return say('Ready.');
  if (!called(seen, 'team_task_claim')) return call('team_task_claim', { task });
  if (!called(seen, 'team_task_complete'))
    return call('team_task_complete', { task, summary: `${task} is done` });
  return say('Done.');
};

const FIVE = providerTeam({
  recipe: { tasks: WORKERS.map((role) => ({ id: `of-${role}`, subject: `The task of ${role}`, role })) },
  roles: { boss: {}, worker: {}, ...Object.fromEntries(WORKERS.map((name) => [name, {}])) },
});

/** Every wait of a team, with where it stands in the log and when its member went on. */
function waitsOf(team: WatchedTeam) {
  return team.facts.flatMap((fact, place) => {
    if (fact.type !== 'turn.ended' || fact.wait === null) return [];
    const on = team.facts.findIndex(
      (next, later) => later > place && next.type === 'turn.started' && next.member === fact.member,
    );
    return [{ member: fact.member, at: timeOf(team, fact), place, on, ...fact.wait }];
  });
}

test('H178 five workers meet 429 together: all are slowed, in order and apart, nothing fails, and it is seen', async () => {
  const { at, far } = await behind(FIVE, (seen, count) =>
    count > 3 && count <= 8
      ? { kind: 'status', status: 429, headers: { 'retry-after-ms': '120' }, message: 'slow down' }
      : five(seen, count),
  );
  const team = await startJob(at);
  let seenWaiting = 0;
  team.onRow = (row) => {
    if (row.kind !== 'fact' || row.fact.type !== 'turn.ended' || row.fact.wait === null) return;
    const { member } = row.fact;
    const view = statusView(team.live.state(), 'x').members.find(({ name }) => name === member);
    if (view?.state === 'waiting' && /^anthropic \(rate limited\), /.test(view.detail ?? '')) seenWaiting++;
  };
  expect(await team.ended()).toMatchObject({ reason: 'done', result: 'All five.' });
  const waits = waitsOf(team);
  expect(new Set(waits.map(({ member }) => member)).size, 'shared: most have to wait').toBeGreaterThanOrEqual(
    5,
  );
  expect(waits.every(({ why, provider }) => why === 'rate_limited' && provider === 'anthropic')).toBe(true);
  const tries = new Map<string, number>();
  for (const wait of waits) {
    const refused = wait.try > (tries.get(wait.member) ?? 0);
    tries.set(wait.member, wait.try);
    if (refused) expect(wait.until - wait.at).toBeGreaterThanOrEqual(120);
  }
  // Apart: no two come back at the same moment; in order: who waits for the earlier time goes on first.
  const together = (one: (typeof waits)[number], other: (typeof waits)[number]): boolean =>
    Math.max(one.place, other.place) < Math.min(one.on, other.on);
  for (const one of waits)
    for (const other of waits)
      if (one.until < other.until && together(one, other)) expect(one.on).toBeLessThan(other.on);
  expect(new Set(waits.map(({ until }) => until)).size).toBeGreaterThan(waits.length / 2);
  expect(seenWaiting, 'the status says who waits for what').toBe(waits.length);
  for (const type of ['task.failed', 'member.failed', 'run.nudged', 'limit.reached'] as const)
    expect(team.of(type)).toEqual([]);
  // What was refused is neither booked nor counted.
  expect(team.of('budget.spent')).toHaveLength(far.seen.length - 5);
  expect(team.of('budget.spent').some(({ estimated }) => estimated)).toBe(false);
  expectInvariants(team);
});

test('H180 (a) a run without a terminal outlives a 429 that asks to wait, and asks no sooner', async () => {
  const refusals = new Set([2, 3, 5]);
  const times: number[] = [];
  const { at, far } = await behind(
    providerTeam({
      recipe: { tasks: [{ id: 'one', subject: 'The task', role: 'ada' }] },
      roles: { boss: {}, worker: {}, ada: {} },
    }),
    (seen, count) => {
      times.push(performance.now());
      if (refusals.has(count))
        return { kind: 'status', status: 429, headers: { 'retry-after-ms': '150' }, message: 'slow down' };
      if (!isBoss(seen)) return five(seen, count);
      return heard(seen).includes('has completed #1')
        ? call('team_finish', { outcome: 'done', result: 'One.' })
        : say('I wait.');
    },
  );
  const team = await startJob(at);
  expect(await team.ended()).toMatchObject({ reason: 'done', exit: 0, result: 'One.' });
  const tries = new Map<string, number>();
  for (const wait of waitsOf(team)) {
    const refused = wait.try > (tries.get(wait.member) ?? 0);
    tries.set(wait.member, wait.try);
    if (refused) expect(wait.until - wait.at).toBeGreaterThanOrEqual(150);
    const next = team.facts[wait.on];
    expect(timeOf(team, next)).toBeGreaterThanOrEqual(wait.until);
  }
  expect(times.length).toBe(far.seen.length);
  expect(team.of('member.failed')).toEqual([]);
});

describe('H181 a member after its provider has refused or failed is the same member', () => {
  test('H181 waits, is taken up by another process and goes on: same name, same claim, its mail once', async () => {
    const at = await writeMission({
      recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'ada' }] },
      roles: { boss: {}, ada: {} },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('', does(mailTo('ada', 'mind the gap')), says('Sent.')),
            when('has completed #1', finish()),
          ],
        },
        ada: {
          idle: 'Ready.',
          turns: [
            when(
              'Task #1 is ready',
              does(claim('#1')),
              {
                ...does(list()),
                fail: { kind: 'rate_limited', message: 'too many requests', retry_after_ms: 300 },
              },
              does(complete('#1')),
              says('Done.'),
            ),
          ],
        },
      },
    });
    const first = await startJob(at);
    await first.fact('turn.ended', ({ member, wait }) => member === 'ada' && wait !== null);
    await first.live.stop('stop');
    expect(await first.ended()).toMatchObject({ reason: 'cancelled', resumable: true });
    const second = await resumeJob(at, first.live.id);
    expect(second.live.state().members.get('ada')).toMatchObject({ life: { kind: 'waiting' } });
    expect([...(second.live.state().members.get('ada')?.claims ?? [])]).toEqual(['#1']);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    const facts = [...first.facts, ...second.facts];
    const of = (type: string, member: string) =>
      facts.filter((fact) => fact.type === type && 'member' in fact && fact.member === member);
    expect(facts.filter((fact) => fact.type === 'member.spawned')).toHaveLength(2);
    expect(of('task.claimed', 'ada')).toHaveLength(1);
    expect(of('task.completed', 'ada')).toMatchObject([{ attempt: 1 }]);
    const delivered = facts.flatMap((fact) =>
      fact.type === 'mail.delivered' && fact.member === 'ada' ? fact.messages.map(({ id }) => id) : [],
    );
    const sent = facts.flatMap((fact) =>
      fact.type === 'mail.sent' && fact.kind === 'mail' && fact.to.includes('ada') ? [fact.id] : [],
    );
    expect(delivered.filter((id) => sent.includes(id))).toEqual(sent);
    expectInvariants(first, second);
  });

  test('H181 fails for good and is put back to work by the lead: same seat, and the mail of meanwhile is read', () => {
    const team = Team.start({ tasks: [{ role: 'worker' }] });
    team.awake('lead');
    team.awake('worker');
    team.claim('worker', '#1');
    team.ok({
      kind: 'turn.fail',
      upto: '',
      calls: 0,
      code: 'model',
      error: 'the model is gone',
      ...team.in('worker'),
    });
    expect(team.mail('lead', 'worker', 'are you there')).toMatchObject({ kind: 'accepted' });
    team.ok({ kind: 'member.spawn', by: team.by('lead'), role: 'worker' });
    expect(team.facts('member.spawned')).toHaveLength(2);
    expect(team.facts('member.restarted')).toMatchObject([{ member: 'worker' }]);
    expect(team.inbox('worker')).toContain('are you there');
    team.ok(team.update('#1', { by: team.by('lead'), status: 'pending' }));
    team.end('lead');
    team.awake('worker');
    expect(team.claim('worker', '#1')).toBe(2);
    expect(team.inbox('worker')).toEqual([]);
  });
});
