// Case E105: requests on whole teams: who asks gets the answer.
import { describe, expect, test } from 'vitest';
import { answerRequest } from '../../src/runtime/operator.js';
import { startJob, writeMission } from '../helpers/team.js';
import { effect, effects, expectAnswered, oneWorker, parkedOn } from './asking.js';
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
  type Turn,
  when,
  works,
  write,
} from './play.js';

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
