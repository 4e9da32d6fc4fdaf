// Providers that ask to be left alone (spec/team.md §9): a wait is a parked turn, shared by all who ask the same one.
import { describe, expect, test } from 'vitest';
import type { ModelFailure } from '../../src/models/model.js';
import { prepareRun } from '../../src/runtime/plan/prepare-run.js';
import type { RunPlan } from '../../src/runtime/plan/run-order.js';
import { startTeam } from '../../src/runtime/start-team.js';
import { verifyTeam } from '../../src/runtime/verify-team.js';
import { type Clock, systemClock } from '../../src/shared/clock.js';
import { timeOf } from '../cases/look.js';
import { claim, complete, does, expectInvariants, finish, says, when, works } from '../cases/play.js';
import { Limiter } from '../helpers/limiter.js';
import { type Mission, ORDER, resumeJob, startJob, type WatchedTeam, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { JOB } from './job.js';

const WORKERS = ['ada', 'bob', 'cid', 'dan', 'eve'];

/** A lead and five workers with a task each. */
function five(limits: Readonly<Record<string, number>> = {}): Mission {
  return {
    recipe: {
      limits,
      tasks: WORKERS.map((role) => ({ id: `of-${role}`, subject: `The task of ${role}`, role })),
    },
    roles: { boss: {}, ...Object.fromEntries(WORKERS.map((name) => [name, {}])) },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            WORKERS.map((_, index) => `has completed #${index + 1}`),
            finish(),
          ),
        ],
      },
      ...Object.fromEntries(
        WORKERS.map((name, index) => [name, { idle: 'Ready.', turns: [works(`#${index + 1}`)] }]),
      ),
    },
  };
}

const refusal = (retryAfterMs: number | null): ModelFailure => ({
  kind: 'rate_limited',
  retryAfterMs,
  message: 'too many requests',
});

/** Puts the limiter before the models of these roles, all of them unless said otherwise. */
function behind(limiter: Limiter, roles?: readonly string[]): (plan: RunPlan) => RunPlan {
  return (plan) => ({
    ...plan,
    models: new Map(
      [...plan.models].map(([role, model]) => [
        role,
        roles === undefined || roles.includes(role) ? limiter.before(model) : model,
      ]),
    ),
  });
}

/** Team time that can be moved on; the coordinator's timers stay where they are. */
class HandClock implements Clock {
  ahead = 0;
  wallMs(): number {
    return systemClock.wallMs();
  }
  monotonicMs(): number {
    return systemClock.monotonicMs() + this.ahead;
  }
}

/** Every wait that the team has recorded, with the time of its entry. */
function waitsOf(team: WatchedTeam) {
  return team.of('turn.ended').flatMap((fact) => {
    if (fact.wait === null) return [];
    return [{ member: fact.member, turn: fact.turn, at: timeOf(team, fact), ...fact.wait }];
  });
}

/** Whoever was refused waits as long as was asked for, and no wait is cut short by a turn. */
function expectWaitsKept(team: WatchedTeam, toldMs: number): void {
  const tries = new Map<string, number>();
  for (const wait of waitsOf(team)) {
    const refused = wait.try > (tries.get(wait.member) ?? 0);
    tries.set(wait.member, wait.try);
    if (refused) expect(wait.until - wait.at).toBeGreaterThanOrEqual(toldMs);
    const next = team
      .of('turn.started')
      .find((fact) => fact.member === wait.member && timeOf(team, fact) > wait.at);
    if (next !== undefined) expect(timeOf(team, next)).toBeGreaterThanOrEqual(wait.until);
  }
}

