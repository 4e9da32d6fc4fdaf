// Cases D83, D88, D90, D93, D95, H180: completion is bound to evidence, and reviews come to an end.
import { describe, expect, test } from 'vitest';
import type { Model } from '../../src/models/model.js';
import { answerRequest } from '../../src/runtime/operator.js';
import type { RunPlan } from '../../src/runtime/plan/prepare-run.js';
import { teamStatus } from '../../src/runtime/teams.js';
import {
  type Mission,
  resumeJob,
  runMission,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import { passes, turnsOf } from './look.js';
import {
  ask,
  claim,
  complete,
  create,
  does,
  expectInvariants,
  finish,
  hearing,
  judges,
  reviews,
  says,
  TOLD_DIGEST,
  type Turn,
  update,
  when,
  works,
  write,
} from './play.js';

/** A task that `worker` does and `judge` reviews, among further ones. */
function gated(more: Readonly<Record<string, unknown>> = {}, ...others: object[]): Record<string, unknown> {
  return { tasks: [{ id: 'job', subject: 'Do it', role: 'worker', gates: ['judge'], ...more }, ...others] };
}

const BEGIN = when('', says('Begin.'));
const CLOSE = when('has completed #1', finish());

test('D83: while a task waits for its reviewer nobody has a turn, however often one looks; the reviewer acts, and it goes on', async () => {
  const at = await writeMission({
    recipe: gated(),
    roles: { boss: {}, worker: {}, judge: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN, CLOSE] },
      worker: { idle: 'Ready.', turns: [works('#1')] },
      judge: {
        idle: 'Ready.',
        turns: [
          when(
            'waits for your review',
            { capture: { digest: TOLD_DIGEST }, ...does(ask('May I?')) },
            hearing('go on', does(judges('#1', 'approve'))),
            says('Judged.'),
          ),
        ],
      },
    },
  });
  const team = await startJob(at, {}, true);
  await team.fact('turn.ended', (fact) => fact.member === 'judge' && fact.outcome === 'parked');
  await team.fact('mail.delivered', (fact) => fact.member === 'boss' && fact.messages.length > 0);
  await team.fact('turn.ended', (fact) => fact.member === 'worker');
  await passes();
  expect(team.live.state().tasks.get('#1')?.state.kind).toBe('in_review');
  const turns = team.of('turn.started').length;
  const spawned = team.of('member.spawned').length;
  for (let look = 0; look < 5; look++) {
    await teamStatus(at.house, team.live.id);
    await passes();
    expect(team.of('turn.started')).toHaveLength(turns);
    expect(team.of('member.spawned')).toHaveLength(spawned);
  }
  expect((await team.live.answer('r1', { kind: 'text', text: 'go on' })).kind).toBe('accepted');
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.of('turn.started').length).toBeGreaterThan(turns);
  expectInvariants(team);
});

test('D88: of three things that must hold two have evidence: refused, listing the missing one', async () => {
  const items = ['it builds', 'it is tested', 'it is described'];
  const evidence = items.map((item) => ({ item, text: `seen: ${item}` }));
  const team = await runMission({
    recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker', acceptance: items }] },
    roles: { boss: {}, worker: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN, CLOSE] },
      worker: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1'), complete('#1', { evidence: [evidence[0], evidence[2]] })),
            hearing('evidence_missing: #1 cannot be completed yet', does(complete('#1', { evidence }))),
            says('Now it is.'),
          ),
        ],
      },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.results('worker')[1]).toBe(
    'evidence_missing: #1 cannot be completed yet:\nno evidence for: it is tested',
  );
  expect(team.of('task.completed')).toMatchObject([{ evidence }]);
});

