// Cases G155 and G165 through the program: signals and stops, and what they reach.
import { describe, expect, test } from 'vitest';
import { does, says, shell, when } from '../cases/play.js';
import { noneRunning, running } from '../helpers/running.js';
import { until } from '../helpers/until.js';
import { type Job, job } from './job.js';
import { FAMILY_FILES, familyCall, oneTask } from './missions.js';

const RUN = ['--auto-approve', 'all'];

/** What a family of processes was, while it ran. */
async function family(at: Job): Promise<{ pids: number[]; groups: number[]; marker: string }> {
  const pids = (await at.files(...FAMILY_FILES)).map(Number);
  const [up = 0] = pids.slice(-1);
  const marker = `BNERD_TEAM=${await at.id()}`;
  expect((await running({ pids })).length).toBe(pids.length);
  expect((await running({ marker })).length).toBeGreaterThanOrEqual(pids.length);
  return { pids, groups: [up], marker };
}

const SIGNALS = [
  { signal: 'SIGINT', exit: 130, cause: 'interrupt' },
  { signal: 'SIGTERM', exit: 143, cause: 'terminate' },
  { signal: 'SIGHUP', exit: 129, cause: 'hangup' },
] as const;

describe('G155 a member runs a command with child and grandchild', () => {
  const polite = oneTask([does(familyCall("trap 'echo bye > graceful; exit 0' TERM"))], {
    recipe: { safety: 'full' },
  });
  const stubborn = oneTask(
    [does(familyCall("trap 'echo heard >> graceful' TERM", 'while :; do wait; done'))],
    {
      recipe: { safety: 'full' },
    },
  );

  test.each(SIGNALS)(
    'G155 $signal once: it may end itself within its grace, the run is cancelled, exit $exit, nothing is left',
    async ({ signal, exit, cause }) => {
      const at = await job(polite);
      const program = await at.start([...RUN, '--grace', '10m']);
      const remains = await family(at);
      program.signal(signal);
      const run = await program.ended;
      // Nothing of it is alive when the program has ended.
      expect(await running(remains)).toEqual([]);
      expect(run.exit).toBe(exit);
      // Graceful: the command was asked and ended itself, long before the grace of ten minutes.
      expect(await at.file('graceful')).toBe('bye\n');
      expect(await at.of('run.stopping')).toMatchObject([{ cause }]);
      expect(await at.of('run.killing')).toEqual([]);
      expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit }]);
      expect((await at.facts()).at(-1)?.type).toBe('run.ended');
      const id = await at.id();
      expect(run.stderr).toContain('stopping: no new turns');
      expect(run.stderr).toMatch(new RegExp(`^cancelled \\(exit ${exit}\\)`, 'm'));
      expect(run.stderr).toMatch(/^open tasks: #1$/m);
      expect(run.stderr).toContain(`resume: bnerd team resume ${id}\n`);
      expect(run.stdout).toBe('');
    },
  );

  test('G155 Ctrl-C once and the command does not listen: it is killed after the grace, by the program itself', async () => {
    const at = await job(stubborn);
    const program = await at.start([...RUN, '--grace', '300ms']);
    const remains = await family(at);
    program.signal('SIGINT');
    const run = await program.ended;
    expect(await running(remains)).toEqual([]);
    expect(run.exit).toBe(130);
    expect(await at.file('graceful')).toContain('heard\n');
    expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 130 }]);
  });

  test('G155 Ctrl-C twice: at once, whatever the grace', async () => {
    const at = await job(stubborn);
    const program = await at.start([...RUN, '--grace', '10m']);
    const remains = await family(at);
    program.signal('SIGINT');
    await at.files('graceful');
    expect(await running({ pids: remains.pids.slice(-1) })).toHaveLength(1);
    program.signal('SIGINT');
    const run = await program.ended;
    expect(await running(remains)).toEqual([]);
    expect(run.exit).toBe(130);
    expect(await at.of('run.killing')).toHaveLength(1);
    expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 130 }]);
    expect(run.stderr).toContain('killing: running tools are ended at once');
  });
});

test('G155 three words, the last two in one breath: gone at once, and still nothing is left', async () => {
  const at = await job(
    oneTask([does(familyCall("trap '' TERM INT HUP", 'while :; do wait; done'))], {
      recipe: { safety: 'full' },
    }),
  );
  const program = await at.start([...RUN, '--grace', '10m']);
  const remains = await family(at);
  program.signal('SIGINT');
  await at.fact('run.stopping');
  // Two of one kind would be one to the system while the first is not heard.
  program.signal('SIGTERM');
  program.signal('SIGHUP');
  expect([129, 130, 143]).toContain((await program.ended).exit);
  await noneRunning({ ...remains, pids: [...remains.pids, program.pid] });
  await at.letGo();
});

