// Cases E121 and E123: what was approved runs once, wherever the approval found it.
import { describe, expect, test } from 'vitest';
import { readFileRecord } from '../../src/events/record-view.js';
import { answerRequest } from '../../src/runtime/operator.js';
import { resumeJob, startJob, writeMission } from '../helpers/team.js';
import { effect, effects, expectAnswered, oneWorker, parkedOn } from './asking.js';
import { crashAt } from './crash.js';
import { claim, complete, does, expectInvariants, hearing, says, when } from './play.js';

describe('E121 an approval that comes while nobody runs the team', () => {
  const mission = oneWorker([
    when(
      'Task #1 is ready',
      does(claim('#1'), effect('tick')),
      hearing('tick took effect', does(complete('#1', { summary: 'It ticks.' }))),
      says('Done.'),
    ),
  ]);

  test('E121 the state is on disk, the process gone; approved and taken up again, that call runs once and the answer flows up', async () => {
    const at = await writeMission(mission);
    const first = await startJob(at, { autoApprove: 'never' });
    expect(await first.ended()).toMatchObject({ reason: 'needs_human', openRequests: ['r1'] });
    expect(await effects(at)).toEqual([]);
    expect(await answerRequest(at.house, first.live.id, 'r1', 'yes')).toEqual({
      kind: 'done',
      text: `recorded; go on with: bnerd team resume ${first.live.id}`,
      live: false,
    });
    const second = await resumeJob(at, first.live.id);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual(['tick']);
    expect(second.of('tool.started')).toMatchObject([{ request: 'r1' }]);
    expect(second.of('request.opened')).toEqual([]);
    // Up to the lead, and to the end of the run.
    expect(second.inputs('boss').join('\n')).toContain('It ticks.');
    expectInvariants(await readFileRecord(second.live.folder, 'strict').log());
  });

  test('E121 the same after a crash of the process that had asked', async () => {
    const at = await writeMission(mission);
    const first = await startJob(at, { autoApprove: 'never' }, true);
    const crashed = await crashAt(
      at,
      first,
      (row) => row.kind === 'fact' && row.fact.type === 'turn.ended' && row.fact.request === 'r1',
    );
    expect(await answerRequest(at.house, crashed.id, 'r1', 'yes')).toMatchObject({
      kind: 'done',
      live: false,
    });
    expect(await answerRequest(at.house, crashed.id, 'r1', 'no')).toMatchObject({
      findings: [{ code: 'already-decided' }],
    });
    const second = await resumeJob(at, crashed.id);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual(['tick']);
    expect(second.of('tool.started')).toHaveLength(1);
  });

  test('E121 a denial that comes then is told, and nothing runs', async () => {
    const at = await writeMission(
      oneWorker([
        when(
          'Task #1 is ready',
          does(claim('#1'), effect('tick')),
          hearing('^denied, not run: r1 was denied by the operator', does(complete('#1'))),
          says('Done.'),
        ),
      ]),
    );
    const first = await startJob(at, { autoApprove: 'never' });
    await first.ended();
    await answerRequest(at.house, first.live.id, 'r1', 'no');
    const second = await resumeJob(at, first.live.id);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual([]);
  });
});

describe('E123 two confirmations in one turn, one after the other', () => {
  test.each([
    ['in one reply', [does(claim('#1'), effect('first'), effect('second'))]],
    [
      'in two replies',
      [does(claim('#1'), effect('first')), hearing('first took effect', does(effect('second')))],
    ],
  ])('E123 %s: both are honoured, each with its own output, once', async (_, steps) => {
    const at = await writeMission(
      oneWorker([
        when(
          'Task #1 is ready',
          ...steps,
          hearing('second took effect', does(complete('#1'))),
          says('Done.'),
        ),
      ]),
    );
    const team = await startJob(at, { autoApprove: 'never' }, true);
    for (const request of ['r1', 'r2']) {
      await parkedOn(team, request);
      await team.live.answer(request, { kind: 'approve' });
    }
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual(['first', 'second']);
    expect(team.of('tool.started').map(({ request }) => request)).toEqual(['r1', 'r2']);
    const results = team.transcripts.flatMap(({ member, entry }) =>
      member === 'worker' && entry.kind === 'result' ? [entry] : [],
    );
    const outputs = results.filter(({ text }) => text.includes('took effect'));
    expect(outputs.map(({ text }) => /(\w+) took effect/.exec(text)?.[1])).toEqual(['first', 'second']);
    expect(new Set(results.map(({ place }) => place)).size).toBe(results.length);
    expectAnswered(team);
    expectInvariants(team);
  });
});
