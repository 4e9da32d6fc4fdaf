// Members that stop working too early, and teams that must neither end nor live on when they do
// (cases B35, B36, B38, B41, B43).
import { describe, expect, test } from 'vitest';
import type { Member } from '../../src/team/show/view.js';
import { gate, waitAt } from '../helpers/gate.js';
import { runMission, startJob, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import { finish, numberOf, passes, taskOf, transcriptOf, turnsOf } from './look.js';
import { claim, complete, create, does, hearing, says, type Turn, when, works } from './play.js';

const BEGIN = when('', says('Begin.'));

test('B35: the completion of the one child wakes the idle lead, and its input holds the result', async () => {
  const at = await writeMission({
    recipe: { tasks: taskOf('child') },
    roles: { boss: {}, child: { base: 'write' } },
    script: {
      boss: { idle: 'Waiting.', turns: [BEGIN, when('it is seven knots', says('Seven.'))] },
      child: {
        idle: 'Ready.',
        turns: [
          when(
            'Task #1 is ready',
            does(claim('#1')),
            does(waitAt('child')),
            does(complete('#1', { summary: 'Measured: it is seven knots.' })),
            says('Reported.'),
          ),
        ],
      },
    },
  });
  const childs = await gate(at.workspace, 'child');
  const team = await startJob(at);
  await team.fact('tool.started');
  await team.fact('turn.ended', (fact) => fact.member === 'boss');
  expect(team.live.state().members.get('boss')?.life.kind).toBe('idle');
  await childs.open();
  expect(await team.ended()).toMatchObject({ reason: 'done' });
  const entry = team.entries.find(({ facts }) => facts.some((fact) => fact.type === 'task.completed'));
  const report = entry?.facts.find((fact) => fact.type === 'mail.sent');
  const [, turn] = turnsOf(team, 'boss');
  expect(turn?.cause).toBe(numberOf(team, report));
  const input = transcriptOf(team, 'boss').find((found) => found.id === `${numberOf(team, turn)}-1`);
  expect(input).toMatchObject({ kind: 'input', text: expect.stringContaining('it is seven knots') });
});

describe('B36', () => {
  test.each<[string, Turn[]]>([
    ['without claiming the task', [1, 2, 3].map(() => when('#1', says('OK, will do.')))],
    [
      'holding the task',
      [
        when('Task #1 is ready', does(claim('#1')), says('OK, will do.')),
        when('You ended your turn', says('OK, will do.')),
        when('the last reminder', says('OK, will do.')),
        when('Task #1 is ready', does(claim('#1')), says('OK, will do.')),
        when('You ended your turn', says('OK, will do.')),
        when('the last reminder', says('OK, will do.')),
      ],
    ],
  ])('B36: "OK, will do" %s is no progress: nudged twice, then the task fails', async (_, turns) => {
    const team = await runMission({
      recipe: { tasks: taskOf('worker') },
      roles: { boss: {}, worker: {} },
      script: { boss: { idle: 'Waiting.', turns: [BEGIN] }, worker: { idle: 'OK, will do.', turns } },
    });
    expect(await team.ended()).toMatchObject({ reason: 'failed', exit: 1 });
    const held = turns.length > 3;
    expect(team.of('member.nudged').map((fact) => fact.count)).toEqual(held ? [1, 2, 1, 2] : [1, 2]);
    expect(team.of('task.released').map((fact) => fact.reason)).toEqual(
      held ? ['no_progress', 'no_progress'] : [],
    );
    expect(team.of('task.failed')).toMatchObject([{ task: '#1', cause: 'no_progress' }]);
    expect(team.of('task.completed')).toEqual([]);
    const outcomes = team.of('turn.ended').filter((fact) => fact.member === 'worker');
    // A claim is a call; the answers to the nudges have neither a call nor a result.
    expect(outcomes.map((fact) => fact.outcome).filter((outcome) => outcome === 'no_progress')).toHaveLength(
      held ? 4 : 3,
    );
    expect(team.inputs('boss').join('\n')).toMatch(/ended as no_progress|has failed: offered to every/);
  });
});

/** Two workers that hold their tasks at gates while the lead's turn has ended. */
async function twoAtWork(lead: readonly Turn[], two: readonly Turn[]) {
  const at = await writeMission({
    recipe: { tasks: taskOf('one', 'two') },
    roles: { boss: {}, one: { base: 'write' }, two: { base: 'write' } },
    script: {
      boss: { idle: 'Waiting.', turns: lead },
      one: { idle: 'Ready.', turns: [works('#1', does(waitAt('one')))] },
      two: { idle: 'Ready.', turns: two },
    },
  });
  const gates = { one: await gate(at.workspace, 'one'), two: await gate(at.workspace, 'two') };
  const team = await startJob(at);
  for (const member of ['one', 'two']) await team.fact('tool.started', (fact) => fact.member === member);
  await team.fact('turn.ended', (fact) => fact.member === 'boss');
  return { team, gates };
}

describe('B38', () => {
  test('B38: a lead whose turn ends while two tasks run keeps the run open; the result comes after both', async () => {
    const { team, gates } = await twoAtWork(
      [
        when('', does(finish('done', 'Too early.')), hearing('cannot be closed yet', says('I wait.'))),
        when(['completed #1', 'completed #2'], does(finish('done', 'Both are done.'))),
      ],
      [works('#2', does(waitAt('two')))],
    );
    await passes();
    expect(team.live.state().phase.kind).toBe('running');
    expect(team.results('boss')[0]).toContain('still_open: the team cannot be closed yet; open: #1 (');
    await gates.one.open();
    await team.fact('task.completed', (fact) => fact.task === '#1');
    await passes();
    expect(team.of('run.finishing')).toEqual([]);
    await gates.two.open();
    expect(await team.ended()).toMatchObject({ reason: 'done', exit: 0, result: 'Both are done.' });
    const finished = numberOf(team, team.of('run.finishing')[0]);
    for (const fact of team.of('task.completed')) expect(numberOf(team, fact)).toBeLessThan(finished);
    expect(team.of('task.completed')).toHaveLength(2);
  });

  test('B38: the exit code covers a task that fails after the lead has ended its turn', async () => {
    const { team, gates } = await twoAtWork(
      [BEGIN, when('two has failed', says('A pity.')), when('last reminder', says('As it is.'))],
      [
        when('Task #2 is ready', does(claim('#2')), does(waitAt('two')), {
          fail: { kind: 'fatal', code: 'no-credit', message: 'no credit left' },
        }),
      ],
    );
    await gates.one.open();
    await team.fact('task.completed', (fact) => fact.task === '#1');
    await gates.two.open();
    expect(await team.ended()).toMatchObject({ reason: 'partial', exit: 3, result: 'As it is.' });
    expect(team.of('task.failed')).toMatchObject([{ task: '#2', cause: 'member_failed' }]);
  });
});

test('B41: a lead that says "I have delegated" and no more parks, and every completion wakes it', async () => {
  const { team, gates } = await twoAtWork(
    [
      when('', says('I have delegated.')),
      when('completed #1', says('One of two.')),
      when('completed #2', does(finish('done', 'Both.'))),
    ],
    [works('#2', does(waitAt('two')))],
  );
  expect(team.live.state().phase.kind).toBe('running');
  expect(team.live.state().members.get('boss')?.life.kind).toBe('idle');
  for (const [task, worker, open] of [
    ['#1', 'one', gates.one.open],
    ['#2', 'two', gates.two.open],
  ] as const) {
    await open();
    const done = await team.fact('task.completed', (fact) => fact.task === task);
    await team.fact(
      'turn.started',
      (fact) => fact.member === 'boss' && fact.cause === numberOf(team, done) + 1,
    );
    // What the lead hears next is the other completion alone.
    await team.fact('turn.ended', (fact) => fact.member === worker);
    await until(() => isQuiet(team.live.state().members.get('boss')), { what: 'the lead has read its mail' });
  }
  expect(await team.ended()).toMatchObject({ reason: 'done', result: 'Both.' });
});

function isQuiet(member: Member | undefined): boolean {
  return member?.life.kind !== 'working' && member?.unread.length === 0;
}

describe('B43', () => {
  test.each<[string, readonly Turn[]]>([
    ['makes no task', [when('', says('I have a plan.'))]],
    [
      'cannot write its plan down',
      [
        when(
          '',
          { calls: [{ tool: 'team_task_create', args: '{"tasks": [{"subject": "Half a' as never }] },
          hearing('team_task_create', does(create())),
          says('There it is.'),
        ),
      ],
    ],
  ])(
    'B43: a planner that %s is told twice, and the run fails with cause empty_plan and exit 1',
    async (_, turns) => {
      const team = await runMission({
        roles: { boss: {}, worker: {} },
        script: {
          boss: { idle: 'I have a plan.', turns },
          worker: { idle: 'Ready.', turns: [when('never', says('Never.'))] },
        },
      });
      expect(await team.ended()).toMatchObject({ reason: 'failed', cause: 'empty_plan', exit: 1 });
      expect(team.of('run.nudged').map((fact) => fact.about)).toEqual(['empty_plan', 'empty_plan']);
      const told = team.inputs('boss').filter((text) => text.includes('There is no task on the board'));
      expect(told).toHaveLength(2);
      expect(turnsOf(team, 'boss')).toHaveLength(3);
      expect(team.of('task.created')).toEqual([]);
      expect(turnsOf(team, 'worker')).toEqual([]);
    },
  );
});
