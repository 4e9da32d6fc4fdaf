// Cases E100, E101, E118, E120: a plan is decided by who may decide it, and nothing changes before that.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerRequest } from '../../src/runtime/operator.js';
import { teamStatus } from '../../src/runtime/teams.js';
import { startHeard } from '../helpers/heard.js';
import { startJob, type TestHouse, type WatchedTeam, writeMission } from '../helpers/team.js';
import { expectAnswered, oneWorker, parkedOn } from './asking.js';
import { numberOf } from './look.js';
import {
  type Call,
  claim,
  complete,
  does,
  expectInvariants,
  finish,
  hearing,
  list,
  says,
  shell,
  type Turn,
  when,
  write,
} from './play.js';

const PLANNED = { permissionMode: 'plan' };
const RECIPE = { plan_approval: true };

const plan = (text: string): Call => ({ tool: 'team_plan_submit', args: { plan: text } });

/** The lead reads the plan of a request and decides it by the digest that stands in the mail. */
const decides = (request: string, decision: 'approve' | 'revise', feedback: string): Turn =>
  when(
    `worker asks you to approve its plan, version \\d \\(${request}\\)`,
    // It takes its time.
    { capture: { digest: `\\(${request}\\)[^]*"plan_digest":"([0-9a-f]{64})"` }, calls: [list()] },
    does({
      tool: 'team_plan_decide',
      args: { member: 'worker', plan_digest: '{{digest}}', decision, feedback },
    }),
    says('Decided.'),
  );

async function exists(at: TestHouse, name: string): Promise<boolean> {
  return access(join(at.workspace, name)).then(
    () => true,
    () => false,
  );
}

/** Numbers of calls with an effect that began before the plan was approved. */
function early(team: WatchedTeam): number[] {
  const approved = team.of('plan.decided').find(({ decision }) => decision === 'approve');
  const until = approved === undefined ? Number.POSITIVE_INFINITY : numberOf(team, approved);
  return team
    .of('tool.started')
    .map((fact) => numberOf(team, fact))
    .filter((number) => number < until);
}