test('D90: an open item that a later report leaves out stays open, and nobody may strike it off the list', async () => {
  const items = ['it works', 'it is verified'];
  const evidence = items.map((item) => ({ item, text: `seen: ${item}` }));
  const team = await runMission({
    recipe: gated({ acceptance: items }),
    roles: { boss: {}, worker: {}, judge: {} },
    script: {
      boss: {
        idle: 'Waiting.',
        turns: [
          when(
            '',
            does(
              update('#1', { acceptance: ['it works'] }),
              update('#1', { gates: [] }),
              update('#1', { artifacts: [] }),
            ),
            says('Then not.'),
          ),
          CLOSE,
        ],
      },
      worker: {
        idle: 'Ready.',
        turns: [
          when('Task #1 is ready', does(claim('#1'), complete('#1', { evidence })), says('Handed in.')),
          when(
            'asks for changes on #1',
            // The evidence of the report before is not enough, and a list without the item is no way round it.
            does(complete('#1', { evidence: [evidence[0]] }), complete('#1')),
            hearing('no evidence for: it is verified', does(complete('#1', { evidence }))),
            says('Once more.'),
          ),
        ],
      },
      judge: {
        idle: 'Ready.',
        turns: [reviews('#1', 'request_changes', { findings: 'Look again.' }), reviews('#1', 'approve')],
      },
    },
  });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  for (const result of team.results('boss').slice(0, 3)) expect(result).toMatch(/acceptance|gates|artifacts/);
  expect(team.of('task.updated')).toEqual([]);
  expect(team.results('worker').slice(2, 4)).toEqual([
    'evidence_missing: #1 cannot be completed yet:\nno evidence for: it is verified',
    'evidence_missing: #1 cannot be completed yet:\nno evidence for: it works\nno evidence for: it is verified',
  ]);
  const [first, second] = team.of('task.submitted');
  expect(first?.attempt).toBe(1);
  expect(second?.attempt).toBe(1);
  expect(second?.evidence_digest).not.toBe(first?.evidence_digest);
  // Each verdict names the report it saw.
  expect(team.of('task.reviewed').map((fact) => fact.evidence_digest)).toEqual([
    first?.evidence_digest,
    second?.evidence_digest,
  ]);
  expectInvariants(team);
});

