// A member that waits for somebody's word goes on with it (case A23).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/runtime/operator-words.js';
import type { RunOrder } from '../../src/runtime/plan/prepare-run.js';
import { type Mission, startJob, type WatchedTeam, writeMission } from '../helpers/team.js';
import { numberOf, taskOf, transcriptOf, turnsOf } from './look.js';
import {
  ask,
  type Call,
  claim,
  complete,
  does,
  expectInvariants,
  hearing,
  type Step,
  says,
  type Turn,
  when,
  write,
} from './play.js';

/** A worker with one task whose steps are given; the lead has what turns it needs. */
function mission(steps: readonly Step[], lead: readonly Turn[] = [], plan = false): Mission {
  return {
    recipe: { tasks: taskOf('worker'), plan_approval: plan },
    roles: { boss: {}, worker: { base: 'write', ...(plan ? { permissionMode: 'plan' } : {}) } },
    script: {
      boss: { idle: 'Waiting.', turns: [when('', says('Begin.')), ...lead] },
      worker: {
        idle: 'Ready.',
        turns: [
          when('Task #1 is ready', does(claim('#1')), ...steps, does(complete('#1')), says('Reported.')),
        ],
      },
    },
  };
}

const submit = (plan: string): Call => ({ tool: 'team_plan_submit', args: { plan } });

/** The lead reads the digest of the plan it was sent, and decides that one. */
function decides(awaited: string, decision: 'approve' | 'revise', feedback?: string): Turn {
  const args = {
    member: 'worker',
    plan_digest: '{{digest}}',
    decision,
    ...(feedback === undefined ? {} : { feedback }),
  };
  return when(
    awaited,
    { capture: { digest: '"plan_digest":"(\\w+)"' }, calls: [{ tool: 'team_plan_decide', args }] },
    says('Decided.'),
  );
}

/** Every decision woke the worker: the next turn of anybody that starts is its, because of that very decision. */
function expectWoken(team: WatchedTeam, decisions: number): void {
  const decided = team.of('request.decided').filter((fact) => fact.by.kind !== 'policy');
  expect(decided).toHaveLength(decisions);
  const turns = turnsOf(team, 'worker');
  expect(turns.slice(1, 1 + decisions).map((fact) => fact.cause)).toEqual(
    decided.map((fact) => numberOf(team, fact)),
  );
  for (const fact of decided) {
    const after = team.journal.slice(
      team.journal.findIndex((row) => row.kind === 'fact' && row.fact === fact),
    );
    const next = after.find((row) => row.kind === 'fact' && row.fact.type === 'turn.started');
    expect(next).toMatchObject({ fact: { member: 'worker', cause: numberOf(team, fact) } });
    const before = next === undefined ? [] : after.slice(0, after.indexOf(next));
    expect(before.map(typeOf)).not.toContain('run.nudged');
  }
  expect(team.of('request.opened').map((fact) => fact.request)).toEqual([
    ...new Set(team.of('request.decided').map((fact) => fact.request)),
  ]);
  expectInvariants(team);
}

function typeOf(row: WatchedTeam['journal'][number]): string {
  return row.kind === 'fact' ? row.fact.type : row.entry.kind;
}

/** What the worker's model is sent first in its second turn. */
function firstOf(team: WatchedTeam, turn: number): string {
  const number = numberOf(team, turnsOf(team, 'worker')[turn - 1]);
  const [, entry] = transcriptOf(team, 'worker').filter(({ id }) => id.startsWith(`${number}-`));
  return entry?.kind === 'result' ? entry.text : '';
}

describe('A23', () => {
  test('A23: the lead approves a plan, and the idle worker goes on with it at once', async () => {
    const at = await writeMission(
      mission(
        [
          does(submit('Write the report.')),
          hearing('is approved by the lead', does(write('report.md', 'Said.\n'))),
        ],
        [decides('asks you to approve', 'approve')],
        true,
      ),
    );
    const team = await startJob(at);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expectWoken(team, 1);
    expect(firstOf(team, 2)).toMatch(/^Your plan \(r1\) is approved by the lead\./);
    expect(await readFile(join(at.workspace, 'report.md'), 'utf8')).toBe('Said.\n');
  });

  test('A23: a plan sent back wakes its worker with the feedback, and so does the word on the next version', async () => {
    const at = await writeMission(
      mission(
        [
          does(submit('Write.')),
          hearing(['needs a revision', 'Say what you write'], does(submit('Write the report.'))),
          hearing('is approved by the lead', does(write('report.md', 'Said.\n'))),
        ],
        [decides('version 1', 'revise', 'Say what you write.'), decides('version 2', 'approve')],
        true,
      ),
    );
    const team = await startJob(at);
    expect(await team.ended()).toMatchObject({ reason: 'done' });
    expectWoken(team, 2);
    expect(firstOf(team, 2)).toContain('Say what you write.');
    expect(team.of('plan.submitted').map((fact) => fact.version)).toEqual([1, 2]);
  });

  const CASES: readonly (readonly [string, Step, string, Answer, string, Partial<RunOrder>])[] = [
    [
      'an answer to a question',
      does(ask('Which colour?')),
      'blue',
      { kind: 'text', text: 'blue' },
      'The operator answers r1:\nblue',
      {},
    ],
    [
      'a question that is skipped',
      does(ask('Which colour?')),
      'skipped',
      { kind: 'skip' },
      'skipped: decide yourself and state the assumption',
      {},
    ],
    [
      'a confirmation',
      does(write('report.md', 'Said.\n')),
      'report.md',
      { kind: 'approve' },
      'report.md',
      { autoApprove: 'never' },
    ],
    [
      'a denial',
      does(write('report.md', 'Said.\n')),
      'denied',
      { kind: 'deny' },
      'denied, not run: r1 was denied by the operator.',
      { autoApprove: 'never' },
    ],
  ];

  test.each(CASES)(
    'A23: %s wakes the worker that waits for it',
    async (_, step, heard, answer, told, order) => {
      const at = await writeMission(
        mission([step, hearing(heard, does({ tool: 'team_task_list', args: {} }))]),
      );
      const team = await startJob(at, order, true);
      await team.fact('turn.ended', (fact) => fact.member === 'worker' && fact.outcome === 'parked');
      expect(team.live.state().members.get('worker')?.life).toMatchObject({ kind: 'parked', request: 'r1' });
      expect(await team.live.answer('r1', answer)).toMatchObject({ kind: 'accepted' });
      expect(await team.ended()).toMatchObject({ reason: 'done' });
      expectWoken(team, 1);
      expect(firstOf(team, 2)).toContain(told);
    },
  );
});
