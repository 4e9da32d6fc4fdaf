// spec/team.md §7 through the program: commands to a team that another process runs.

import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, does, finish, shell, when } from '../cases/play.js';
import type { RunningBnerd } from '../helpers/bnerd.js';
import { whereTeamsHave } from '../helpers/engines.js';
import { gate, waitAt } from '../helpers/gate.js';
import { running } from '../helpers/running.js';
import { until } from '../helpers/until.js';
import { type Job, job } from './job.js';
import { oneTask, worksOn } from './missions.js';

const RUN = ['--auto-approve', 'all'];

/** The worker waits at a gate, the asker for an answer; both have a task. */
const BUSY = oneTask([], {
  recipe: {
    tasks: [
      { id: 'one', subject: 'Do one', role: 'worker' },
      { id: 'two', subject: 'Do two', role: 'asker' },
    ],
  },
  roles: { boss: {}, worker: { base: 'write' }, asker: { base: 'write' } },
  script: {
    boss: { idle: 'Waiting.', turns: [when(['has completed #1', 'has completed #2', 'read on'], finish())] },
    worker: { idle: 'Ready.', turns: [worksOn('#1', does(waitAt('hold')))] },
    asker: {
      idle: 'Ready.',
      turns: [
        worksOn('#2', does(ask('Which of the two?')), {
          capture: { word: 'take the (\\w+)' },
          calls: [shell('echo "took {{word}}"')],
        }),
      ],
    },
  },
});

async function busy(): Promise<{ at: Job; id: string; program: RunningBnerd; open: () => Promise<void> }> {
  const at = await job(BUSY);
  const hold = await gate(at.workspace, 'hold');
  const program = await at.start(RUN);
  await at.fact('tool.started');
  await at.fact('request.opened', (fact) => fact.kind === 'question');
  return { at, id: await at.id(), program, open: () => hold.open() };
}