describe('D93', () => {
  const again = (word: string): Turn =>
    when('asks for changes on #1', does(complete('#1', { summary: word })), says('Again.'));
  const never = (place: number): Turn =>
    reviews('#1', 'request_changes', {
      findings: `not yet, ${place}`,
      new_findings: place === 1 ? ['the wheel could be rounder'] : [],
    });

  /** How members go on behind the three rounds. */
  interface Ways {
    readonly boss: readonly Turn[];
    readonly worker?: readonly Turn[];
    readonly judge?: readonly Turn[];
    /** The task that waits on the first one is done in the end. */
    readonly after?: boolean;
  }

  /** A judge that never has enough. What it finds beside the task, the lead makes a task of. */
  function loop({ boss, worker = [], judge = [], after = false }: Ways): Mission {
    return {
      recipe: gated(
        {},
        { id: 'after', subject: 'After it', role: 'helper', blocked_by: ['job'], upstream: 'fail' },
      ),
      roles: { boss: {}, worker: {}, judge: {}, helper: {} },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            BEGIN,
            when('beside #1', does(create({ subject: 'Round the wheel', role: 'helper' })), says('Later.')),
            ...boss,
          ],
        },
        worker: {
          idle: 'Ready.',
          turns: [
            when(
              'Task #1 is ready',
              does(claim('#1'), complete('#1', { summary: 'one' })),
              says('Handed in.'),
            ),
            again('two'),
            again('three'),
            ...worker,
          ],
        },
        judge: { idle: 'Ready.', turns: [never(1), never(2), never(3), ...judge] },
        helper: { idle: 'Ready.', turns: [works('#3'), ...(after ? [works('#2')] : [])] },
      },
    };
  }

  /** Runs it until nobody can go on without the operator. */
  async function untilAsked(mission: Mission): Promise<{ at: TestHouse; team: WatchedTeam }> {
    const at = await writeMission(mission);
    const team = await startJob(at);
    expect(await team.ended()).toMatchObject({ reason: 'needs_human', exit: 4, openRequests: ['r1'] });
    return { at, team };
  }

  async function answered(mission: Mission, words: string): Promise<{ team: WatchedTeam; on: WatchedTeam }> {
    const { at, team } = await untilAsked(mission);
    const id = team.live.id;
    expect(await answerRequest(at.house, id, 'r1', 'no')).toMatchObject({ kind: 'refused' });
    expect(await answerRequest(at.house, id, 'r1', words)).toMatchObject({ kind: 'done', live: false });
    return { team, on: await resumeJob(at, id) };
  }

  test('D93: after three rounds the operator is asked whether to accept, re-scope or abandon; a new finding is a new task', async () => {
    const { team, on } = await answered(
      loop({
        boss: [when('has completed #1', says('At last.')), when('has completed #2', finish())],
        after: true,
      }),
      'accept',
    );
    expect(team.of('task.reviewed')).toHaveLength(3);
    expect(team.of('task.submitted')).toHaveLength(3);
    const [request] = team.of('request.opened');
    expect(request).toMatchObject({ kind: 'gate', task: '#1', principals: ['operator'] });
    for (const place of [1, 2, 3]) expect(request?.arguments).toContain(`not yet, ${place}`);
    // The new finding held nothing up: it is a task of its own, and done while the first one waits.
    expect(team.of('task.created').map(({ spec }) => spec.subject)).toEqual([
      'Do it',
      'After it',
      'Round the wheel',
    ]);
    expect(team.of('task.completed').map(({ task }) => task)).toEqual(['#3']);
    expect(await on.ended()).toMatchObject({ reason: 'done' });
    expect(on.of('task.reviewed')).toEqual([]);
    const completed = [...team.entries, ...on.entries].flatMap(({ facts }) =>
      facts.filter((fact) => fact.type === 'task.completed'),
    );
    expect(completed.map((fact) => fact.task)).toEqual(['#3', '#2']);
    expect(on.live.state().tasks.get('#1')?.state).toMatchObject({ kind: 'completed', summary: 'three' });
  });

  test('D93: re-scoped, it goes on by the words of the operator, and rounds are counted anew', async () => {
    const { on } = await answered(
      loop({
        boss: [when('has completed #1', says('At last.')), when('has completed #2', finish())],
        worker: [when('Only the left wheel', does(complete('#1', { summary: 'left wheel' })), says('Less.'))],
        judge: [reviews('#1', 'approve')],
        after: true,
      }),
      'rescope Only the left wheel.',
    );
    expect(await on.ended()).toMatchObject({ reason: 'done' });
    expect(on.of('task.completed')).toMatchObject([
      { task: '#1', summary: 'left wheel', attempt: 1 },
      { task: '#2' },
    ]);
    expect(on.inputs('boss').join('\n')).toContain('Only the left wheel.');
  });

  test('D93: abandoned, it fails, and what waits on it follows its policy', async () => {
    const { team, on } = await answered(
      loop({ boss: [when('has abandoned #1', finish('partial'))] }),
      'abandon not worth it',
    );
    expect(await on.ended()).toMatchObject({ reason: 'partial', exit: 3 });
    expect(on.live.state().tasks.get('#1')?.state).toMatchObject({
      kind: 'failed',
      cause: 'abandoned',
      detail: 'not worth it',
    });
    expect(on.live.state().tasks.get('#2')?.state).toMatchObject({
      kind: 'failed',
      cause: 'upstream_failed',
    });
    expect(team.of('task.failed')).toEqual([]);
  });

  test('D93: what was settled elsewhere ends the loop: the task is cancelled, and the question is taken back', async () => {
    const at = await writeMission(
      loop({
        boss: [
          when(
            'it was merged',
            does(update('#1', { status: 'cancelled', detail: 'merged elsewhere' })),
            says('Over.'),
          ),
          when('Every task has ended', finish('partial')),
        ],
      }),
    );
    const team = await startJob(at, {}, true);
    await team.fact('request.opened');
    await team.fact('task.completed', (fact) => fact.task === '#3');
    await team.live.send('lead', 'it was merged');
    expect(await team.ended()).toMatchObject({ reason: 'partial' });
    expect(team.of('request.withdrawn')).toMatchObject([{ request: 'r1' }]);
    expect(team.of('task.reviewed')).toHaveLength(3);
    expectInvariants(team);
  });
});

