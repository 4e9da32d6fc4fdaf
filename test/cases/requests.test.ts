// Cases E: requests on whole teams: who asks gets the answer, and each is asked and carried out once.
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import { answerRequest } from '../../src/runtime/operator.js';
import { systemCode } from '../../src/shared/errors.js';
import {
  type JournalRow,
  type Mission,
  resumeJob,
  startJob,
  type TestHouse,
  type WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { crashAt } from './crash.js';
import {
  ask,
  type Call,
  claim,
  complete,
  does,
  expectInvariants,
  finish,
  hearing,
  says,
  shell,
  type Turn,
  when,
  works,
  write,
} from './play.js';

/** Leaves a line in a file of the workspace: an effect that can be counted. */
const effect = (name: string): Call => shell(`sh effect.sh ${name}`);
const FILES = { 'effect.sh': 'echo "$1" >> effects\necho "$1 took effect"\n' };

/** One worker with one task of these turns; the lead closes the team. */
function oneWorker(turns: readonly Turn[], role: object = {}, recipe: object = {}): Mission {
  return {
    recipe: { ...recipe, tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
    roles: { boss: {}, worker: { base: 'write', ...role } },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      worker: { idle: 'Ready.', turns },
    },
    files: FILES,
  };
}

/** Waits until a member waits for this request, and gives its name. */
function parkedOn(team: WatchedTeam, request: string): Promise<string> {
  const waits = (): string | undefined =>
    [...team.live.state().members.values()].find(
      ({ life }) => life.kind === 'parked' && life.request === request,
    )?.name;
  return until(waits, { what: `a member waits for ${request}` });
}

/** The lines that effects have left, oldest first. */
async function effects(at: TestHouse): Promise<string[]> {
  try {
    return (await readFile(join(at.workspace, 'effects'), 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Each decision of a person or the lead is the next thing in its asker's memory, and the model has gone on from it. */
function expectAnswered(...teams: readonly WatchedTeam[]): void {
  const rows = teams.flatMap((team) => team.journal);
  const opened = new Map(
    rows.flatMap((row) =>
      row.kind === 'fact' && row.fact.type === 'request.opened'
        ? [[row.fact.request, row.fact] as const]
        : [],
    ),
  );
  for (const [index, row] of rows.entries()) {
    if (row.kind !== 'fact' || row.fact.type !== 'request.decided' || row.fact.by.kind === 'policy') continue;
    const request = opened.get(row.fact.request);
    const memory = rows
      .slice(index)
      .flatMap((later) =>
        later.kind === 'transcript' && later.member === request?.member && later.entry.kind !== 'opened'
          ? [later.entry]
          : [],
      );
    expect(memory[0]).toMatchObject({ kind: 'result', place: request?.place });
    expect(memory.some((entry) => entry.kind === 'reply')).toBe(true);
  }
}

describe('E105 who asks gets the answer in its next input', () => {
  test.each([
    ['yes', 'tick took effect', ['tick']],
    ['no', '^denied, not run: r1 was denied by the operator', []],
  ])('E105 a confirmation, answered %s from another terminal', async (word, heard, left) => {
    const at = await writeMission(
      oneWorker([
        when(
          'Task #1 is ready',
          does(claim('#1'), effect('tick')),
          hearing(heard, does(complete('#1'))),
          says('Done.'),
        ),
      ]),
    );
    const team = await startJob(at, { autoApprove: 'never' }, true);
    await parkedOn(team, 'r1');
    const answered = await answerRequest(at.house, team.live.id, 'r1', word);
    expect(answered).toMatchObject({ kind: 'done', live: true });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual(left);
    expectAnswered(team);
    expectInvariants(team);
  });

  test('E105 a question', async () => {
    const at = await writeMission(
      oneWorker([
        when(
          'Task #1 is ready',
          does(claim('#1'), ask('Which colour?')),
          hearing('^The operator answers r1:\\nteal$', does(complete('#1'))),
          says('Teal.'),
        ),
      ]),
    );
    const team = await startJob(at, {}, true);
    await parkedOn(team, 'r1');
    const answered = await answerRequest(at.house, team.live.id, 'r1', 'teal');
    expect(answered).toMatchObject({ kind: 'done', live: true });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expectAnswered(team);
    expectInvariants(team);
  });

  const plan = (text: string): Call => ({ tool: 'team_plan_submit', args: { plan: text } });
  const planned = (by: string): Turn =>
    when(
      'Task #1 is ready',
      does(claim('#1'), plan('I shall write.')),
      hearing(['^Your plan \\(r1\\) needs a revision', 'say what'], does(plan('I shall write one word.'))),
      hearing(
        `^Your plan \\(r2\\) is approved by the ${by}`,
        does(write('word.md', 'teal\n'), complete('#1')),
      ),
      says('Written.'),
    );

  test('E105 a plan, decided by the lead', async () => {
    const decide = (request: string, decision: string): Turn =>
      when(
        `worker asks you to approve its plan, version \\d \\(${request}\\)`,
        {
          capture: { digest: `\\(${request}\\)[^]*"plan_digest":"([0-9a-f]{64})"` },
          calls: [
            {
              tool: 'team_plan_decide',
              args: { member: 'worker', plan_digest: '{{digest}}', decision, feedback: 'say what' },
            },
          ],
        },
        says('Decided.'),
      );
    const mission = oneWorker([planned('lead')], { permissionMode: 'plan' }, { plan_approval: true });
    const at = await writeMission({
      ...mission,
      script: {
        ...mission.script,
        boss: {
          idle: 'Waiting.',
          turns: [decide('r1', 'revise'), decide('r2', 'approve'), when('has completed #1', finish())],
        },
      },
    });
    const team = await startJob(at);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('plan.decided').map(({ version, decision, by }) => [version, decision, by.kind])).toEqual([
      [1, 'revise', 'lead'],
      [2, 'approve', 'lead'],
    ]);
    expectAnswered(team);
    expectInvariants(team);
  });

  test('E105 a plan, decided by the operator', async () => {
    const role = { permissionMode: 'plan', approver: 'operator' };
    const at = await writeMission(oneWorker([planned('operator')], role, { plan_approval: true }));
    const team = await startJob(at, {}, true);
    await parkedOn(team, 'r1');
    expect(await answerRequest(at.house, team.live.id, 'r1', 'say what')).toMatchObject({ kind: 'done' });
    await parkedOn(team, 'r2');
    expect(await answerRequest(at.house, team.live.id, 'r2', 'yes')).toMatchObject({ kind: 'done' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expectAnswered(team);
    expectInvariants(team);
  });

  test('E105 a shutdown, asked for by the lead while the member itself waits for an answer', async () => {
    const at = await writeMission({
      recipe: { tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
      roles: { boss: {}, worker: {}, helper: {} },
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when(
              'stop it',
              does({ tool: 'team_stop_member', args: { member: 'worker', reason: 'no longer needed' } }),
              hearing(
                '^worker is stopped\\.$',
                does({ tool: 'team_task_update', args: { task: '#1', role: 'helper' } }),
              ),
              says('The helper does it.'),
            ),
            when('has completed #1', finish()),
          ],
        },
        worker: {
          idle: 'Ready.',
          turns: [when('Task #1 is ready', does(claim('#1'), ask('Go on?')), says('Going on.'))],
        },
        helper: { idle: 'Ready.', turns: [works('#1')] },
      },
    });
    const team = await startJob(at, {}, true);
    await parkedOn(team, 'r1');
    await team.live.send('lead', 'stop it');
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    // Its own request is no longer waited for by anybody, and it takes no turn any more.
    expect(team.of('request.withdrawn')).toMatchObject([{ request: 'r1' }]);
    const stopped = team.numberOf((fact) => fact.type === 'member.stopped');
    const later = team.facts.slice(stopped);
    expect(later.some((fact) => fact.type === 'turn.started' && fact.member === 'worker')).toBe(false);
    expectInvariants(team);
  });

  test('E105 a shutdown, asked for by the operator', async () => {
    const at = await writeMission(
      oneWorker([when('Task #1 is ready', does(claim('#1'), ask('Go on?')), says('Going on.'))]),
    );
    const team = await startJob(at, {}, true);
    await parkedOn(team, 'r1');
    expect(await team.live.stopMember('worker')).toEqual({ kind: 'accepted', text: 'worker is stopped' });
    expect(await team.live.answer('r1', { kind: 'text', text: 'yes' })).toMatchObject({
      kind: 'refused',
      code: 'withdrawn',
    });
    await team.live.stop('stop');
    expect(await team.ended()).toMatchObject({ reason: 'cancelled' });
    expectInvariants(team);
  });
});

/** Each request of a team was opened once, and each effect is there once. */
async function expectOnce(
  at: TestHouse,
  runs: readonly { readonly entries: readonly LogEntry[] }[],
  names: readonly string[],
): Promise<void> {
  const facts = runs.flatMap((run) => run.entries.flatMap((entry) => entry.facts));
  const places = facts.flatMap((fact) =>
    fact.type === 'request.opened' ? [`${fact.member} ${fact.place}`] : [],
  );
  expect(places).toHaveLength(names.length);
  expect(new Set(places).size).toBe(names.length);
  const decided = facts.flatMap((fact) => (fact.type === 'request.decided' ? [fact.request] : []));
  expect(decided).toHaveLength(names.length);
  expect(new Set(decided).size).toBe(names.length);
  expect((await effects(at)).sort()).toEqual([...names].sort());
  expectInvariants(...runs);
}

describe('E125 two confirmations in one task, a crash after the first answer', () => {
  const started = (request: string) => (row: JournalRow) =>
    row.kind === 'fact' && row.fact.type === 'tool.started' && row.fact.request === request;
  const mission = oneWorker(
    [
      when(
        'Task #1 is ready',
        does(claim('#1'), effect('before'), effect('first'), effect('second')),
        does(complete('#1')),
        says('Done.'),
      ),
    ],
    {},
    { permissions: [{ tool: 'shell_exec', match: 'sh effect.sh before', decision: 'allow' }] },
  );

  test.each<[string, (row: JournalRow) => boolean]>([
    [
      'when the answer is recorded',
      (row) => row.kind === 'fact' && row.fact.type === 'request.decided' && row.fact.request === 'r2',
    ],
    [
      'when the woken turn has begun',
      (row) => row.kind === 'transcript' && row.member === 'worker' && row.entry.kind === 'opened',
    ],
    [
      'when the result of the confirmed call is recorded',
      (row) =>
        row.kind === 'transcript' &&
        row.entry.kind === 'result' &&
        row.entry.text.includes('first took effect'),
    ],
    [
      'when the second request is open',
      (row) => row.kind === 'fact' && row.fact.type === 'request.opened' && row.fact.request === 'r3',
    ],
    [
      'when the member waits for the second answer',
      (row) => row.kind === 'fact' && row.fact.type === 'turn.ended' && row.fact.request === 'r3',
    ],
  ])('E125 %s: what ran before is not run again, and each is asked once', async (_when, fits) => {
    const at = await writeMission(mission);
    const first = await startJob(at, { autoApprove: 'never' }, true);
    await parkedOn(first, 'r2');
    const crash = crashAt(at, first, fits);
    await first.live.answer('r2', { kind: 'approve' });
    const crashed = await crash;
    const second = await resumeJob(at, crashed.id, true);
    await parkedOn(second, 'r3');
    expect(await effects(at)).toEqual(['before', 'first']);
    await second.live.answer('r3', { kind: 'approve' });
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    await expectOnce(at, [crashed, second], ['before', 'first', 'second']);
  });

  test('E125 when the confirmed call has begun: whatever it did, it is not run again, and the member is told', async () => {
    const at = await writeMission(mission);
    const first = await startJob(at, { autoApprove: 'never' }, true);
    await parkedOn(first, 'r2');
    const crash = crashAt(at, first, started('r2'));
    await first.live.answer('r2', { kind: 'approve' });
    const crashed = await crash;
    // The process died between the effect and its result.
    await appendFile(join(at.workspace, 'effects'), 'first\n');
    const second = await resumeJob(at, crashed.id, true);
    await parkedOn(second, 'r3');
    await second.live.answer('r3', { kind: 'approve' });
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    const told = second.results('worker')[0];
    expect(told).toMatch(/^interrupted: .* unknown whether it took effect/);
    await expectOnce(at, [crashed, second], ['before', 'first', 'second']);
  });
});

describe('E126 two workers with a confirmation each', () => {
  const worker = (task: string): object => ({
    idle: 'Ready.',
    turns: [works(task, does(effect('{{member}}')))],
  });
  const mission: Mission = {
    recipe: {
      tasks: [
        { id: 'one', subject: 'Do one', role: 'ann' },
        { id: 'two', subject: 'Do two', role: 'ben' },
      ],
    },
    roles: { boss: {}, ann: { base: 'write' }, ben: { base: 'write' } },
    script: {
      boss: { idle: 'Waiting.', turns: [when(['has completed #1', 'has completed #2'], finish())] },
      ann: worker('#1'),
      ben: worker('#2'),
    },
    files: FILES,
  };

  test.each([
    ['ann first, no crash', ['ann', 'ben'], null],
    ['ben first, no crash', ['ben', 'ann'], null],
    ['ann first, a crash before her call begins', ['ann', 'ben'], 'request.decided'],
    ['ben first, a crash before his call begins', ['ben', 'ann'], 'request.decided'],
    ['ann first, a crash when she has reported', ['ann', 'ben'], 'task.completed'],
    ['ben first, a crash when he has reported', ['ben', 'ann'], 'task.completed'],
  ] as const)('E126 %s: each is asked once', async (_what, order, crashes) => {
    const at = await writeMission(mission);
    const first = await startJob(at, { autoApprove: 'never' }, true);
    const requestOf = async (member: string): Promise<string> =>
      (await first.fact('turn.ended', (fact) => fact.member === member && fact.request !== null)).request ??
      '';
    const requests = [await requestOf(order[0]), await requestOf(order[1])] as const;
    if (crashes === null) {
      for (const request of requests) await first.live.answer(request, { kind: 'approve' });
      expect(await first.ended()).toMatchObject({ reason: 'done' });
      await expectOnce(at, [first], ['ann', 'ben']);
      return;
    }
    const crash = crashAt(at, first, (row) => row.kind === 'fact' && row.fact.type === crashes);
    await first.live.answer(requests[0], { kind: 'approve' });
    const crashed = await crash;
    const second = await resumeJob(at, crashed.id, true);
    // The other's request is still open, under the same id; this one is not asked again.
    expect(await second.live.answer(requests[0], { kind: 'approve' })).toMatchObject({
      code: 'already_decided',
    });
    expect(await second.live.answer(requests[1], { kind: 'approve' })).toMatchObject({ kind: 'accepted' });
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    await expectOnce(at, [crashed, second], ['ann', 'ben']);
    expectAnswered(first, second);
  });
});
