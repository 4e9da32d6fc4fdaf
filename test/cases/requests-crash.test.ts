// Cases E125 and E126: several requests, answered in either order and over a crash: each is asked and carried out once.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/events/log-entry.js';
import {
  type JournalRow,
  type Mission,
  resumeJob,
  startJob,
  type TestHouse,
  writeMission,
} from '../helpers/team.js';
import { effect, effects, expectAnswered, FILES, oneWorker, parkedOn } from './asking.js';
import { crashAt } from './crash.js';
import { claim, complete, does, expectInvariants, finish, says, when, works } from './play.js';

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
