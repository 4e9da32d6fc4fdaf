// Cases Q36, Q38, Q40 and Q41, the shell tool's part, through the program: what a command leaves behind.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Step } from '../cases/play.js';
import { does, finish, shell, when } from '../cases/play.js';
import type { RunningBnerd } from '../helpers/bnerd.js';
import { noneRunning, type Remains, running } from '../helpers/running.js';
import type { Mission } from '../helpers/team.js';
import { type Job, job } from './job.js';
import { FAMILY_FILES, familyCall, LOOK_FOR_FAMILY, oneTask } from './missions.js';

const RUN = ['--auto-approve', 'all'];

const full = (...steps: Step[]): Mission => oneTask(steps, { recipe: { safety: 'full' } });

/** A family that runs until it is ended; then a look at whether it still runs. */
const FAMILY = full(does(familyCall()), does(shell(LOOK_FOR_FAMILY)));

/** What the family is told by, when its files are there. */
async function family(at: Job): Promise<Required<Remains>> {
  const pids = (await at.files(...FAMILY_FILES)).map(Number);
  return { pids, groups: pids.slice(-1), marker: `BNERD_TEAM=${await at.id()}` };
}

/** A program under which the family runs. */
async function withFamily(at: Job): Promise<{ program: RunningBnerd; remains: Required<Remains> }> {
  const program = await at.start(RUN);
  const remains = await family(at);
  expect(await running({ pids: remains.pids })).toHaveLength(remains.pids.length);
  return { program, remains };
}

describe('Q36, Q41 a command has child and grandchild, and the program ends', () => {
  test('Q36, Q41 by KILL: none of them is alive when the first turn after the next start looks, by group, tree or marker', async () => {
    const at = await job(FAMILY);
    const { program, remains } = await withFamily(at);
    program.signal('SIGKILL');
    expect((await program.ended).exit).toBe(137);
    const id = await at.id();
    const resumed = await at.bnerd(['team', 'resume', id]);
    expect(resumed.exit).toBe(0);
    expect(await running(remains)).toEqual([]);
    // The member itself looked, with the first thing it did.
    const results = await at.results('worker');
    expect(results.some((text) => /^interrupted: .*unknown whether it took effect/.test(text))).toBe(true);
    expect(results.find((text) => text.includes('looked'))).toBe('exit 0\nlooked');
    const [fact] = await at.of('run.resumed');
    expect(fact?.findings.map(({ code }) => code)).toContain('leftover-ended');
    // Nor is there a record of a process that might be.
    expect(await readdir(join(await at.folder(), 'processes'))).toEqual([]);
  });

  test('Q36, Q41 by KILL, and the next to come is another command: none is alive after it', async () => {
    const at = await job(FAMILY);
    const { program, remains } = await withFamily(at);
    program.signal('SIGKILL');
    await program.ended;
    // It takes the lock, acts, releases: that is a start as well.
    const stopped = await at.bnerd(['team', 'stop', await at.id()]);
    expect(stopped.exit).toBe(0);
    await noneRunning(remains);
  });

  test('Q36, Q41 by TERM: none of them is alive when it has ended', async () => {
    const at = await job(FAMILY);
    const { program, remains } = await withFamily(at);
    program.signal('SIGTERM');
    expect((await program.ended).exit).toBe(143);
    expect(await running(remains)).toEqual([]);
  });

  test('Q36, Q41 by a normal end after the lead has stopped the member that ran them: none of them is alive', async () => {
    const stop = { tool: 'team_stop_member', args: { member: 'worker', reason: 'It takes too long.' } };
    const cancel = {
      tool: 'team_task_update',
      args: { task: '#1', status: 'cancelled', detail: 'It takes too long.' },
    };
    const at = await job(
      oneTask([does(familyCall())], {
        recipe: { safety: 'full' },
        roles: { boss: { base: 'write' } },
        script: {
          boss: {
            turns: [
              when(
                '',
                does(shell('until [ -s up ]; do sleep 0.02; done')),
                does(stop),
                does(cancel),
                finish('partial'),
              ),
            ],
          },
        },
      }),
    );
    const run = await at.run(RUN);
    expect(await running(await family(at))).toEqual([]);
    expect(run.exit).toBe(3);
    expect((await at.facts()).at(-1)).toMatchObject({ type: 'run.ended', reason: 'partial' });
    // Its open call has its result.
    const last = (await at.transcript('worker')).filter((entry) => entry.kind === 'result').at(-1);
    expect(last).toMatchObject({ outcome: 'cancelled' });
  });

  test('Q36, Q41 by a normal end behind a command that left them in the background: none of them is alive', async () => {
    const at = await job(full(does(familyCall('', 'exit 0'))));
    const run = await at.run(RUN);
    expect(run.exit).toBe(0);
    expect(await running(await family(at))).toEqual([]);
    expect(await at.results('worker')).toContainEqual(
      expect.stringMatching(/^exit 0\n3 processes were still running in the background and ended with SIG/),
    );
  });
});

test('Q38 a command exits while a background grandchild holds its output: the call settles and the grandchild is ended', async () => {
  // Both streams are those of the command; were it waited for, the run would take ten minutes.
  const at = await job(
    full(
      does(
        shell(
          "echo started; setsid sh -c 'echo $$ > grandchild; exec sleep 600' & until [ -s grandchild ]; do sleep 0.02; done",
        ),
      ),
    ),
  );
  const run = await at.run(RUN);
  expect(run.exit).toBe(0);
  expect(await at.results('worker')).toContainEqual(
    'exit 0\n1 process was still running in the background and ended with SIGTERM\nstarted',
  );
  expect(await running({ pids: [Number(await at.file('grandchild'))] })).toEqual([]);
});

test('Q40 the ladder: a command at its deadline is asked with TERM first and killed only when that does nothing', async () => {
  const listening =
    "trap 'echo heard TERM; exit 0' TERM; echo $$ > listening; while :; do sleep 600 & wait; done";
  const deaf = "trap 'echo heard TERM' TERM; echo $$ > deaf; while :; do sleep 600 & wait; done";
  const call = (command: string) => ({ tool: 'shell_exec', args: { command, timeout_ms: 1_500 } });
  const at = await job(full(does(call(listening)), does(call(deaf))));
  const run = await at.run([...RUN, '--grace', '400ms']);
  expect(run.exit).toBe(0);
  const ended = (signal: string) =>
    `not finished: ended with ${signal} at its deadline of 1500 ms\nheard TERM`;
  const results = await at.results('worker');
  expect(results).toContainEqual(ended('SIGTERM'));
  expect(results).toContainEqual(ended('SIGKILL'));
  const pids = (await at.files('listening', 'deaf')).map(Number);
  expect(await running({ pids, groups: pids, marker: `BNERD_TEAM=${await at.id()}` })).toEqual([]);
});
