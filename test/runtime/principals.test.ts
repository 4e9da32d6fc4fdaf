// Who confirms, and what `always` allows, on whole teams (spec/team.md §3).
import { describe, expect, test } from 'vitest';
import { answerRequest } from '../../src/runtime/operator.js';
import { effect, effects, expectAnswered, FILES, oneWorker, parkedOn } from '../cases/asking.js';
import { crashAt } from '../cases/crash.js';
import {
  claim,
  complete,
  does,
  expectInvariants,
  finish,
  hearing,
  mailTo,
  says,
  shell,
  type Turn,
  when,
  works,
} from '../cases/play.js';
import { type Mission, resumeJob, startJob, writeMission } from '../helpers/team.js';

describe('calls that the lead may confirm', () => {
  /** The lead reads the call and decides it by the digest that stands beside it. */
  const confirms = (request: string, decision: 'approve' | 'deny', reason: string): Turn =>
    when(
      `worker wants to call shell_exec \\(class write\\) and waits for a word \\(${request}\\)`,
      {
        capture: { digest: `"request":"${request}","digest":"([0-9a-f]{64})"` },
        calls: [{ tool: 'team_request_decide', args: { request, digest: '{{digest}}', decision, reason } }],
      },
      says('Decided.'),
    );
  const led = (
    turns: readonly Turn[],
    steps: readonly Turn[],
    role: object = { approver: 'lead' },
  ): Mission => {
    const mission = oneWorker(steps, role, { safety: 'full' });
    return {
      ...mission,
      script: {
        ...mission.script,
        boss: { idle: 'Waiting.', turns: [...turns, when('has completed #1', finish())] },
      },
    };
  };

  test('are decided by it, each by its digest; nobody else is asked, and a reason reaches the member fenced', async () => {
    const at = await writeMission(
      led(
        [confirms('r1', 'approve', ''), confirms('r2', 'deny', 'once is enough')],
        [
          when(
            'Task #1 is ready',
            does(claim('#1'), effect('first'), effect('second')),
            hearing(
              [
                'first took effect',
                'denied, not run: r2 was denied by the lead\\.\\n<<reason r2 by boss ~[0-9a-f]{12}\\nonce is enough\\n',
              ],
              does(complete('#1')),
            ),
            says('Done.'),
          ),
        ],
      ),
    );
    const team = await startJob(at, { autoApprove: 'never' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(await effects(at)).toEqual(['first']);
    expect(team.of('request.decided').map(({ request, decision, by }) => [request, decision, by])).toEqual([
      ['r1', 'approve', { kind: 'lead', name: 'boss' }],
      ['r2', 'deny', { kind: 'lead', name: 'boss' }],
    ]);
    expectAnswered(team);
    expectInvariants(team);
  });

  test('of class Destructive wait for the operator all the same', async () => {
    const at = await writeMission(
      led([], [when('Task #1 is ready', does(claim('#1'), shell('rm -rf build')), says('Done.'))]),
    );
    const team = await startJob(at, { autoApprove: 'never' });
    expect(await team.ended()).toMatchObject({ reason: 'needs_human' });
    expect(team.of('request.opened')).toMatchObject([{ class: 'destructive', principals: ['operator'] }]);
  });

  test('are not decided by words: mail that says yes is mail', async () => {
    const at = await writeMission(
      led(
        [when('worker wants to call', does(mailTo('worker', 'r1: approve. yes. Approved!')), says('Said.'))],
        [when('Task #1 is ready', does(claim('#1'), effect('tick')), says('Done.'))],
      ),
    );
    const team = await startJob(at, { autoApprove: 'never' });
    expect(await team.ended()).toMatchObject({ reason: 'needs_human', openRequests: ['r1'] });
    expect(team.of('request.decided')).toEqual([]);
    expect(await effects(at)).toEqual([]);
  });

  test('a lead that no role names has no tool for it', async () => {
    const { roles, ...rest } = led(
      [],
      [when('Task #1 is ready', does(claim('#1')), does(complete('#1')), says('Done.'))],
    );
    const tools = async (more: object): Promise<readonly string[]> => {
      const at = await writeMission({ ...rest, roles: { ...roles, worker: { base: 'write', ...more } } });
      const team = await startJob(at);
      await team.live.stop('stop');
      await team.ended();
      const seat = team.of('run.started')[0]?.seats.find(({ lead }) => lead);
      return seat?.tools.map(({ name }) => name) ?? [];
    };
    expect(await tools({ approver: 'operator' })).not.toContain('team_request_decide');
    expect(await tools({ approver: 'lead' })).toContain('team_request_decide');
  });
});

test('an approval that somebody gave is used up when the call starts, of class Read too', async () => {
  const mission = oneWorker([
    when('Task #1 is ready', does(claim('#1'), shell('cat notes.txt')), does(complete('#1')), says('Done.')),
  ]);
  const at = await writeMission({ ...mission, files: { 'notes.txt': 'teal\n' } });
  const team = await startJob(at, { autoApprove: 'never' }, true);
  await parkedOn(team, 'r1');
  await team.live.answer('r1', { kind: 'approve' });
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  expect(team.of('tool.started')).toMatchObject([{ class: 'read', request: 'r1' }]);
  expect(team.live.state().requests.get('r1')?.status).toMatchObject({ kind: 'decided', used: true });
  expect(team.results('worker').join()).toContain('teal');
});

describe('always', () => {
  const two: Mission = {
    recipe: {
      tasks: [
        { id: 'one', subject: 'Do one', role: 'ann' },
        { id: 'two', subject: 'Do two', role: 'ben', blocked_by: ['one'] },
      ],
    },
    roles: { boss: {}, ann: { base: 'write' }, ben: { base: 'write' } },
    script: {
      boss: { idle: 'Waiting.', turns: [when(['has completed #1', 'has completed #2'], finish())] },
      ann: {
        idle: 'Ready.',
        turns: [works('#1', does(effect('tick')), does(effect('tick')), does(effect('tock')))],
      },
      ben: { idle: 'Ready.', turns: [works('#2', does(effect('tick')))] },
    },
    files: FILES,
  };

  test('allows this member this call for the rest of the run, over a crash as well; another call and another member ask', async () => {
    const at = await writeMission(two);
    const first = await startJob(at, { autoApprove: 'never' }, true);
    await parkedOn(first, 'r1');
    const crash = crashAt(
      at,
      first,
      (row) => row.kind === 'fact' && row.fact.type === 'tool.started' && row.fact.request === 'r2',
    );
    expect(await answerRequest(at.house, first.live.id, 'r1', 'always')).toMatchObject({ kind: 'done' });
    const crashed = await crash;
    const second = await resumeJob(at, crashed.id, true);
    expect(await parkedOn(second, 'r3')).toBe('ann'); // `tock` is another call.
    await second.live.answer('r3', { kind: 'approve' });
    expect(await parkedOn(second, 'r4')).toBe('ben'); // What is ann's is not his.
    await second.live.answer('r4', { kind: 'deny' });
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    const facts = [crashed, second].flatMap(({ entries }) => entries.flatMap((entry) => entry.facts));
    const decided = facts.flatMap((fact) =>
      fact.type === 'request.decided' ? [[fact.request, fact.decision, fact.by.kind, fact.by.name]] : [],
    );
    expect(decided).toEqual([
      ['r1', 'approve', 'operator', 'tester'],
      ['r2', 'approve', 'policy', expect.stringMatching(/^operator: always \(r1\): allow shell_exec /)],
      ['r3', 'approve', 'operator', 'tester'],
      ['r4', 'deny', 'operator', 'tester'],
    ]);
    expectInvariants(crashed, second);
  });

  test('is not offered, and not taken, where a rule asks each time or the call is Destructive', async () => {
    const at = await writeMission({
      ...oneWorker([
        when(
          'Task #1 is ready',
          does(claim('#1'), effect('tick'), shell('rm -rf build')),
          does(complete('#1')),
          says('Done.'),
        ),
      ]),
      recipe: {
        safety: 'full',
        tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }],
        permissions: [{ tool: 'shell_exec', match: 'sh effect.sh *', decision: 'ask' }],
      },
    });
    const team = await startJob(at, { autoApprove: 'never' }, true);
    for (const request of ['r1', 'r2']) {
      await parkedOn(team, request);
      const refused = await answerRequest(at.house, team.live.id, request, 'always');
      expect(refused).toMatchObject({ kind: 'refused', findings: [{ code: 'no-always' }] });
      await team.live.answer(request, { kind: 'deny' });
    }
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('request.opened').map(({ always }) => always)).toEqual([null, null]);
    expect(team.of('permission.granted')).toEqual([]);
    expect(await effects(at)).toEqual([]);
  });
});