describe('a signal at any moment of a run', () => {
  test.each([0, 1, 2, 5, 9])(
    'TERM when %i lines of events have been written: 143, one last line that says so, and nothing is left',
    async (count) => {
      const at = await job(oneTask([does(shell('sleep 600'))]));
      const program = await at.start([...RUN, '--json-events']);
      await until(() => program.stdout().split('\n').length > count, { ms: 60_000, what: `${count} lines` });
      program.signal('SIGTERM');
      const run = await program.ended;
      expect(run.exit).toBe(143);
      await noneRunning({ pids: [program.pid], marker: `HOME=${at.place.home}` });
      const last = run.lines.at(-1);
      // Before it hears signals the system ends it: nothing has been made then.
      if (last === undefined) expect(await at.ids()).toEqual([]);
      else expect(last).toMatchObject({ type: expect.stringMatching(/^run\.(ended|refused)$/), exit: 143 });
      if (last?.['type'] === 'run.ended') {
        expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 143 }]);
      }
    },
  );

  test('Ctrl-C while a model does not answer: the call is called off, the run is cancelled and resumable', async () => {
    const at = await job(oneTask([{ delay_ms: 60_000, calls: [shell('echo never > never')] }]));
    const program = await at.start(RUN);
    await at.fact('task.claimed');
    program.signal('SIGINT');
    const run = await program.ended;
    expect(run.exit).toBe(130);
    expect(await at.of('run.killing')).toEqual([]);
    expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 130 }]);
    expect(run.stderr).toContain(`resume: bnerd team resume ${await at.id()}\n`);
  });
});

describe('G165 stop', () => {
  const names = ['ann', 'ben', 'cat', 'dan', 'eve', 'fay'];
  const crowd = {
    recipe: {
      limits: { concurrency: 2 },
      tasks: names.map((role) => ({ id: `of-${role}`, subject: `The task of ${role}`, role })),
    },
    roles: { boss: {}, ...Object.fromEntries(names.map((name) => [name, { base: 'write' }])) },
    script: {
      boss: { idle: 'Waiting.', turns: [when('never', says('Never.'))] },
      ...Object.fromEntries(
        names.map((name) => [
          name,
          {
            idle: 'Ready.',
            turns: [when('is ready', does(shell(`echo up > ${name}; sleep 600`)), says('Never.'))],
          },
        ]),
      ),
    },
  };

  test('G165 twice and during dispatch: it reaches the workers, nothing new is dispatched, the state is cancelled, the second word is fine', async () => {
    const at = await job(crowd);
    const program = await at.start([...RUN, '--grace', '10s']);
    // Two turns at once; the other members are due and wait for a place.
    await at.fact('tool.started');
    const id = await at.id();
    const [first, second] = await Promise.all([
      at.bnerd(['team', 'stop', id]),
      at.bnerd(['team', 'stop', id]),
    ]);
    expect([first.exit, second.exit]).toEqual([0, 0]);
    const run = await program.ended;
    const third = await at.bnerd(['team', 'stop', id]);
    expect(third.exit).toBe(0);
    expect(await running({ marker: `BNERD_TEAM=${id}` })).toEqual([]);
    const facts = await at.facts();
    const stop = facts.findIndex((fact) => fact.type === 'run.stopping');
    expect(stop).toBeGreaterThan(0);
    const after = facts.slice(stop + 1).map((fact) => fact.type);
    // No new dispatch.
    expect(after).not.toContain('turn.started');
    expect(after).not.toContain('tool.started');
    const started = new Set((await at.of('turn.started')).map((fact) => fact.member));
    expect(names.filter((name) => !started.has(name)).length).toBeGreaterThan(0);
    // Cancelled, once, and not as failure.
    expect(await at.of('run.stopping')).toMatchObject([{ cause: 'stop' }]);
    expect(await at.of('run.ended')).toMatchObject([{ reason: 'cancelled', exit: 130, cause: null }]);
    expect(run.exit).toBe(130);
    expect(facts.filter((fact) => /failed|crashed/.test(fact.type))).toEqual([]);
    const status = await at.bnerd(['team', 'status', id]);
    expect(status.stdout).toContain('(cancelled, exit 130)');
  });
});
