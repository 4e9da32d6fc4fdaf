// One call of a member: found, judged, asked about, recorded, run (spec/team.md §2, §3; spec/engine.md §2).
import { readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerRequest } from '../../src/runtime/operator.js';
import { crashAt } from '../cases/crash.js';
import { ask, type Call, does, finish, type Step, says, shell, when, works, write } from '../cases/play.js';
import {
  type Mission,
  resumeJob,
  runMission,
  startJob,
  type WatchedTeam,
  writeMission,
} from '../helpers/team.js';
import { until } from '../helpers/until.js';

/** A worker with one task that takes these steps; the lead closes the team. */
function worker(steps: readonly Step[], role: object = {}, recipe: object = {}): Mission {
  return {
    recipe: { ...recipe, tasks: [{ id: 'job', subject: 'Do it', role: 'worker' }] },
    roles: { boss: {}, worker: { base: 'write', ...role } },
    script: {
      boss: { idle: 'Waiting.', turns: [when('has completed #1', finish())] },
      worker: { idle: 'Ready.', turns: [works('#1', ...steps)] },
    },
    files: { 'notes.txt': 'one\n' },
  };
}

const read = (path: string): Call => ({ tool: 'fs_read_file', args: { path } });

/** The results of a member with their outcomes, those of claim and complete left out. */
function outcomes(team: WatchedTeam, member = 'worker'): [string, string][] {
  return team.transcripts
    .flatMap(({ member: of, entry }): [string, string][] =>
      of === member && entry.kind === 'result' ? [[entry.outcome, entry.text]] : [],
    )
    .slice(1, -1);
}

const parked = (team: WatchedTeam): Promise<string> =>
  until(
    () => {
      const life = team.live.state().members.get('worker')?.life;
      return life?.kind === 'parked' ? life.request : undefined;
    },
    { what: 'the worker is parked' },
  );

describe('what is not run', () => {
  test('a tool that is not there is an answer that names the nearest', async () => {
    const team = await runMission(worker([does({ tool: 'fs_raed_file', args: {} })]));
    expect(outcomes(team)).toEqual([
      ['error', 'there is no tool fs_raed_file; did you mean "fs_read_file"?'],
    ]);
    expect((await team.ended()).reason).toBe('done');
  });

  test('arguments that do not fit are refused by name, also of coordination and request tools', async () => {
    const team = await runMission(
      worker([
        does(
          { tool: 'fs_read_file', args: { pth: 'notes.txt' } },
          { tool: 'team_task_get', args: {} },
          { tool: 'ask_question', args: { question: '' } },
        ),
      ]),
    );
    expect(outcomes(team).map(([outcome]) => outcome)).toEqual(['error', 'error', 'error']);
    const [file, task, question] = outcomes(team).map(([, text]) => text);
    expect(file).toContain('path');
    expect(task).toMatch(/task/);
    expect(question).toMatch(/question/);
    expect(team.of('request.opened')).toEqual([]);
  });

  test('a call that a rule denies is denied, whatever --auto-approve says, and the row is named', async () => {
    const team = await runMission(
      worker(
        [does(write('a.txt', 'x'))],
        {},
        { permissions: [{ tool: 'fs_write_file', match: 'a*', decision: 'deny' }] },
      ),
    );
    expect(outcomes(team)).toEqual([['denied', 'denied, not run: rule of recipe: deny fs_write_file a*']]);
    expect(team.of('tool.started')).toEqual([]);
  });

  test('a destructive command is denied below the safety floor full', async () => {
    const team = await runMission(worker([does(shell('rm -rf notes.txt'))]));
    expect(outcomes(team)).toEqual([
      [
        'denied',
        'denied, not run: safety non-destructive does not admit destructive tools; the line runs rm',
      ],
    ]);
  });

  test('more calls in one reply than the limit are refused one by one; those within it ran', async () => {
    const team = await runMission(worker([does(read('notes.txt'), read('notes.txt'), read('notes.txt'))]), {
      limits: new Map([['calls_per_reply', '2']]),
    });
    expect(outcomes(team).map(([outcome]) => outcome)).toEqual(['ok', 'ok', 'error']);
    expect(outcomes(team)[2]?.[1]).toBe('not run: a reply may hold 2 calls (limits.calls_per_reply)');
  });

  test('more calls in one turn than the limit end the turn; the open ones have a result when the next turn goes on', async () => {
    const team = await runMission(
      worker([does(read('notes.txt'), read('notes.txt'), read('notes.txt'), read('notes.txt'))]),
      { limits: new Map([['calls_per_turn', '3']]) },
    );
    expect((await team.ended()).reason).toBe('done');
    const ended = team
      .of('turn.ended')
      .filter((fact) => fact.member === 'worker' && fact.outcome === 'limit');
    expect(ended[0]).toMatchObject({ detail: 'calls_per_turn', calls: 3 });
    expect(outcomes(team).map(([outcome]) => outcome)).toEqual(['ok', 'ok', 'cancelled', 'cancelled']);
    expect(outcomes(team).at(-1)?.[1]).toBe(
      'not run: the turn is over (limits.calls_per_turn); ask for it again if you still need it',
    );
  });
});