describe('E100 a plan that the lead sends back', () => {
  test('E100 no write between submit and decision; after the rejection it revises; one decision an id', async () => {
    const mission = oneWorker(
      [
        when(
          'Task #1 is ready',
          // What stands behind the plan in one reply is run when the plan is decided, and not before.
          does(claim('#1'), plan('I shall write.'), write('early.md', 'x\n'), shell('echo x > early.txt')),
          hearing(
            ['needs a revision', 'which word', 'denied, not run: plan mode: no write tool before the plan'],
            does(plan('I shall write one word.')),
          ),
          hearing('\\(r2\\) is approved by the lead', does(write('word.md', 'teal\n'), complete('#1'))),
          says('Written.'),
        ),
      ],
      PLANNED,
      RECIPE,
    );
    const at = await writeMission({
      ...mission,
      script: {
        ...mission.script,
        boss: {
          idle: 'Waiting.',
          turns: [
            decides('r1', 'revise', 'which word?'),
            decides('r2', 'approve', 'good'),
            when('has completed #1', finish()),
          ],
        },
      },
    });
    const team = await startJob(at, { autoApprove: 'all' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(early(team)).toEqual([]);
    expect([
      await exists(at, 'early.md'),
      await exists(at, 'early.txt'),
      await exists(at, 'word.md'),
    ]).toEqual([false, false, true]);
    const decided = team.of('request.decided').filter(({ by }) => by.kind !== 'policy');
    expect(decided.map(({ request, decision }) => [request, decision])).toEqual([
      ['r1', 'revise'],
      ['r2', 'approve'],
    ]);
    expect(team.of('plan.submitted').map(({ version }) => version)).toEqual([1, 2]);
    expectAnswered(team);
    expectInvariants(team);
  });

  test('E100 a second word on the same plan changes nothing, whoever says it', async () => {
    const mission = oneWorker(
      [
        when(
          'Task #1 is ready',
          does(claim('#1'), plan('I shall write.')),
          does(complete('#1')),
          says('Done.'),
        ),
      ],
      PLANNED,
      RECIPE,
    );
    const at = await writeMission({
      ...mission,
      script: {
        ...mission.script,
        boss: {
          idle: 'Waiting.',
          turns: [decides('r1', 'approve', ''), when('has completed #1', finish())],
        },
      },
    });
    const team = await startJob(at, {}, true);
    await team.fact('request.decided');
    expect(await team.live.answer('r1', { kind: 'revise', text: 'no' })).toMatchObject({
      code: 'already_decided',
    });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('plan.decided')).toMatchObject([{ decision: 'approve', by: { kind: 'lead' } }]);
  });
});

describe('E101 approver operator, and nobody answers', () => {
  test('E101 the plan stays pending, and no write tool stands in what the model is told of', async () => {
    const at = await writeMission(
      oneWorker(
        [when('Task #1 is ready', does(claim('#1'), plan('I shall write.')), says('Never reached.'))],
        { ...PLANNED, approver: 'operator' },
        RECIPE,
      ),
    );
    const { team, requests } = await startHeard(at, { autoApprove: 'all' });
    expect(await team.ended()).toMatchObject({ reason: 'needs_human', exit: 4, openRequests: ['r1'] });
    expect(team.of('request.decided')).toEqual([]);
    expect(team.of('plan.decided')).toEqual([]);
    expect(team.live.state().members.get('worker')?.plan).toMatchObject({ kind: 'pending', version: 1 });
    const told = requests
      .filter(({ member }) => member === 'worker')
      .map(({ tools }) => tools.map(({ name }) => name));
    expect(told.length).toBeGreaterThan(0);
    const seat = team.of('run.started')[0]?.seats.find(({ member }) => member === 'worker');
    const changing = (seat?.tools ?? []).filter(
      ({ name, class: of }) => (of === 'write' || of === 'destructive') && name !== 'shell_exec',
    );
    expect(changing.length).toBeGreaterThan(2);
    for (const names of told) {
      expect(names).toContain('team_plan_submit');
      expect(names).toContain('fs_read_file');
      for (const { name } of changing) expect(names).not.toContain(name);
    }
    // The lead was not asked, and could not say it.
    expect(
      requests
        .filter(({ member }) => member === 'boss')
        .at(-1)
        ?.messages.join(''),
    ).not.toContain('approve');
    const status = await teamStatus(at.house, team.live.id);
    expect(status.kind === 'found' && status.value.requests).toMatchObject([
      { id: 'r1', kind: 'plan', state: 'open', principals: ['operator'] },
    ]);
  });
});

describe('E118 everything is approved by flag, and a plan is wanted', () => {
  test('E118 the plan gate wins, and a deny rule beats both', async () => {
    const at = await writeMission(
      oneWorker(
        [
          when(
            'Task #1 is ready',
            does(claim('#1'), shell('echo x > early.txt'), plan('I shall write.')),
            hearing(
              'is approved by the operator',
              does(write('secret.md', 'x\n'), write('word.md', 'teal\n')),
            ),
            hearing(['denied, not run: rule of', 'word.md created'], does(complete('#1'))),
            says('Done.'),
          ),
        ],
        { ...PLANNED, approver: 'operator' },
        { ...RECIPE, permissions: [{ tool: 'fs_write_file', match: 'secret*', decision: 'deny' }] },
      ),
    );
    const team = await startJob(at, { autoApprove: 'all' }, true);
    await parkedOn(team, 'r1');
    expect(team.of('request.decided')).toEqual([]);
    expect(team.results('worker')).toContainEqual(
      expect.stringMatching(/^denied, not run: plan mode: no write tool/),
    );
    expect(await answerRequest(at.house, team.live.id, 'r1', 'yes')).toMatchObject({ kind: 'done' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(early(team)).toEqual([]);
    expect([
      await exists(at, 'early.txt'),
      await exists(at, 'secret.md'),
      await exists(at, 'word.md'),
    ]).toEqual([false, false, true]);
    expectInvariants(team);
  });
});

describe('E120 a plan that has to change', () => {
  test('E120 a new version, pending again; the feedback stands in the input of the worker', async () => {
    const at = await writeMission(
      oneWorker(
        [
          when(
            'Task #1 is ready',
            does(claim('#1'), plan('I shall write.')),
            hearing('needs a revision; submit a new version', {
              capture: { word: { match: 'the word is (\\w+)', default: 'none' } },
              calls: [plan('I shall write {{word}}.')],
            }),
            hearing('\\(r2\\) is approved', does(write('word.md', '{{word}}\n'), complete('#1'))),
            says('Written.'),
          ),
        ],
        { ...PLANNED, approver: 'operator' },
        RECIPE,
      ),
    );
    const team = await startJob(at, { autoApprove: 'all' }, true);
    await parkedOn(team, 'r1');
    const feedback = 'revise the word is teal';
    expect(await answerRequest(at.house, team.live.id, 'r1', feedback)).toMatchObject({ kind: 'done' });
    await parkedOn(team, 'r2');
    expect(team.live.state().members.get('worker')?.plan).toMatchObject({
      kind: 'pending',
      version: 2,
      text: 'I shall write teal.',
      request: 'r2',
    });
    expect(team.results('worker')).toContainEqual(
      expect.stringMatching(/needs a revision.*\nthe word is teal$/s),
    );
    expect(team.of('tool.started')).toEqual([]);
    expect(await answerRequest(at.house, team.live.id, 'r2', 'yes')).toMatchObject({ kind: 'done' });
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expect(team.of('plan.decided').map(({ version, decision }) => [version, decision])).toEqual([
      [1, 'revise'],
      [2, 'approve'],
    ]);
    expectAnswered(team);
    expectInvariants(team);
  });
});