test('D95: how much the work grows from round to round is reported, with the same behaviour asked for', async () => {
  const draft = (words: number): string => 'word '.repeat(words);
  const handsIn = (awaited: string, words: number, first = false): Turn =>
    when(
      awaited,
      does(...(first ? [claim('#1')] : []), write(`v${words}.md`, draft(words))),
      does(complete('#1', { artifacts: [`v${words}.md`] })),
      says('Handed in.'),
    );
  const at = await writeMission({
    recipe: { ...gated(), limits: { review_rounds: 2 } },
    roles: { boss: {}, worker: { base: 'write' }, judge: {} },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN] },
      worker: {
        idle: 'Ready.',
        turns: [handsIn('Task #1 is ready', 100, true), handsIn('asks for changes', 200)],
      },
      judge: {
        idle: 'Ready.',
        turns: [
          reviews('#1', 'request_changes', { findings: 'more' }),
          reviews('#1', 'request_changes', { findings: 'more' }),
        ],
      },
    },
  });
  const team = await startJob(at);
  expect(await team.ended()).toMatchObject({ reason: 'needs_human' });
  expect(team.of('task.submitted').map((fact) => fact.artifact_bytes)).toEqual([500, 1000]);
  const status = await teamStatus(at.house, team.live.id);
  if (status.kind !== 'found') throw new Error(status.kind);
  expect(
    status.value.tasks[0]?.review?.submissions.map(({ artifact_bytes, grown_by }) => [
      artifact_bytes,
      grown_by,
    ]),
  ).toEqual([
    [500, null],
    [1000, 500],
  ]);
  expect(
    JSON.parse(team.of('request.opened').find(({ kind }) => kind === 'gate')?.arguments ?? '{}').rounds[1],
  ).toMatchObject({
    grown_by: 500,
  });
});

describe('H180', () => {
  /** The model of the role, whose first answer that holds a verdict is cut off by the cap on its length. */
  function cutOnce(plan: RunPlan, role: string): RunPlan {
    const model = plan.models.get(role);
    if (model === undefined) throw new Error(`no model of ${role}`);
    let cut = false;
    const capped: Model = {
      ...model,
      generate: async (request, signal) => {
        const outcome = await model.generate(request, signal);
        if (cut || outcome.kind !== 'reply' || !outcome.calls.some(({ tool }) => tool === 'team_review'))
          return outcome;
        cut = true;
        return { ...outcome, stop: 'length' };
      },
      leftover: (member, of, messages) => model.leftover(member, of, messages),
    };
    return { ...plan, models: new Map(plan.models).set(role, capped) };
  }

  test.each(['request_changes', 'approve'] as const)(
    'H180 (b): a verdict "%s" in an answer that was cut off is inconclusive, never taken at its word',
    async (verdict) => {
      const at = await writeMission({
        recipe: gated(),
        roles: { boss: {}, worker: {}, judge: {} },
        script: {
          boss: { idle: 'Waiting.', turns: [BEGIN, CLOSE] },
          worker: { idle: 'Ready.', turns: [works('#1')] },
          judge: {
            idle: 'Ready.',
            turns: [
              reviews('#1', verdict, { findings: 'REJECT since' }),
              reviews('#1', 'approve', {}, 'was cut off before it was whole'),
            ],
          },
        },
      });
      const team = await startJob(at, {}, false, (plan) => cutOnce(plan, 'judge'));
      expect(await team.ended()).toMatchObject({ reason: 'done' });
      expect(team.of('task.reviewed').map((fact) => fact.verdict)).toEqual(['inconclusive', 'approve']);
      expect(team.results('judge')[0]).toContain('is recorded as inconclusive and counts neither way');
      // The owner heard of no rejection, and the lead of what happened.
      expect(turnsOf(team, 'worker')).toHaveLength(1);
      expect(team.inputs('boss').join('\n')).toContain('The verdict of judge on #1 is inconclusive');
      expectInvariants(team);
    },
  );
});