describe('a team that runs', () => {
  test('status, ps and requests show it, with the process that runs it', async () => {
    const { at, id, program } = await busy();
    const status = await at.bnerd(['team', 'status', id]);
    expect(status).toMatchObject({ exit: 0, stderr: '' });
    expect(status.stdout).toMatch(/^phase: {3}running$/m);
    expect(status.stdout).toMatch(new RegExp(`^process: pid ${program.pid} on `, 'm'));
    expect(status.stdout).not.toContain('bnerd team resume');
    expect(JSON.parse((await at.here(['team', 'status', id, '--json'])).stdout)).toMatchObject({
      live: true,
      holder: expect.stringContaining(`pid ${program.pid}`),
      phase: 'running',
      reason: null,
      waiting: [],
    });
    expect((await at.bnerd(['team', 'ps'])).stdout).toMatch(/ live +open: 2 tasks, 1 requests/);
    const [request] = await at
      .of('request.opened')
      .then((all) => all.filter((fact) => fact.kind === 'question'));
    expect((await at.bnerd(['team', 'requests', id])).stdout).toContain(
      `${request?.request} question of asker`,
    );
    expect(await at.bnerd(['team', 'result', id])).toMatchObject({
      exit: 1,
      stdout: '',
      stderr: `${id} has no result: it has not ended\n`,
    });
    expect(await at.here(['team', 'verify', id])).toMatchObject({ exit: 0 });
    expect((await at.bnerd(['team', 'transcript', id, 'worker'])).stdout).toContain('shell_exec');
  });

  test('answer and send reach it at once, and it goes on to its end', async () => {
    const { at, id, program, open } = await busy();
    const question = await at.fact('request.opened', (fact) => fact.kind === 'question');
    const answer = await at.bnerd(['team', 'answer', id, question.request, 'take the second']);
    expect(answer).toMatchObject({ exit: 0, stdout: '' });
    expect(answer.stderr).toContain(question.request);
    await at.fact('task.completed', (fact) => fact.task === '#2');
    expect(await at.results('asker')).toContain('exit 0\ntook second');
    const twice = await at.here(['team', 'answer', id, question.request, 'take the first']);
    expect(twice.exit).toBe(2);
    const said = await at.bnerd(['team', 'send', id, 'lead', 'read on']);
    expect(said).toMatchObject({ exit: 0, stdout: '' });
    const nobody = await at.here(['team', 'send', id, 'wroker', 'read on']);
    expect(nobody.exit).toBe(2);
    await open();
    const run = await program.ended;
    expect(run).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
    // One writer: the words of other processes went through it.
    expect((await at.of('request.decided')).filter((fact) => fact.by.kind === 'operator')).toHaveLength(1);
    expect(await at.of('run.resumed')).toEqual([]);
  });

  test('watch shows what it asks and ends with it; Ctrl-C ends the watching alone', async () => {
    const { at, id, program, open } = await busy();
    const question = await at.fact('request.opened', (fact) => fact.kind === 'question');
    const left = await at.startBnerd(['team', 'watch', id]);
    await left.says(
      /─── ASK ─+\n {2}asker: Which of the two\?\n {2}answer: bnerd team answer \S+ r\d <text>\n/,
    );
    left.signal('SIGINT');
    expect(await left.ended).toMatchObject({ exit: 130 });
    expect(await at.of('run.stopping')).toEqual([]);
    const watch = await at.startBnerd(['team', 'watch', id]);
    const events = await at.startBnerd(['team', 'watch', id, '--json']);
    await at.here(['team', 'answer', id, question.request, 'take the second']);
    await at.here(['team', 'send', id, 'lead', 'read on']);
    await open();
    expect((await program.ended).exit).toBe(0);
    const seen = await watch.ended;
    expect(seen).toMatchObject({ exit: 0, stderr: '' });
    expect(seen.stdout).toMatch(/^\[asker\] task #2 completed: /m);
    expect(seen.stdout).toMatch(/^done \(exit 0\)$/m);
    const told = await events.ended;
    expect(told.exit).toBe(0);
    expect(told.lines.map(({ n }) => n)).toEqual((await at.facts()).map((_, place) => place + 1));
    expect(told.lines.at(-1)).toMatchObject({ type: 'run.ended', reason: 'done' });
  });

  test('stop of one member ends what it runs; its task goes back to the board', async () => {
    const { at, id, program } = await busy();
    // The start of a tool is recorded before its process is there.
    await until(async () => (await running({ marker: `BNERD_TEAM=${id}` })).length > 0, {
      what: 'its process',
    });
    const stop = await at.bnerd(['team', 'stop', id, 'worker']);
    expect(stop).toMatchObject({ exit: 0, stdout: '' });
    expect(stop.stderr).toMatch(/^worker is stopping: its turn is called off; its tasks are back when/);
    // Nothing else can move but by an answer, which nobody can give there.
    const run = await program.ended;
    expect(run.exit).toBe(4);
    expect(await running({ marker: `BNERD_TEAM=${id}` })).toEqual([]);
    const status = await at.bnerd(['team', 'status', id]);
    expect(status.stdout).toMatch(/^ {2}- worker: stopped, /m);
    expect(status.stdout).toMatch(/^ {2}#1 pending: Do one$/m);
  });

  test('stop of a member that waits withdraws its request; what another runs goes on', async () => {
    const { at, id, program, open } = await busy();
    const question = await at.fact('request.opened', (fact) => fact.kind === 'question');
    expect(await at.bnerd(['team', 'stop', id, 'asker'])).toMatchObject({ exit: 0 });
    expect(await at.of('request.withdrawn')).toMatchObject([{ request: question.request }]);
    const answer = await at.bnerd(['team', 'answer', id, question.request, 'take the first']);
    expect(answer.exit).toBe(2);
    expect(answer.stderr).toMatch(/withdrawn/);
    await open();
    await at.fact('task.completed', (fact) => fact.task === '#1');
    // Nobody is there for its task any more: the lead is told, and told again.
    const run = await program.ended;
    expect(run.exit).toBe(7);
    expect(run.stderr).toMatch(/^stalled \(exit 7\): .*#2/m);
    expect(await at.results('worker')).toContain('exit 0\nopen');
  });

  test('stop --force kills at once what does not listen', async () => {
    const at = await job(
      oneTask([does(shell("trap '' TERM; echo up > up; while :; do sleep 600 & wait; done"))]),
    );
    const program = await at.start([...RUN, '--grace', '10m']);
    await at.files('up');
    const id = await at.id();
    expect(await at.bnerd(['team', 'stop', id, '--force'])).toMatchObject({
      exit: 0,
      stderr: 'the team is being killed\n',
    });
    expect((await program.ended).exit).toBe(130);
    expect(await running({ marker: `BNERD_TEAM=${id}` })).toEqual([]);
    expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 130 }]);
  });

  test('cleanup without a terminal and without --yes is refused and the team works on; with --yes it is stopped and archived', async () => {
    const { at, id, program } = await busy();
    expect(await at.bnerd(['team', 'cleanup', id])).toMatchObject({ exit: 2, stdout: '' });
    expect(await at.bnerd(['team', 'status', id])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('running'),
    });
    expect(await at.bnerd(['team', 'cleanup', id, '--yes'])).toMatchObject({ exit: 0, stdout: '' });
    expect((await program.ended).exit).toBe(130);
    expect(await at.ids()).toEqual([]);
    const log = await readFile(join(at.place.state, 'archive', id, 'log.jsonl'), 'utf8');
    expect(log).toContain('"reason":"cancelled"');
    expect(log).toContain('"run.archived"');
  });

  whereTeamsHave('owner', () => {
    test('its control socket is in a folder of its own, for this user alone, and gone with the team', async () => {
      const { at, program, id } = await busy();
      const socket = String((await at.lock())['socket']);
      expect(Buffer.byteLength(socket)).toBeLessThan(100);
      expect((await stat(socket)).mode & 0o777).toBe(0o600);
      expect((await stat(dirname(socket))).mode & 0o777).toBe(0o700);
      const folder = await at.folder();
      for (const path of [at.place.state, folder, join(folder, 'lock'), join(folder, 'transcripts')]) {
        expect((await stat(path)).mode & 0o777, path).toBe(0o700);
      }
      expect((await stat(join(folder, 'log.jsonl'))).mode & 0o777).toBe(0o600);
      await at.bnerd(['team', 'stop', id]);
      await program.ended;
      await expect(stat(dirname(socket))).rejects.toMatchObject({ code: 'ENOENT' });
    });
  });

  whereTeamsHave('owner', () => {
    test('a process that is there and does not answer is named; nothing is written past it, and its outcome is called unknown', async () => {
      const { at, id, program } = await busy();
      program.signal('SIGSTOP');
      const before = await readFile(join(await at.folder(), 'log.jsonl'), 'utf8');
      const said = await at.bnerd(['team', 'send', id, 'lead', 'hello']);
      expect(said).toMatchObject({ exit: 2, stdout: '' });
      expect(said.stderr).toMatch(/unreachable .*did not answer in time/);
      expect(await readFile(join(await at.folder(), 'log.jsonl'), 'utf8')).toBe(before);
      // Where the team stands is read off its record meanwhile.
      expect((await at.bnerd(['team', 'status', id])).stdout).toMatch(
        new RegExp(`^process: pid ${program.pid} on `, 'm'),
      );
      // Its outcome is not known, and it is said so: it does take the word when it goes on.
      expect(said.stderr).toContain('may still take it');
      program.signal('SIGCONT');
      await at.fact('mail.sent', (fact) => fact.body === 'hello');
    });
  });
});