describe('plan mode', () => {
  const PLANNER = { permissionMode: 'plan' };
  const submit = (plan: string): Call => ({ tool: 'team_plan_submit', args: { plan } });

  test('write tools are absent until the plan is approved, and a call anyway is denied', async () => {
    const at = await writeMission(
      worker(
        [does(write('a.txt', 'too early')), does(submit('I write a.txt')), does(write('a.txt', 'planned'))],
        { ...PLANNER, approver: 'operator' },
        { plan_approval: true },
      ),
    );
    const team = await startJob(at, {}, true);
    const request = await parked(team);
    expect(await team.live.answer(request, { kind: 'approve' })).toMatchObject({ kind: 'accepted' });
    expect((await team.ended()).reason).toBe('done');
    expect(outcomes(team)).toEqual([
      ['denied', 'denied, not run: plan mode: no write tool before the plan is approved'],
      ['ok', 'Your plan (r1) is approved by the operator. Carry it out.'],
      ['ok', expect.stringContaining('a.txt')],
    ]);
    expect(await readFile(join(at.workspace, 'a.txt'), 'utf8')).toBe('planned');
  });

  test('a plan that is to be revised comes back with the words of who decided it', async () => {
    const team = await startJob(
      await writeMission(
        worker(
          [does(submit('first')), does(submit('second'))],
          { ...PLANNER, approver: 'operator' },
          { plan_approval: true },
        ),
      ),
      {},
      true,
    );
    await team.live.answer(await parked(team), { kind: 'revise', text: 'be careful' });
    await until(() => team.of('plan.submitted').length === 2, { what: 'a second version' });
    await team.live.answer('r2', { kind: 'approve' });
    await team.ended();
    expect(outcomes(team)[0]?.[1]).toBe(
      'Your plan (r1) needs a revision; submit a new version with team_plan_submit.\nbe careful',
    );
    expect(team.of('plan.submitted').map((fact) => fact.version)).toEqual([1, 2]);
  });

  test('the feedback of a lead is another agent’s text and stands in a fence', async () => {
    const mission = worker([does(submit('first')), does(submit('second'))], PLANNER, { plan_approval: true });
    const decide = (decision: string, feedback: string): Step => ({
      capture: { digest: 'plan_digest":"([0-9a-f]+)"' },
      calls: [
        {
          tool: 'team_plan_decide',
          args: { member: 'worker', plan_digest: '{{digest}}', decision, feedback },
        },
      ],
    });
    const team = await runMission({
      ...mission,
      script: {
        ...mission.script,
        boss: {
          idle: 'Waiting.',
          turns: [
            when('version 1 ', decide('revise', 'Approve? yes'), says('Said.')),
            when('version 2 ', decide('approve', ''), says('Said.')),
            when('has completed #1', finish()),
          ],
        },
      },
    });
    expect((await team.ended()).reason).toBe('done');
    expect(outcomes(team)[0]?.[1]).toMatch(
      /^Your plan \(r1\) needs a revision; .*\n<<feedback r1 by boss ~\w+\nApprove\? yes\n~\w+>>$/,
    );
  });
});

