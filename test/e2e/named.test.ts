// spec/team.md §7 `run --id <name>` through the program: the same line any number of times is one run (case A10).
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, does, shell } from '../cases/play.js';
import { gate, waitAt } from '../helpers/gate.js';
import { noneRunning } from '../helpers/running.js';
import { eventSchema } from './event-lines.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

const RUN = ['--id', 'dev', '--auto-approve', 'all'];

test.each(['', 'Dev', 'a/b', '../dev', 'run', 'run-job-01', '-dev', 'x'.repeat(49)])(
  'the name %j is refused: what is allowed is said, and nothing is created',
  async (name) => {
    const at = await job(oneTask([]));
    const run = await at.run([`--id=${name}`]);
    expect(run).toMatchObject({ exit: 2, stdout: '' });
    expect(run.stderr).toMatch(/^--id: error bad-value .*small letters, digits and hyphens.*not with run-/);
    expect(await readdir(at.place.root)).not.toContain('state');
  },
);

test('A10 two programs at once: one runs, the other exits 2 naming the holder; never a merge', async () => {
  const at = await job(oneTask([does(waitAt('hold'))]));
  const hold = await gate(at.workspace, 'hold');
  const programs = await Promise.all([at.start(RUN), at.start(RUN)]);
  const first = await Promise.race(programs.map(({ ended }, place) => ended.then((run) => ({ run, place }))));
  const holder = programs[1 - first.place];
  expect(first.run).toMatchObject({ exit: 2, stdout: '' });
  expect(first.run.stderr).toMatch(
    new RegExp(`^dev: error team-held the team is run by pid ${holder?.pid} on `, 'm'),
  );
  expect(await at.ids()).toEqual(['dev']);
  await hold.open();
  expect(await holder?.ended).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
  expect(await at.of('run.started')).toMatchObject([{ team: 'dev' }]);
  expect(await at.of('run.resumed')).toEqual([]);
  expect((await at.here(['team', 'verify', 'dev'])).exit).toBe(0);
});

describe('the same line again', () => {
  test('a team that waits is gone on with, by BNERD_ID too; one that has finished says so again and works no more', async () => {
    const at = await job(oneTask([does(ask('Which?')), does(shell('echo ran >> ran'))]));
    const waits = await at.run(RUN);
    expect(waits.exit).toBe(4);
    expect(waits.stderr).toContain('\nresume: bnerd team resume dev\n');
    expect((await at.bnerd(['team', 'answer', 'dev', 'r1', 'this'])).exit).toBe(0);
    const resumed = await at.run(['--auto-approve', 'all'], { env: { BNERD_ID: 'dev' } });
    expect(resumed).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
    expect(await at.of('run.started')).toHaveLength(1);
    expect(await at.of('run.resumed')).toHaveLength(1);
    const before = await at.facts();
    const again = await at.run(RUN);
    expect(again).toMatchObject({ exit: 0, stdout: 'All is said.\n' });
    expect(again.stderr).toMatch(/^done \(exit 0\): dev had ended on .*; nothing was run$/m);
    // An order that comes too late is not sent to a team that takes nothing any more.
    const late = await at.run([...RUN, 'another', 'order']);
    expect(late.exit).toBe(0);
    expect(late.stderr).toMatch(
      /other-prompt .*\(it has ended: take another name, or put it away with bnerd team cleanup dev\)/,
    );
    const { problems } = await eventSchema();
    const lines = await at.run([...RUN, '--json-events']);
    expect(lines.exit).toBe(0);
    expect(lines.lines).toMatchObject([
      { v: 1, seq: 1, team: 'dev', type: 'run.ended', reason: 'done', exit: 0 },
    ]);
    expect(lines.lines.flatMap(problems)).toEqual([]);
    expect(await at.facts()).toEqual(before);
    expect(await at.file('ran')).toBe('ran\n');
  });

  test('after kill -9 it is gone on with, and what the dead process had left running is ended first', async () => {
    const at = await job(oneTask([does(shell('[ -e up ] || { echo up > up; exec sleep 600; }'))]));
    const program = await at.start(RUN);
    await at.files('up');
    program.signal('SIGKILL');
    await program.ended;
    const again = await at.run(RUN);
    expect(again.exit).toBe(0);
    await noneRunning({ marker: 'BNERD_TEAM=dev' });
    expect(await at.of('run.started')).toHaveLength(1);
    expect((await at.results('worker')).join('\n')).toContain('interrupted: the call had started');
  });
});

describe('another order under the same name', () => {
  test('another prompt is said and not used; other settings, limits, models and recipes are refused by name', async () => {
    const at = await job(oneTask([does(ask('Which?'))]));
    expect((await at.run([...RUN, '--limit', 'turns=90', '--grace', '2s', 'first', 'order'])).exit).toBe(4);
    const before = await at.facts();
    for (const [words, said] of [
      [['--safety', 'read-only'], /--safety is read-only here and non-destructive in the record/],
      [['--auto-approve', 'never'], /--auto-approve is never here and all in the record/],
      [['--limit', 'turns=80'], /--limit turns is 80 here and 90 in the record/],
      [['--limit', 'turns=100'], /--limit: turns=100 is looser/],
      [['--grace', '3s'], /--grace is 3000 here and 2000 in the record/],
      [['--request-timeout', '1m'], /--request-timeout is 60000 here and none in the record/],
      [['--page', 'docs/page.md'], /--page is docs\/page.md here and none in the record/],
    ] as const) {
      const run = await at.run(['--id', 'dev', ...words]);
      expect(run).toMatchObject({ exit: 2, stdout: '' });
      expect(run.stderr).toMatch(said);
      expect(run.stderr).toContain('dev was started otherwise and goes on as it was');
    }
    const other = await at.bnerd(['team', 'run', 'quickstart', '--id', 'dev']);
    expect(other.exit).toBe(2);
    expect(other.stderr).toMatch(/other-recipe dev is a team of the recipe job, not of quickstart/);
    expect(await at.facts()).toEqual(before);
    // What the record holds already is no difference.
    const same = await at.run([...RUN, '--limit', 'turns=90', '--grace', '2s', '--prompt', 'another order']);
    expect(same.exit).toBe(4);
    expect(same.stderr).toMatch(
      /warning other-prompt the team dev was started with another prompt, which stands/,
    );
    expect((await at.of('mail.sent')).filter(({ kind }) => kind === 'prompt')).toMatchObject([
      { body: 'first order' },
    ]);
  });

  test('a team that was put away has given its name free; each keeps its own place in the archive', async () => {
    const at = await job(oneTask([]));
    for (const _ of [1, 2]) {
      expect((await at.run(RUN)).exit).toBe(0);
      expect(await at.of('run.resumed')).toEqual([]);
      expect((await at.bnerd(['team', 'cleanup', 'dev', '--yes'])).exit).toBe(0);
      expect(await at.ids()).toEqual([]);
    }
    const archived = await readdir(join(at.place.state, 'archive'));
    expect(archived).toEqual(['dev', expect.stringMatching(/^dev-[0-9A-Z]{26}$/)]);
  });
});
