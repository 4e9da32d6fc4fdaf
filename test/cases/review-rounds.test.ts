// Cases D93, D95: reviews come to an end, and how the work grows meanwhile is seen.
import { describe, expect, test } from 'vitest';
import { answerRequest } from '../../src/runtime/operator.js';
import { teamStatus } from '../../src/runtime/teams.js';
import {
  type Mission,
  resumeJob,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import {
  claim,
  complete,
  create,
  does,
  expectInvariants,
  finish,
  reviews,
  says,
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
