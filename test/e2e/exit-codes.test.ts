// spec/team.md §7: every reason, cause and exit code by a real run, with the last event, the last lines and what a resume is
// offered. The cause disk_full is in disk-full.test.ts, approval_revoked in skills-revoked.test.ts.
import { describe, expect, test } from 'vitest';
import { ask, block, does, finish, says, shell, update, when } from '../cases/play.js';
import { gate, waitAt } from '../helpers/gate.js';
import type { Mission } from '../helpers/team.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

const RUN = ['--auto-approve', 'all'];

/** A lead alone. */
function alone(...steps: readonly Parameters<typeof when>[1][]): Mission {
  return { roles: { boss: {} }, script: { boss: { idle: 'Nothing.', turns: [when('', ...steps)] } } };
}

/** The lead gives the only task up and closes the team. */
const givenUp = (task: Readonly<Record<string, unknown>> = {}): Mission => ({
  recipe: { tasks: [{ id: 'one', subject: 'Do one', ...task }] },
  roles: { boss: {} },
  script: {
    boss: {
      idle: 'Nothing.',
      turns: [when('', does(update('#1', { status: 'cancelled' })), finish('partial'))],
    },
  },
});

interface Row {
  readonly what: string;
  readonly mission: Mission;
  readonly words?: readonly string[];
  readonly exit: number;
  readonly reason: string;
  readonly cause?: string;
  readonly resumes: boolean;
  readonly open?: string;
}

const ROWS: readonly Row[] = [
  { what: 'a job well done', mission: oneTask([]), exit: 0, reason: 'done', resumes: false },
  {
    what: 'a board without tasks, closed by the lead',
    mission: alone(finish()),
    exit: 0,
    reason: 'done',
    resumes: false,
  },
  {
    what: 'a lead that reports failure',
    mission: alone(finish('failed')),
    exit: 1,
    reason: 'failed',
    cause: 'lead',
    resumes: false,
  },
  {
    what: 'a lead whose model fails',
    mission: alone({ fail: { kind: 'fatal', code: 'broken', message: 'it broke' } }),
    exit: 1,
    reason: 'failed',
    cause: 'error',
    resumes: true,
  },
  {
    what: 'an empty board and a lead that only talks',
    mission: alone(says('I see nothing to do.')),
    exit: 1,
    reason: 'failed',
    cause: 'empty_plan',
    resumes: true,
  },
  { what: 'a task given up', mission: givenUp(), exit: 3, reason: 'partial', resumes: false },
  {
    what: 'a question nobody can answer',
    mission: oneTask([does(ask('Which?'))]),
    exit: 4,
    reason: 'needs_human',
    resumes: true,
    open: '#1',
  },
  {
    what: 'a limit of turns',
    mission: oneTask([]),
    words: ['--limit', 'turns=1'],
    exit: 5,
    reason: 'budget',
    resumes: false,
    open: '#1',
  },
  {
    what: 'a limit of time',
    mission: oneTask([does(shell('sleep 2'))]),
    words: ['--limit', 'wall_minutes=0.02'],
    exit: 6,
    reason: 'deadline',
    resumes: false,
    open: '#1',
  },
  {
    what: 'a task that nobody can go on with',
    mission: oneTask([], {
      script: {
        worker: {
          idle: 'Ready.',
          turns: [
            when(
              'Task #1 is ready',
              does({ tool: 'team_task_claim', args: { task: '#1' } }, block('#1', 'no key')),
              says('I cannot.'),
            ),
          ],
        },
      },
    }),
    exit: 7,
    reason: 'stalled',
    resumes: true,
    open: '#1',
  },
  {
    what: 'a lead that wants to close with open work, and then falls silent',
    mission: {
      recipe: { tasks: [{ id: 'one', subject: 'Do one', role: 'absent' }], on_demand: ['absent'] },
      roles: { boss: {}, absent: {} },
      script: {
        boss: {
          idle: 'Nothing.',
          turns: [
            when(
              '',
              does({ tool: 'team_finish', args: { outcome: 'done', result: 'x' } }),
              says('It is refused.'),
            ),
          ],
        },
        absent: { idle: 'Nothing.', turns: [when('never', says('Never.'))] },
      },
    },
    exit: 7,
    reason: 'stalled',
    resumes: true,
    open: '#1',
  },
  {
    what: 'a required task without a result',
    mission: givenUp({ required: true }),
    exit: 8,
    reason: 'unverified',
    resumes: false,
  },
];

describe('every end has its exit code', () => {
  test.each(ROWS)(
    '$what: exit $exit, $reason',
    async ({ mission, words = [], exit, reason, cause, resumes, open }) => {
      const at = await job(mission);
      const run = await at.run([...RUN, ...words]);
      expect(run.stderr, run.stderr).toMatch(
        new RegExp(`^${reason} \\(exit ${exit}\\)${cause === undefined ? '' : `: ${cause}`}`, 'm'),
      );
      expect(run.exit).toBe(exit);
      const [ended, ...more] = await at.of('run.ended');
      expect(more).toEqual([]);
      expect(ended).toMatchObject({ reason, exit, cause: cause ?? null });
      expect((await at.facts()).at(-1)).toEqual(ended);
      // The last lines: why, what is open, what it cost, where the result is, how to go on where that helps.
      const id = await at.id();
      const last = run.stderr
        .slice(run.stderr.lastIndexOf(`${reason} (exit`))
        .trimEnd()
        .split('\n');
      expect(last[1]).toBe(`open tasks: ${open ?? 'none'}`);
      expect(last.filter((line) => /^cost: \d+\.\d{4} USD/.test(line))).toHaveLength(1);
      const result = ended?.result ?? null;
      expect(last.find((line) => line.startsWith('result: '))).toBe(
        result === null ? 'result: none' : `result: on stdout; again with bnerd team result ${id}`,
      );
      expect(run.stdout).toBe(result === null ? '' : `${result}\n`);
      expect(last.filter((line) => line === `resume: bnerd team resume ${id}`)).toHaveLength(resumes ? 1 : 0);
    },
  );

  test('refused before the start: exit 2, nothing was created', async () => {
    const at = await job(oneTask([]));
    const run = await at.bnerd(['team', 'run', 'jbo']);
    expect(run).toMatchObject({ exit: 2, stdout: '' });
    expect(await at.ids()).toEqual([]);
  });

  test.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s: exit %i, cancelled', async (signal, exit) => {
    const at = await job(oneTask([does(waitAt('hold'))]));
    await gate(at.workspace, 'hold');
    const program = await at.start(RUN);
    await at.fact('tool.started');
    program.signal(signal);
    const run = await program.ended;
    expect(run).toMatchObject({ exit, stdout: '' });
    expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit, open_tasks: ['#1'] }]);
    expect(run.stderr).toContain(`\nresume: bnerd team resume ${await at.id()}\n`);
  });
});