test('five members share a provider that refuses for a while: all wait, nothing fails, the run is done', async () => {
  const limiter = new Limiter((count) => (count > 3 && count <= 7 ? refusal(60) : undefined));
  const at = await writeMission(five());
  const team = await startJob(at, {}, false, behind(limiter));
  expect(await team.ended()).toMatchObject({ reason: 'done', exit: 0 });
  const waits = waitsOf(team);
  expect(new Set(waits.map(({ member }) => member)).size, 'members that waited').toBeGreaterThanOrEqual(5);
  expect(waits).toContainEqual(expect.objectContaining({ why: 'rate_limited', provider: 'script', try: 1 }));
  expectWaitsKept(team, 60);
  expect(team.of('task.failed')).toEqual([]);
  expect(team.of('member.failed')).toEqual([]);
  expect(team.of('run.nudged')).toEqual([]);
  // What was refused is counted nowhere: neither as a call that was made nor as a turn.
  const replies = limiter.calls.filter(({ outcome }) => outcome === 'reply').length;
  expect(limiter.calls.length - replies).toBe(4);
  expect(team.live.state().budget.modelCalls).toBe(replies);
  const divided = waits.length;
  expect(team.live.state().budget.turns).toBe(team.of('turn.started').length - divided);
  expectInvariants(team);
  expect(await verifyTeam(at.house, team.live.id)).toMatchObject({ value: { ok: true } });
});

test('they pass in the order of their times, and what was put in before is not put in again', async () => {
  const passed: string[] = [];
  const limiter = new Limiter((count) => (count > 2 && count <= 7 ? refusal(40) : undefined));
  const team = await startJob(await writeMission(five({ concurrency: 1 })), {}, false, behind(limiter));
  // A busy machine stretches what lies between a refusal and its record, so the recorded times are the queue.
  const waiting = new Map<string, number>();
  let calls = 0;
  team.onRow = (row) => {
    for (const { member } of limiter.calls.slice(calls)) {
      calls++;
      const until = waiting.get(member);
      waiting.delete(member);
      if (until !== undefined) {
        const before = [...waiting].filter(([, other]) => other < until).map(([name]) => name);
        expect(before, `stand before ${member}; passed: ${passed.join(' ')}`).toEqual([]);
      }
      passed.push(member);
    }
    if (row.kind !== 'fact' || row.fact.type !== 'turn.ended' || row.fact.wait === null) return;
    waiting.set(row.fact.member, row.fact.wait.until);
  };
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(passed.length).toBeGreaterThan(15);
  const inputs = team.transcripts.flatMap(({ member, entry }) =>
    entry.kind === 'input' ? entry.messages.map((id) => `${member} ${id}`) : [],
  );
  expect(new Set(inputs).size).toBe(inputs.length);
  expect(team.of('mail.delivered').flatMap(({ suppressed }) => suppressed)).toEqual([]);
  expectInvariants(team);
});

/** A lead that works on while the worker's provider refuses. */
function two(): Mission {
  return {
    recipe: { limits: { concurrency: 1 }, tasks: [{ id: 'job', subject: 'Do it', role: 'ada' }] },
    roles: { boss: {}, ada: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          { steps: [says('The task is on the board.')] },
          when('are you there', says('I am here.')),
          when('has completed #1', finish()),
        ],
      },
      ada: {
        idle: 'Ready.',
        turns: [when('Task #1 is ready', does(claim('#1')), does(complete('#1')), says('Done.'))],
      },
    },
  };
}

const LONG_MS = 600_000;

/** The worker is refused once, for ten minutes, behind a model of its own. */
function refusedOnce(limiter = new Limiter((count) => (count === 2 ? refusal(LONG_MS) : undefined))) {
  return (plan: RunPlan): RunPlan => {
    const wrapped = behind(limiter, ['ada'])(plan);
    const ada = wrapped.models.get('ada');
    if (ada === undefined) throw new Error('no model');
    return {
      ...wrapped,
      models: new Map(wrapped.models).set('ada', { ...ada, id: 'other/ada', gate: 'of ada' }),
    };
  };
}

async function untilAdaWaits(team: WatchedTeam) {
  const fact = await team.fact('turn.ended', ({ wait }) => wait !== null);
  return { ...fact, wait: fact.wait };
}

