// Issue 2, spec/team.md §8: what stands on stdout and stderr, and who reads it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, does, shell, when } from '../cases/play.js';
import { gate, waitAt } from '../helpers/gate.js';
import { until } from '../helpers/until.js';
import { eventSchema, expectStream } from './event-lines.js';
import { job } from './job.js';
import { oneTask } from './missions.js';

const RUN = ['--auto-approve', 'all'];
const RESULT = 'All is said.';
const HELD = oneTask([does(waitAt('hold'))]);

describe('stdout without --json-events', () => {
  test('`> out` holds the result and nothing else', async () => {
    const at = await job(oneTask([]));
    const run = await at.run(RUN, { sh: 'exec "$@" > out' });
    expect(run.exit).toBe(0);
    expect(run.stdout).toBe('');
    expect(await at.file('out')).toBe(`${RESULT}\n`);
    expect(run.stderr).toMatch(/^\[worker\] task #1: Do one$/m);
    expect(run.stderr).toMatch(/^done \(exit 0\)$/m);
    expect(run.stderr).toContain('result: on stdout; again with bnerd team result');
  });

  test('without a result nothing at all, whatever the end', async () => {
    const at = await job(oneTask([does(ask('Which?'))]));
    const run = await at.run(RUN);
    expect(run).toMatchObject({ exit: 4, stdout: '' });
    expect(run.stderr).toMatch(/^result: none$/m);
  });

  test.each([
    ['closed from the start', 'exec "$@" >&-', /^result: /m],
    [
      'on a full disk',
      'exec "$@" > /dev/full',
      /^result: not written, stdout is closed \(ENOSPC\); print it with bnerd team result run-/m,
    ],
    [
      'closed by its reader',
      '{ "$@"; echo $? > exit; } | true; exit $(cat exit)',
      /^result: not written, stdout is closed \(EPIPE\)/m,
    ],
  ])(
    'stdout is %s: the team goes on, its exit code stays, the result can be had again',
    async (_, sh, said) => {
      const at = await job(oneTask([]));
      const run = await at.run(RUN, { sh });
      expect(run).toMatchObject({ exit: 0, stdout: '' });
      expect(run.stderr).toMatch(said);
      expect(await at.of('run.ended')).toMatchObject([{ reason: 'done' }]);
      expect(await at.here(['team', 'result', await at.id()])).toMatchObject({
        exit: 0,
        stdout: `${RESULT}\n`,
      });
    },
  );

  test.each([
    ['closed from the start', 'exec "$@" 2>&-'],
    ['closed by its reader', '{ "$@" 2>&3 | cat > out; } 3>&1 | true; cat out'],
    ['on a full disk', 'exec "$@" 2> /dev/full'],
  ])('stderr is %s: the team goes on and the result comes', async (_, sh) => {
    const at = await job(oneTask([]));
    const run = await at.run(RUN, { sh });
    expect(run).toMatchObject({ exit: 0, stdout: `${RESULT}\n` });
    expect(await at.of('run.ended')).toMatchObject([{ reason: 'done' }]);
  });

  test('--quiet: no progress, but the last lines', async () => {
    const at = await job(oneTask([]));
    const run = await at.run([...RUN, '--quiet']);
    expect(run).toMatchObject({ exit: 0, stdout: `${RESULT}\n` });
    expect(run.stderr).toMatch(
      /^done \(exit 0\)\nopen tasks: none\ncost: 0\.0000 USD\nresult: on stdout.*\nworkspace: .*\n$/,
    );
  });
});

describe('the stream of --json-events', () => {
  test.each([['--json-events'], ['--json-events=all']])(
    '%s: every line fits the published schema, seq has no gap, facts are those of the record',
    async (flag) => {
      const schema = await eventSchema();
      const at = await job(oneTask([does(shell('echo heard; false'))]));
      const run = await at.run([...RUN, flag]);
      expect(run.exit).toBe(0);
      expectStream(run, schema);
      const recorded = await at.facts();
      const told = run.lines.filter((line) => 'n' in line);
      expect(told.map((line) => line['type'])).toEqual(recorded.map((fact) => fact.type));
      for (const [place, fact] of recorded.entries()) {
        expect(told[place]).toMatchObject({ v: 1, n: place + 1, team: await at.id(), ...fact });
      }
      const memories = run.lines.filter((line) => line['type'] === 'transcript.appended');
      const written = [...(await at.transcript('boss')), ...(await at.transcript('worker'))];
      expect(memories).toHaveLength(flag === '--json-events' ? 0 : written.length);
      // Deltas never: what is told is in the record.
      expect(written).toEqual(expect.arrayContaining(memories.map((line) => line['entry'])));
    },
  );

  test('of runs that are cancelled, that need somebody and that are resumed: the first and the last line, and one exit code', async () => {
    const schema = await eventSchema();
    const at = await job(oneTask([does(ask('Which?')), does(waitAt('hold'))]));
    const hold = await gate(at.workspace, 'hold');
    const needs = await at.run([...RUN, '--json-events']);
    expect(needs.exit).toBe(4);
    expectStream(needs, schema);
    expect(needs.lines.at(-1)).toMatchObject({ reason: 'needs_human', open_requests: ['r1'] });
    const id = await at.id();
    await at.bnerd(['team', 'answer', id, 'r1', 'the', 'first']);
    const program = await at.startBnerd(['team', 'resume', id, '--json-events=all']);
    await at.fact('tool.started');
    program.signal('SIGTERM');
    const cancelled = await program.ended;
    expect(cancelled.exit).toBe(143);
    expectStream(cancelled, schema);
    expect(cancelled.lines[0]).toMatchObject({ type: 'run.resumed' });
    expect(cancelled.lines.at(-1)).toMatchObject({ reason: 'cancelled' });
    await hold.open();
    const done = await at.bnerd(['team', 'resume', id, '--json-events']);
    expect(done.exit).toBe(0);
    expectStream(done, schema);
    // One team: the numbers go on where the run before left them, but for what was recorded in between.
    const last = Number(cancelled.lines.at(-1)?.['n']);
    expect(Number(done.lines[0]?.['n'])).toBe(last + 1);
    // Resumed once more there is nothing to do: the end is told again.
    const again = await at.bnerd(['team', 'resume', id, '--json-events']);
    expect(again.exit).toBe(0);
    expect(again.lines).toHaveLength(1);
    expect(again.lines.flatMap((line) => schema.problems(line))).toEqual([]);
    expect(again.lines).toMatchObject([{ type: 'run.ended', reason: 'done', exit: 0 }]);
  });

  test('a refusal fits the schema as well, and the schema is no yes to everything', async () => {
    const schema = await eventSchema();
    const at = await job(oneTask([]));
    const refused = await at.bnerd(['team', 'run', 'jib', '--json-events']);
    expect(refused.lines.flatMap((line) => schema.problems(line))).toEqual([]);
    const [line = {}] = refused.lines;
    expect(schema.problems({ ...line, exit: 'two' })).not.toEqual([]);
    expect(schema.problems({ ...line, v: 2 })).not.toEqual([]);
    expect(schema.problems({ ...line, seq: undefined })).not.toEqual([]);
    expect(schema.problems({ ...line, type: 'run.rejected' })).not.toEqual([]);
    expect(schema.problems({ ...line, more: 1 })).not.toEqual([]);
    expect(schema.types).toContain('transcript.appended');
  });
});

describe('readers of the stream', () => {
  test('`| head -1` ends the stream, not the team', async () => {
    const at = await job(HELD);
    const hold = await gate(at.workspace, 'hold');
    const program = await at.start([...RUN, '--json-events'], {
      sh: '{ "$@"; echo $? > exit; } | { head -1; echo gone > gone; }',
    });
    await at.files('gone');
    await at.fact('tool.started');
    // From here on whatever is written meets a closed pipe.
    await hold.open();
    const run = await program.ended;
    expect(run.lines).toMatchObject([{ seq: 1, type: 'run.started' }]);
    expect(await at.files('exit')).toEqual(['0\n']);
    expect((await at.facts()).at(-1)).toMatchObject({ type: 'run.ended', reason: 'done', exit: 0 });
    expect(run.stderr).toMatch(/^done \(exit 0\)$/m);
  });

  test('a reader that reads nothing before the team has ended does not slow it, and then gets every line', async () => {
    const schema = await eventSchema();
    const at = await job(
      oneTask(Array.from({ length: 12 }, () => does({ tool: 'fs_read_file', args: { path: 'big.txt' } }))),
    );
    await writeFile(join(at.workspace, 'big.txt'), `${'all work and no play '.repeat(4)}\n`.repeat(400));
    const program = await at.start([...RUN, '--json-events=all'], {
      sh: '{ "$@"; echo $? > exit; } | { until [ -e go ]; do sleep 0.05; done; cat > out; }',
    });
    // More than a pipe holds is waiting by then, and nobody has read any of it.
    const end = await at.fact('run.ended');
    expect(end).toMatchObject({ reason: 'done', exit: 0 });
    expect(await at.file('out')).toBeUndefined();
    expect(await at.file('exit')).toBeUndefined();
    await writeFile(join(at.workspace, 'go'), 'go');
    await program.ended;
    const stdout = (await readFile(join(at.workspace, 'out'))).toString('utf8');
    expect(stdout.length).toBeGreaterThan(3 * 64 * 1024);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    expectStream({ stdout, lines, exit: Number(await at.file('exit')) }, schema);
  });

  test('a reader that never reads can be left: after the end Ctrl-C gives it up, and the exit code is that of the run', async () => {
    const at = await job(
      oneTask(Array.from({ length: 12 }, () => does({ tool: 'fs_read_file', args: { path: 'big.txt' } }))),
    );
    await writeFile(join(at.workspace, 'big.txt'), `${'all work and no play '.repeat(4)}\n`.repeat(400));
    const program = await at.start([...RUN, '--json-events=all'], {
      sh: '{ sh -c \'echo $$ > pid; exec "$@"\' sh "$@"; echo $? > exit; } | { until [ -e exit ]; do sleep 0.05; done; }',
    });
    await at.fact('run.ended');
    // The team is let go last: from then on it only waits for its reader.
    await at.letGo();
    expect(await at.file('exit')).toBeUndefined();
    const pid = Number(await at.file('pid'));
    process.kill(pid, 'SIGINT');
    // A word that comes before the program knows of the end is spent on the team; a person says it once more.
    const left = async (): Promise<boolean> => (await at.file('exit')) !== undefined;
    await until(left, { ms: 10_000, what: 'the first word was heard' }).catch(() =>
      process.kill(pid, 'SIGINT'),
    );
    await program.ended;
    expect(await at.file('exit')).toBe('0\n');
  });
});

test('what members, files and commands say reaches the terminal without control codes, and JSON lines hold none', async () => {
  const evil =
    'red \u001b[31m, home \u001b[H, bell \u0007, C1 \u009b2J, delete \u007f, back \b\b, return \r!';
  const mission = oneTask(
    [{ text: evil, calls: [shell(`printf '${'\\033[2J'}'; echo ${'\\033'}c`)] }, does(ask(evil))],
    {
      script: {
        boss: {
          idle: 'Waiting.',
          turns: [
            when('has completed #1', {
              calls: [{ tool: 'team_finish', args: { outcome: 'done', result: evil } }],
            }),
          ],
        },
      },
    },
  );
  const at = await job(mission);
  const events = await at.run([...RUN, '--auto-skip-questions', '--json-events=all']);
  expect(events.exit).toBe(0);
  expect(events.lines.at(-1)).toMatchObject({ result: evil });
  const id = await at.id();
  const text = await at.bnerd(['team', 'resume', id]);
  expect(text.exit).toBe(0);
  expect(text.stdout).toBe('red [31m, home [H, bell , C1 2J, delete , back , return \n!\n');
  for (const words of [
    ['status', id],
    ['transcript', id, 'worker'],
    ['transcript', id, 'worker', '--json'],
    ['result', id],
    ['status', id, '--json'],
  ]) {
    expect((await at.here(['team', ...words])).exit).toBe(0);
  }
  const asked = await job(oneTask([does(ask(evil))]));
  expect((await asked.run(RUN)).exit).toBe(4);
  const other = await asked.id();
  for (const words of [
    ['requests', other],
    ['status', other],
    ['requests', other, '--json'],
  ]) {
    expect((await asked.here(['team', ...words])).exit).toBe(0);
  }
});
