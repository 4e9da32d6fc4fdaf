// Cases E103, E110, E115, E116: every request reaches somebody, and comes to an end that says what it is.
import { describe, expect, test } from 'vitest';
import { requestsText } from '../../src/cli/texts/status-text.js';
import { answerRequest } from '../../src/runtime/operator.js';
import { teamStatus } from '../../src/runtime/teams.js';
import { type Mission, resumeJob, startJob, type TestHouse, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { effect, effects, FILES, oneWorker, parkedOn } from './asking.js';
import { taskOf, timeOf, turnsOf } from './look.js';
import { ask, claim, complete, does, expectInvariants, finish, hearing, says, when, works } from './play.js';

const ASKS = oneWorker([
  when('Task #1 is ready', does(claim('#1'), effect('tick')), does(complete('#1')), says('Done.')),
]);

async function statusOf(at: TestHouse, id: string) {
  const found = await teamStatus(at.house, id);
  if (found.kind === 'refused') throw new Error(JSON.stringify(found.findings));
  return found.value;
}

describe('E103 a confirmation, and no terminal', () => {
  test('E103 it stands in the events and in the list, the run waits for it by name, and then it has expired', async () => {
    const at = await writeMission(ASKS);
    const team = await startJob(at, { autoApprove: 'never', requestTimeoutMs: 1_500 });
    await parkedOn(team, 'r1');
    await team.live.settled();
    expect(team.of('request.opened')).toMatchObject([
      { request: 'r1', kind: 'confirmation', member: 'worker', principals: ['operator'] },
    ]);
    const { waiting, requests } = await until(
      async () => {
        const status = await statusOf(at, team.live.id);
        return status.waiting.length > 0 ? status : undefined;
      },
      { what: 'the team waits' },
    );
    expect(waiting).toContain('waiting: 1 confirmation');
    const listed = requestsText(team.live.id, requests);
    expect(listed).toContain(`bnerd team answer ${team.live.id} r1 yes|no`);
    expect(listed).toMatch(/^r1 confirmation of worker, for operator, expires in /);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('request.expired')).toMatchObject([{ request: 'r1' }]);
    expect(team.of('request.decided')).toEqual([]);
    expect(await effects(at)).toEqual([]);
    expectInvariants(team);
  });

  test('E103 without a deadline the run says what it waits for and ends so, and the request stays open', async () => {
    const at = await writeMission(ASKS);
    const team = await startJob(at, { autoApprove: 'never' });
    expect(await team.ended()).toMatchObject({ reason: 'needs_human', openRequests: ['r1'] });
    const status = await statusOf(at, team.live.id);
    expect(status.waiting).toContain('waiting: 1 confirmation');
    expect(status.requests).toMatchObject([{ id: 'r1', state: 'open', left_ms: null }]);
  });
});

describe('E110 requests of several members', () => {
  const three: Mission = {
    recipe: { tasks: taskOf('ann', 'ben', 'cid') },
    roles: { boss: {}, ann: { base: 'write' }, ben: { base: 'write' }, cid: { base: 'write' } },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [when(['has completed #1', 'has completed #2', 'has completed #3'], finish())],
      },
      ann: { idle: 'Ready.', turns: [works('#1', does(effect('ann')))] },
      ben: { idle: 'Ready.', turns: [works('#2', does(ask('Which?')))] },
      cid: { idle: 'Ready.', turns: [works('#3', does(effect('cid')))] },
    },
    files: FILES,
  };

  /** Requests without an ending, by the record alone. */
  function openIn(facts: readonly { readonly type: string; readonly request?: unknown }[]): unknown[] {
    const over = ['request.decided', 'request.expired', 'request.withdrawn'];
    const ended = facts.filter(({ type }) => over.includes(type)).map(({ request }) => request);
    return facts
      .filter(({ type }) => type === 'request.opened')
      .map(({ request }) => request)
      .filter((request) => !ended.includes(request));
  }

  test('E110 each is seen and resolved when the run ends well', async () => {
    const at = await writeMission(three);
    const team = await startJob(at, { autoApprove: 'never' }, true);
    await until(() => team.of('request.opened').length === 3, { what: 'three requests' });
    for (const { request, kind } of team.of('request.opened')) {
      await parkedOn(team, request);
      const word = kind === 'question' ? 'this one' : 'yes';
      expect(await answerRequest(at.house, team.live.id, request, word)).toMatchObject({ kind: 'done' });
    }
    expect(await team.ended()).toMatchObject({ reason: 'done', openRequests: [] });
    expect(openIn(team.facts)).toEqual([]);
    expect((await effects(at)).sort()).toEqual(['ann', 'cid']);
  });

  test('E110 what has no ending when the run ends otherwise is listed in its last event', async () => {
    const at = await writeMission(three);
    const team = await startJob(at, { autoApprove: 'never' });
    const ended = await team.ended();
    expect(ended).toMatchObject({ reason: 'needs_human' });
    expect([...ended.openRequests].sort()).toEqual(['r1', 'r2', 'r3']);
    expect(openIn(team.facts).sort()).toEqual([...(team.of('run.ended')[0]?.open_requests ?? [])].sort());
    expectInvariants(team);
  });

  test('E110 a member that is stopped takes its request with it', async () => {
    const at = await writeMission(three);
    const team = await startJob(at, { autoApprove: 'never' }, true);
    await until(() => team.of('request.opened').length === 3, { what: 'three requests' });
    await team.live.stopMember('cid');
    const withdrawn = await team.fact('request.withdrawn');
    await team.live.stop('stop');
    const ended = await team.ended();
    expect(ended.openRequests).toHaveLength(2);
    expect(ended.openRequests).not.toContain(withdrawn.request);
    expect(openIn(team.facts).sort()).toEqual([...ended.openRequests].sort());
  });
});

