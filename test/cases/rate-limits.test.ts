// Cases about providers that ask to be left alone, and members that fail at them (section H).
import { describe, expect, test } from 'vitest';
import { statusView } from '../../src/team/show/status.js';
import { Team } from '../helpers/build-state.js';
import { providerTeam } from '../helpers/provider-team.js';
import type { Respond } from '../helpers/providers/far-side.js';
import { resumeJob, startJob, type WatchedTeam, writeMission } from '../helpers/team.js';
import { timeOf } from './look.js';
import { claim, complete, does, expectInvariants, finish, list, mailTo, says, when } from './play.js';
import { behind, call, called, heard, isBoss, say } from './priced.js';

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