describe('a call that needs a confirmation', () => {
  const WRITES = worker([does(write('a.txt', 'x'))]);

  test('is answered by a rule, recorded with it, and its approval is used up', async () => {
    const team = await runMission(
      {
        ...WRITES,
        recipe: {
          ...WRITES.recipe,
          permissions: [{ tool: 'fs_write_file', match: 'a.txt', decision: 'allow' }],
        },
      },
      { autoApprove: 'never' },
    );
    expect((await team.ended()).reason).toBe('done');
    const [opened] = team.of('request.opened');
    const [started] = team.of('tool.started');
    expect(opened).toMatchObject({ kind: 'confirmation', class: 'write', summary: 'write a.txt (1 bytes)' });
    expect(team.of('request.decided')).toMatchObject([
      { decision: 'approve', by: { kind: 'policy', name: 'rule of recipe: allow fs_write_file a.txt' } },
    ]);
    expect(started).toMatchObject({ request: 'r1', digest: opened?.digest });
    expect(team.live.state().requests.get('r1')?.status).toMatchObject({ used: true });
  });

  test('ends the run as needs_human when nobody can answer; the answer is recorded and the resume runs the call once', async () => {
    const at = await writeMission(WRITES);
    const first = await startJob(at, { autoApprove: 'never' });
    expect(await first.ended()).toMatchObject({
      reason: 'needs_human',
      exit: 4,
      openRequests: ['r1'],
      resumable: true,
    });
    const answered = await answerRequest(at.house, first.live.id, 'r1', 'yes');
    expect(answered).toMatchObject({ kind: 'done', live: false });
    expect(JSON.stringify(answered)).toContain(`bnerd team resume ${first.live.id}`);
    const second = await resumeJob(at, first.live.id);
    expect(await second.ended()).toMatchObject({ reason: 'done' });
    expect(second.of('tool.started')).toHaveLength(1);
    expect(await readFile(join(at.workspace, 'a.txt'), 'utf8')).toBe('x');
  });

  test('a denial is told with its decider, and the call is not run', async () => {
    const at = await writeMission(WRITES);
    const team = await startJob(at, { autoApprove: 'never' }, true);
    await team.live.answer(await parked(team), { kind: 'deny' });
    expect((await team.ended()).reason).toBe('done');
    expect(outcomes(team)).toEqual([['denied', 'denied, not run: r1 was denied by the operator.']]);
    await expect(readFile(join(at.workspace, 'a.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('expiry is a state of its own: the member is told that it was not run, and that it is no denial', async () => {
    const team = await startJob(
      await writeMission(WRITES),
      { autoApprove: 'never', requestTimeoutMs: 50 },
      true,
    );
    expect((await team.ended()).reason).toBe('done');
    expect(team.of('request.expired')).toHaveLength(1);
    expect(team.of('request.decided')).toEqual([]);
    expect(outcomes(team)).toEqual([
      [
        'expired',
        expect.stringMatching(
          /^r1 expired at \d.* of the run, 50 ms after it was asked: the call was not run and will not be, .*\. This is no denial: nobody has decided it\./,
        ),
      ],
    ]);
  });

  test('an approval of one call is none of another: when its class has changed by then, it is not run', async () => {
    const at = await writeMission(worker([does(shell('cat notes.txt'))]));
    const first = await startJob(at, { autoApprove: 'never' });
    expect(await first.ended()).toMatchObject({ reason: 'needs_human' });
    expect(first.of('request.opened')).toMatchObject([{ class: 'read' }]);
    await answerRequest(at.house, first.live.id, 'r1', 'yes');
    // What was a plain read is one of a link out of the workspace now: another class than was approved.
    await rm(join(at.workspace, 'notes.txt'));
    await symlink('/etc/hostname', join(at.workspace, 'notes.txt'));
    const second = await resumeJob(at, first.live.id);
    await second.ended();
    const [result] = second.results('worker');
    expect(result).toContain('not run: r1 approved another call than this one');
  });
});

describe('questions', () => {
  test('the answer is told as the operator’s; a skipped one as skipped', async () => {
    const team = await startJob(
      await writeMission(worker([does(ask('Which?')), does(ask('And?'))])),
      {},
      true,
    );
    await team.live.answer(await parked(team), { kind: 'text', text: 'this one' });
    await until(() => team.of('request.opened').length === 2, { what: 'a second question' });
    await team.live.answer('r2', { kind: 'skip' });
    await team.ended();
    expect(outcomes(team)).toEqual([
      ['ok', 'The operator answers r1:\nthis one'],
      ['ok', 'skipped: decide yourself and state the assumption'],
    ]);
  });

  test('--auto-skip-questions answers at once, as policy', async () => {
    const team = await runMission(worker([does(ask('Which?'))]), { autoSkipQuestions: true });
    expect(outcomes(team)).toEqual([['ok', 'skipped: decide yourself and state the assumption']]);
    expect(team.of('request.decided')).toMatchObject([
      { decision: 'skip', by: { kind: 'policy', name: '--auto-skip-questions' } },
    ]);
  });
});

describe('after a crash', () => {
  test('a Write call that had started is reported as interrupted and never repeated', async () => {
    const at = await writeMission(worker([does(shell('echo again >> effects'))]));
    const crashed = await crashAt(
      at,
      await startJob(at),
      (row) => row.kind === 'fact' && row.fact.type === 'tool.started',
    );
    const team = await resumeJob(at, crashed.id);
    expect((await team.ended()).reason).toBe('done');
    expect(team.results('worker')[0]).toMatch(/^interrupted: .* unknown whether it took effect/);
    expect(team.of('tool.started')).toEqual([]);
    await expect(readFile(join(at.workspace, 'effects'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a Read call without a result is repeated', async () => {
    const at = await writeMission(worker([does(read('notes.txt'))]));
    const crashed = await crashAt(
      at,
      await startJob(at),
      ({ ...row }) =>
        row.kind === 'transcript' &&
        row.entry.kind === 'reply' &&
        row.entry.calls.some((call) => call.tool === 'fs_read_file'),
    );
    const team = await resumeJob(at, crashed.id);
    expect((await team.ended()).reason).toBe('done');
    expect(team.results('worker')[0]).toContain('one');
  });
});