test('answers are shown as they come where somebody looks on, are stored by nobody, and are asked for by nobody else', async () => {
  const at = await writeMission(JOB);
  const prepared = await prepareRun(at.house, ORDER);
  if (prepared.kind === 'refused') throw new Error('refused');
  const watched: boolean[] = [];
  const plan = {
    ...prepared.plan,
    models: new Map(
      [...prepared.plan.models].map(([role, model]) => {
        const generate: typeof model.generate = (request, signal, watch) => {
          watched.push(watch !== undefined);
          return model.generate(request, signal, watch);
        };
        return [role, { ...model, generate }];
      }),
    ),
  };
  const shown: string[] = [];
  const quiet = { operatorPresent: false, onEntry: () => {} };
  const team = await startTeam(at.house, plan, {
    ...quiet,
    onFragment: (member, fragment) => shown.push(`${member}: ${fragment}`),
  });
  expect(await team.ended).toMatchObject({ reason: 'done' });
  expect(shown).toContain('boss: The tasks are on the board.');
  expect(watched).not.toContain(false);
  watched.length = 0;
  expect(await (await startTeam(at.house, plan, quiet)).ended).toMatchObject({ reason: 'done' });
  expect(watched).not.toContain(true);
});

describe('a member that waits for a long time', () => {
  test('holds no worker: with one worker another provider’s member is served, nobody is nudged, and it goes on', async () => {
    const clock = new HandClock();
    const at = await writeMission(two());
    const house = { ...at.house, clock };
    const team = await startJob({ ...at, house }, {}, true, refusedOnce());
    const { wait } = await untilAdaWaits(team);
    expect(wait).toMatchObject({ provider: 'other', try: 1, detail: 'too many requests' });
    await team.live.send('lead', 'are you there?');
    await team.fact('turn.ended', ({ text }) => text === 'I am here.');
    expect(team.live.activity()).toMatchObject([{ member: 'ada', what: 'waits for other (rate limited)' }]);
    expect(team.of('run.nudged')).toEqual([]);
    clock.ahead = LONG_MS + 200_000; // The wait, and the gap behind it.
    await team.live.send('lead', 'go on'); // Timers of the machine have not moved with it.
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expectWaitsKept(team, LONG_MS);
    expectInvariants(team);
  });

  test('ends promptly when the run is stopped, and waits on when it is taken up', async () => {
    const at = await writeMission(two());
    const team = await startJob(at, {}, false, refusedOnce());
    const { wait } = await untilAdaWaits(team);
    await team.live.stop('interrupt');
    expect(await team.ended()).toMatchObject({ reason: 'cancelled', exit: 130, resumable: true });
    const again = await resumeJob(at, team.live.id);
    await until(() => again.live.state().members.get('boss')?.life.kind === 'idle', {
      what: 'the lead is idle',
    });
    expect(again.live.state().members.get('ada')?.life).toMatchObject({
      kind: 'waiting',
      until: wait?.until,
    });
    // The next process knows how long the provider has to be left alone, and by whom.
    await again.live.send('lead', 'are you there?');
    const lead = await again.fact('turn.ended', ({ member }) => member === 'boss');
    expect(lead.wait).toMatchObject({ why: 'rate_limited', try: 0, detail: 'too many requests' });
    expect(lead.wait?.until).toBeGreaterThan(wait?.until ?? Number.POSITIVE_INFINITY);
    expect(again.of('turn.started').filter(({ member }) => member === 'ada')).toEqual([]);
    expect(again.of('budget.reserved')).toEqual([]);
    expectInvariants(team, again);
  });

  test('may be stopped alone: its task goes back and the run does not wait for it', async () => {
    const team = await startJob(await writeMission(two()), {}, true, refusedOnce());
    await untilAdaWaits(team);
    expect(await team.live.stopMember('ada')).toMatchObject({ kind: 'accepted' });
    await team.fact('member.stopped');
    expect(team.live.state().tasks.get('#1')?.state.kind).toBe('pending');
    expectInvariants(team);
  });
});