describe('E115 an approval that comes after the expiry', () => {
  const told = 'r1 expired at \\d.* of the run, .* after it was asked: the call was not run and will not be';

  test('E115 it is refused with when, nothing is run, and the member is promised nothing', async () => {
    const at = await writeMission(
      oneWorker([
        when(
          'Task #1 is ready',
          does(claim('#1'), effect('tick')),
          hearing([`^${told}`, 'This is no denial'], does(complete('#1'))),
          says('Without it.'),
        ),
      ]),
    );
    const team = await startJob(at, { autoApprove: 'never', requestTimeoutMs: 50 }, true);
    await team.fact('request.expired');
    const late = await team.live.answer('r1', { kind: 'approve' });
    expect(late).toMatchObject({ code: expect.stringMatching(/^(expired|ended)$/) });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual([]);
    expect(team.of('request.decided')).toEqual([]);
    expect(team.of('tool.started')).toEqual([]);
    for (const text of team.results('worker')) expect(text).not.toMatch(/will complete|once approved/i);
  });

  test('E115 from another terminal it is told the same', async () => {
    const at = await writeMission(
      oneWorker([
        when('Task #1 is ready', does(claim('#1'), effect('tick')), does(ask('And now?')), says('Waiting.')),
      ]),
    );
    const team = await startJob(at, { autoApprove: 'never', requestTimeoutMs: 1_000 }, true);
    await team.fact('request.expired');
    await parkedOn(team, 'r2');
    const answered = await answerRequest(at.house, team.live.id, 'r1', 'yes');
    expect(answered).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'expired', message: expect.stringMatching(new RegExp(`^${told}`)) }],
    });
    expect(await effects(at)).toEqual([]);
  });

  test('E115 time in which nobody runs the team does not count: what was left of it is left at the resume', async () => {
    const at = await writeMission(ASKS);
    const first = await startJob(at, { autoApprove: 'never', requestTimeoutMs: 60_000 }, true);
    await parkedOn(first, 'r1');
    await first.live.stop('stop');
    await first.ended();
    const status = await statusOf(at, first.live.id);
    expect(status.requests).toMatchObject([{ id: 'r1', expires_ms: expect.any(Number) }]);
    expect(status.requests[0]?.left_ms).toBeGreaterThan(30_000);
    const second = await resumeJob(at, first.live.id, true);
    expect(await second.live.answer('r1', { kind: 'approve' })).toMatchObject({ kind: 'accepted' });
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual(['tick']);
  });
});

describe('E116 somebody steps away', () => {
  const TWO: Mission = {
    recipe: { tasks: taskOf('ann', 'ben'), limits: { concurrency: 1 } },
    roles: { boss: {}, ann: { base: 'write' }, ben: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [when(['has completed #1', 'has completed #2'], finish())] },
      ann: { idle: 'Ready.', turns: [works('#1', does(effect('ann')))] },
      ben: { idle: 'Ready.', turns: [works('#2')] },
    },
    files: FILES,
  };

  test('E116 without a time it waits for as long as it takes, and holds no worker meanwhile', async () => {
    const at = await writeMission(TWO);
    const team = await startJob(at, { autoApprove: 'never' }, true);
    await parkedOn(team, 'r1');
    // One turn at a time: that ben comes to his end shows that ann holds none.
    await team.fact('task.completed', ({ task }) => task === '#2');
    await until(() => team.live.activity().length === 0, { what: 'nobody does anything' });
    const turns = turnsOf(team, 'ann').length;
    expect(team.of('request.opened')).toMatchObject([{ expires_ms: null }]);
    expect(team.live.state().members.get('ann')?.life.kind).toBe('parked');
    expect(turns).toBe(1);
    await team.live.answer('r1', { kind: 'approve' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual(['ann']);
    expect(team.of('request.expired')).toEqual([]);
    expectInvariants(team);
  });

  test('E116 a time that is given is kept: not before, and at once when it is up', async () => {
    const at = await writeMission(TWO);
    const team = await startJob(at, { autoApprove: 'never', requestTimeoutMs: 400 }, true);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    const [opened] = team.of('request.opened');
    const [expired] = team.of('request.expired');
    expect(timeOf(team, expired)).toBeGreaterThanOrEqual(opened?.expires_ms ?? Number.POSITIVE_INFINITY);
    expect((opened?.expires_ms ?? 0) - timeOf(team, opened)).toBe(400);
    // Between the two nothing was done in ann's name.
    const begun = team.facts.findIndex(({ type }) => type === 'request.opened');
    const over = team.facts.findIndex(({ type }) => type === 'request.expired');
    const ofAnn = team.facts
      .slice(begun + 1, over)
      .flatMap((fact) => ('member' in fact && fact.member === 'ann' ? [fact.type] : []));
    expect(ofAnn).toEqual(['turn.ended']);
    expect(await effects(at)).toEqual([]);
  });
});
