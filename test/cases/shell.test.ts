// Cases of a member's shell, and of what comes before --auto-approve: ../shared/cases/teamwork.md.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemProcessTable } from '../../src/shared/process-table.js';
import { type Mission, startJob, type WatchedTeam, writeMission } from '../helpers/team.js';
import { until } from '../helpers/until.js';
import {
  type Call,
  does,
  expectInvariants,
  finish,
  hearing,
  type Step,
  shell,
  when,
  works,
  write,
} from './play.js';

function worker(steps: readonly Step[], role: object = {}, recipe: object = {}): Mission {
  return {
    recipe: { ...recipe, tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
    roles: { boss: {}, worker: { base: 'write', ...role } },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      worker: { idle: 'Ready.', turns: [works('#1', ...steps)] },
    },
  };
}

/** The results of the worker between its claim and its completion. */
const results = (team: WatchedTeam): [string, string][] =>
  team.transcripts
    .flatMap(({ member, entry }): [string, string][] =>
      member === 'worker' && entry.kind === 'result' ? [[entry.outcome, entry.text]] : [],
    )
    .slice(1, -1);

test('E118: auto mode and a plan that is required: the plan gate wins, and a deny rule beats both', async () => {
  const submit = (plan: string): Call => ({ tool: 'team_plan_submit', args: { plan } });
  const mission = worker(
    [
      does(write('a.txt', 'too early'), shell('echo early > b.txt')),
      does(submit('I write a.txt')),
      does(write('a.txt', 'planned'), write('secret.txt', 'x'), shell('env touch secret.txt')),
    ],
    { permissionMode: 'plan', approver: 'operator' },
    {
      plan_approval: true,
      permissions: [
        { tool: 'fs_write_file', match: 'secret*', decision: 'deny' },
        { tool: 'shell_exec', match: 'touch *', decision: 'deny' },
        { tool: '*', decision: 'allow' },
      ],
    },
  );
  const at = await writeMission(mission);
  const team = await startJob(at, { autoApprove: 'all' }, true);
  const plan = await until(
    () => {
      const life = team.live.state().members.get('worker')?.life;
      return life?.kind === 'parked' ? life.request : undefined;
    },
    { what: 'the worker waits for its plan' },
  );
  // The plan gate wins: auto mode has approved neither the plan nor a write before it.
  expect(team.of('request.decided')).toEqual([]);
  expect(team.of('tool.started')).toEqual([]);
  expect(existsSync(join(at.workspace, 'a.txt')) || existsSync(join(at.workspace, 'b.txt'))).toBe(false);
  expect(await team.live.answer(plan, { kind: 'approve' })).toMatchObject({ kind: 'accepted' });
  expect((await team.ended()).reason).toBe('done');
  expect(results(team)).toEqual([
    ['denied', 'denied, not run: plan mode: no write tool before the plan is approved'],
    ['denied', 'denied, not run: plan mode: no write tool before the plan is approved'],
    ['ok', 'Your plan (r1) is approved by the operator. Carry it out.'],
    ['ok', expect.stringContaining('a.txt')],
    // Deny rules beat both.
    ['denied', 'denied, not run: rule of recipe: deny fs_write_file secret*'],
    ['denied', 'denied, not run: rule of recipe: deny shell_exec touch *'],
  ]);
  expect(await readFile(join(at.workspace, 'a.txt'), 'utf8')).toBe('planned');
  expectInvariants(team);
});

test.each(['kestrel', 'plover'])(
  'B40: a background command of a worker that ends its turn: its output so far (%s) and its end are in the result',
  async (word) => {
    const background = `(echo ${word}; sleep 60; echo late > late.txt) & until [ -e up ]; do sleep 0.02; : > up; done; echo started`;
    const mission = worker([
      does(shell(background)),
      // Output is not lost silently: what it wrote, and that it was ended, is in the very next input of its model.
      hearing(
        ['were still running in the background and ended with SIGTERM', word],
        does(shell(`echo heard ${word}`)),
      ),
    ]);
    const at = await writeMission(mission);
    const team = await startJob(at);
    expect((await team.ended()).reason).toBe('done');
    const [ran, heard] = results(team);
    expect(ran?.[1]).toMatch(
      /^exit 0\n2 processes were still running in the background and ended with SIGTERM\n/,
    );
    expect(ran?.[1]).toContain(word);
    expect(ran?.[1]).toContain('started');
    expect(heard).toEqual(['ok', `exit 0\nheard ${word}`]);
    // The tool promises no notification, and nothing of the command is left or has gone on.
    const offered = team.live.state().run?.seats.flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toContain('shell_exec');
    expect(existsSync(join(at.workspace, 'late.txt'))).toBe(false);
    const table = systemProcessTable();
    for (const { pid } of await table.rows()) {
      expect(await table.environment(pid)).not.toContain(`BNERD_TEAM=${team.live.id}`);
    }
  },
);
