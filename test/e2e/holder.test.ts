// Cases Q46 and F131 through the program: who holds a team, and who may take it up.
import { stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { does, shell } from '../cases/play.js';
import type { BnerdRun } from '../helpers/bnerd.js';
import { type Job, job } from './job.js';
import { oneTask } from './missions.js';

/** The worker waits until `go` is there, and then says it. */
const HELD = oneTask([does(shell('until [ -e go ]; do sleep 0.05; done')), does(shell('cat go'))]);
const RUN = ['--auto-approve', 'all'];

/** A team whose process was killed while its worker's command ran. */
async function killed(): Promise<{ at: Job; id: string; pid: number }> {
  const at = await job(HELD);
  const program = await at.start(RUN);
  await at.fact('tool.started');
  program.signal('SIGKILL');
  await program.ended;
  return { at, id: await at.id(), pid: program.pid };
}

const letGo = (at: Job): Promise<void> => writeFile(join(at.workspace, 'go'), 'go');

/** What the refused is told: who holds it, and the way out. */
function expectHeld(run: BnerdRun, id: string, pid: number): void {
  expect(run).toMatchObject({ exit: 2, stdout: '' });
  const [line, ...more] = run.stderr.trimEnd().split('\n');
  expect(more).toEqual([]);
  expect(line).toMatch(
    new RegExp(`^${id}: error team-held the team is run by pid ${pid} on .+, since .+, last heartbeat .+`),
  );
  expect(line).toContain(`bnerd team stop ${id}`);
}

describe('Q46 resume of one team id', () => {
  test('Q46 ten at once: one runs, nine exit 2 naming the holder', async () => {
    const { at, id } = await killed();
    const programs = await Promise.all(
      Array.from({ length: 10 }, () => at.startBnerd(['team', 'resume', id])),
    );
    const ended = new Map<number, BnerdRun>();
    const all = programs.map((program) => program.ended.then((run) => ended.set(program.pid, run)));
    // Nine come to their end by themselves; the tenth waits at the worker's command.
    for (let left = all; left.length > 1; ) {
      const first = await Promise.race(left.map((one, place) => one.then(() => place)));
      left = left.filter((_, place) => place !== first);
    }
    const [holder, ...others] = programs.filter(({ pid }) => !ended.has(pid));
    expect(others).toEqual([]);
    await at.fact('run.resumed');
    await letGo(at);
    for (const [, run] of ended) expectHeld(run, id, holder?.pid ?? 0);
    const run = await holder?.ended;
    expect(run?.exit).toBe(0);
    expect([...ended.values()].map(({ exit }) => exit).sort()).toEqual([0, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
    // One process wrote: one resume, and a record that is whole.
    expect(await at.of('run.resumed')).toHaveLength(1);
    expect(await at.of('task.completed')).toHaveLength(1);
    expect(await at.here(['team', 'verify', id])).toMatchObject({ exit: 0 });
  });

  test('Q46 a forged lock with a recycled pid is taken over', async () => {
    const { at, id } = await killed();
    await letGo(at);
    const lock = await at.lock();
    expect(lock['released']).toBe(false);
    // A process of that number lives, this one, and is another than the one that took the lock.
    await writeFile(await at.lockPath(), JSON.stringify({ ...lock, pid: process.pid }));
    const run = await at.bnerd(['team', 'resume', id]);
    expect(run.exit).toBe(0);
    expect(await at.of('run.ended')).toMatchObject([{ reason: 'done' }]);
  });

  test('a holder that cannot be looked at is not dead: exit 2 naming it, and --take-over is the way', async () => {
    const { at, id } = await killed();
    await letGo(at);
    const lock = await at.lock();
    await writeFile(
      await at.lockPath(),
      JSON.stringify({ ...lock, machine: 'another-machine', boot: 'another', host: 'elsewhere', pid: 77 }),
    );
    const refused = await at.bnerd(['team', 'resume', id]);
    expect(refused).toMatchObject({ exit: 2, stdout: '' });
    expect(refused.stderr).toMatch(/held by pid 77 on elsewhere, .*last heartbeat .*--take-over/);
    const status = await at.bnerd(['team', 'status', id]);
    expect(status.exit).toBe(0);
    expect(status.stdout).toContain('pid 77 on elsewhere');
    const answer = await at.bnerd(['team', 'answer', id, 'r1', 'yes']);
    expect(answer.exit).toBe(2);
    expect(await at.bnerd(['team', 'resume', id, '--take-over'])).toMatchObject({ exit: 0 });
  });
});

test('two processes on one team: one runs, the other exits 2 naming the holder, and under --json-events so', async () => {
  const at = await job(HELD);
  const program = await at.start(RUN);
  await at.fact('tool.started');
  const id = await at.id();
  expectHeld(await at.bnerd(['team', 'resume', id]), id, program.pid);
  // The operator's word that the holder is gone does not end one that lives.
  expectHeld(await at.bnerd(['team', 'resume', id, '--take-over']), id, program.pid);
  const asked = await at.bnerd(['team', 'resume', id, '--json-events']);
  expect(asked).toMatchObject({ exit: 2, stderr: '' });
  expect(asked.lines).toMatchObject([
    {
      v: 1,
      seq: 1,
      type: 'run.refused',
      exit: 2,
      findings: [{ code: 'team-held', message: expect.stringContaining(`pid ${program.pid} `) }],
    },
  ]);
  await letGo(at);
  expect((await program.ended).exit).toBe(0);
  expect(await at.of('run.resumed')).toEqual([]);
});

test('F131 the process has crashed: its death is seen, the same recipe starts a new team, and the old one is offered and taken up', async () => {
  const { at, id, pid } = await killed();
  const socket = String((await at.lock())['socket']);
  expect((await stat(socket)).isSocket()).toBe(true);
  // Nothing says that it lives, and the way to go on is named.
  const status = await at.bnerd(['team', 'status', id]);
  expect(status.exit).toBe(0);
  expect(status.stdout).toMatch(/^process: none/m);
  expect(status.stdout).toContain(`bnerd team resume ${id}`);
  expect(status.stdout).not.toContain(`pid ${pid}`);
  const listed = await at.bnerd(['team', 'ps', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({ teams: [{ id, live: false }] });
  // The same recipe starts at once, as a team of its own.
  await letGo(at);
  const other = await at.run(RUN);
  expect(other.exit).toBe(0);
  const ids = await at.ids();
  expect(ids).toHaveLength(2);
  // And the old one goes on to its end.
  const resumed = await at.bnerd(['team', 'resume', id]);
  expect(resumed.exit).toBe(0);
  expect(resumed.stderr).toMatch(/^done \(exit 0\)/m);
  expect(resumed.stdout).toBe('All is said.\n');
  // What the dead process had left beside the record is gone as well.
  await expect(stat(dirname(socket))).rejects.toMatchObject({ code: 'ENOENT' });
  // Or it is put away, by name.
  const [, second = ''] = ids;
  expect(await at.bnerd(['team', 'cleanup', second, '--yes'])).toMatchObject({ exit: 0 });
  expect(await at.ids()).toEqual([id]);
});
