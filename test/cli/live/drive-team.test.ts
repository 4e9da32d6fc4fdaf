import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { main } from '../../../src/cli/main.js';
import { systemClock } from '../../../src/shared/clock.js';
import { type Mission, type TestHouse, writeMission } from '../../helpers/team.js';
import { until } from '../../helpers/until.js';
import { JOB } from '../../runtime/job.js';
import { type TestProgram, type TestProgramOptions, testProgram } from '../streams.js';

// The first command that needs the whole runtime loads it, which takes a while on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** One member, a lead that asks first and then writes what it was told. */
const ASKING: Mission = {
  roles: { boss: { base: 'write' } },
  script: {
    boss: {
      idle: 'Waiting.',
      turns: [
        {
          steps: [
            { text: 'I ask first.', calls: [{ tool: 'ask_question', args: { question: 'Which word?' } }] },
            {
              capture: { word: 'answers r1:\\n(.+)$' },
              calls: [{ tool: 'fs_write_file', args: { path: 'word.txt', content: '{{word}}\n' } }],
            },
            { calls: [{ tool: 'team_finish', args: { outcome: 'done', result: 'It is {{word}}.' } }] },
          ],
        },
      ],
    },
  },
};

interface Started extends TestProgram {
  readonly at: TestHouse;
  readonly run: (...argv: string[]) => Promise<number>;
}

async function started(mission: Mission, options: TestProgramOptions = {}): Promise<Started> {
  return over(await writeMission(mission), options);
}

/** Another process of the same operator. */
function over(at: TestHouse, options: TestProgramOptions = {}): Started {
  const { house, mission, workspace } = at;
  const program = testProgram({
    clock: systemClock,
    workingDirectory: workspace,
    ...options,
    env: {
      HOME: house.temporaryDirectory,
      BNERD_HOME: house.home,
      BNERD_MISSION_REPO: mission,
      ...options.env,
    },
  });
  return { ...program, at, run: (...argv) => main(argv, program.program) };
}

/** The log as it is now, '' before there is one. */
async function logOf(at: TestHouse): Promise<string> {
  const id = (await readdir(join(at.house.home, 'runs')).catch(() => []))[0] ?? '';
  return readFile(join(at.house.home, 'runs', id, 'log.jsonl'), 'utf8').catch(() => '');
}

async function idOf({ house }: TestHouse): Promise<string> {
  const [id] = await readdir(join(house.home, 'runs'));
  if (id === undefined) throw new Error('no team');
  return id;
}

describe('a run without a terminal', () => {
  test('puts the result on stdout and nothing else, and the end on stderr', async () => {
    const { run, stdout, stderr, at } = await started(JOB);
    expect(await run('team', 'run', 'job', '--auto-approve', 'all')).toBe(0);
    const id = await idOf(at);
    expect(stdout.text).toBe('All done.\n');
    const lines = stderr.text.trimEnd().split('\n');
    expect(lines[0]).toBe('[lead] spawning worker');
    expect(lines).toContain('[worker] task #1: Read the notes');
    expect(lines).toContain('[worker] task #2 completed: Written.');
    expect(lines.slice(-5)).toEqual([
      'done (exit 0)',
      'open tasks: none',
      'cost: 0.0000 USD',
      `result: on stdout; again with bnerd team result ${id}`,
      `workspace: ${at.workspace}`,
    ]);
  });

  test('--quiet leaves the last lines', async () => {
    const { run, stderr } = await started(JOB);
    expect(await run('team', 'run', 'job', '--auto-approve', 'all', '--quiet')).toBe(0);
    expect(stderr.text).toMatch(/^done \(exit 0\)\nopen tasks: none\n/);
  });

  test('with --json-events stdout is a line a fact, from run.started to run.ended', async () => {
    const { run, stdout } = await started(JOB);
    expect(await run('team', 'run', 'job', '--auto-approve', 'all', '--json-events')).toBe(0);
    const { lines } = stdout;
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, place) => place + 1));
    expect(lines.map(({ n }) => n)).toEqual(lines.map((_, place) => place + 1));
    expect(lines[0]).toMatchObject({ type: 'run.started' });
    expect(lines.at(-1)).toMatchObject({ type: 'run.ended', reason: 'done', exit: 0, result: 'All done.' });
  });

  test('with --json-events=all every transcript entry is among them', async () => {
    const { run, stdout, at } = await started(JOB);
    expect(await run('team', 'run', 'job', '--auto-approve', 'all', '--json-events=all')).toBe(0);
    const told = stdout.lines.filter(({ type }) => type === 'transcript.appended');
    const folder = join(at.house.home, 'runs', await idOf(at), 'transcripts');
    for (const member of ['boss', 'worker']) {
      const stored = (await readFile(join(folder, `${member}.jsonl`), 'utf8')).trimEnd().split('\n');
      const entries = told
        .filter((line) => line['member'] === member)
        .map(({ entry }) => JSON.stringify(entry));
      expect(entries).toEqual(stored);
    }
    expect(stdout.lines.map(({ seq }) => seq)).toEqual(stdout.lines.map((_, place) => place + 1));
  });

  test('ends needs_human with the words that answer, and goes on where it was after them', async () => {
    const first = await started(ASKING, { env: { BNERD_AUTO_APPROVE: 'all' } });
    expect(await first.run('team', 'run', 'job')).toBe(4);
    const id = await idOf(first.at);
    expect(first.stdout.text).toBe('');
    expect(first.stderr.text).toContain(
      `[lead] waits for r1, a question: Which word? (bnerd team answer ${id} r1 <text>)\n`,
    );
    expect(first.stderr.text).toContain(`resume: bnerd team resume ${id}\n`);

    const listed = over(first.at);
    expect(await listed.run('team', 'requests', id)).toBe(0);
    expect(listed.stdout.text).toContain('r1 question of boss, for operator: Which word?');
    const answered = over(first.at);
    expect(await answered.run('team', 'answer', id, 'r1', 'the', 'kestrel')).toBe(0);
    expect(answered.stderr.text).toContain(`bnerd team resume ${id}`);

    const resumed = over(first.at);
    expect(await resumed.run('team', 'resume', id.slice(0, -3), '--json-events'), resumed.stderr.text).toBe(
      0,
    );
    expect(resumed.stdout.lines[0]).toMatchObject({ seq: 1, type: 'run.resumed' });
    expect(resumed.stdout.lines.at(-1)).toMatchObject({ type: 'run.ended', result: 'It is the kestrel.' });

    const again = over(first.at);
    expect(await again.run('team', 'resume', id)).toBe(0);
    expect(again.stdout.text).toBe('It is the kestrel.\n');
    expect(again.stderr.text).toMatch(/^done \(exit 0\): run-job-\w+ had ended on .*; nothing was run\n$/);
    const events = over(first.at);
    expect(await events.run('team', 'resume', id, '--json-events')).toBe(0);
    expect(events.stdout.lines).toMatchObject([{ seq: 1, type: 'run.ended', reason: 'done' }]);
  });

  test('a closed stdout ends the stream and not the team', async () => {
    const { run, program, at, stderr } = await started(JOB);
    program.output.results.abandon();
    expect(await run('team', 'run', 'job', '--auto-approve', 'all', '--json-events')).toBe(0);
    const result = over(at);
    expect(await result.run('team', 'result', await idOf(at))).toBe(0);
    expect(result.stdout.text).toBe('All done.\n');
    expect(stderr.text).toContain('done (exit 0)');
  });

  test('a result that stdout does not take is kept, and stderr says where', async () => {
    const { run, program, stderr } = await started(JOB);
    program.output.results.abandon();
    expect(await run('team', 'run', 'job', '--auto-approve', 'all')).toBe(0);
    expect(stderr.text).toMatch(
      /result: not written, stdout is closed \(abandoned\); print it with bnerd team result run-job-/,
    );
  });

  test('a slow reader of events does not slow the team', async () => {
    const { run, stdout, stderr, at } = await started(JOB);
    stdout.hold();
    const running = run('team', 'run', 'job', '--auto-approve', 'all', '--json-events');
    await until(async () => (await logOf(at)).includes('run.ended'), { what: 'the team has ended' });
    expect(stderr.text).not.toContain('done (exit 0)');
    stdout.go();
    expect(await running).toBe(0);
    expect(stdout.lines.at(-1)).toMatchObject({ type: 'run.ended' });
    expect(await over(at).run('team', 'verify', await idOf(at))).toBe(0);
  });
});

describe('a run at a terminal', () => {
  test('asks, takes the answers, and carries them out', async () => {
    const { run, stdin, stdout, stderr, at } = await started(ASKING, { terminal: true });
    const running = run('team', 'run', 'job');
    const says = (pattern: RegExp): Promise<boolean> =>
      until(() => pattern.test(stderr.text), { what: `stderr says ${pattern}; it said ${stderr.text}` });
    await says(/─── ASK ─+\n {2}boss: Which word\?\n {2}Answer \(or "skip"\): $/);
    stdin.write('kestrel\n');
    await says(/─── CONFIRM ─+\n {2}boss wants to run: {2}write word\.txt \(8 bytes\)\n {2}content/);
    stdin.write('explain\n');
    await says(/policy: write fs_write_file: confirmation needed\n/);
    stdin.write('y\n');
    expect(await running).toBe(0);
    expect(stdout.text).toBe('It is kestrel.\n');
    expect(await readFile(join(at.workspace, 'word.txt'), 'utf8')).toBe('kestrel\n');
    expect(stderr.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe('signals', () => {
  test('the first one stops a run that waits for a person: recorded, resumable, its exit code', async () => {
    const { run, signal, stderr } = await started(ASKING, { terminal: true });
    const running = run('team', 'run', 'job');
    await until(() => stderr.text.includes('ASK'), { what: 'the question stands' });
    expect(signal('interrupt')).toBe(true);
    expect(await running).toBe(130);
    expect(stderr.text).toMatch(/cancelled \(exit 130\)[\s\S]*resume: bnerd team resume run-job-/);
    expect(signal('interrupt')).toBe(false);
  });

  test.each([
    ['hangup', 129],
    ['terminate', 143],
  ] as const)('%s ends with exit %i', async (cause, exit) => {
    const { run, signal, stderr } = await started(ASKING, { terminal: true });
    const running = run('team', 'run', 'job');
    await until(() => stderr.text.includes('ASK'), { what: 'the question stands' });
    signal(cause);
    expect(await running).toBe(exit);
  });

  test('one that comes before the team is there creates nothing', async () => {
    const { run, signal, stdout, stderr, at } = await started(JOB);
    const running = run('team', 'run', 'job', '--json-events');
    await until(() => signal('terminate'), { what: 'the command listens' });
    expect(await running).toBe(143);
    expect(stderr.text).toBe('');
    expect(stdout.lines).toMatchObject([
      { type: 'run.refused', exit: 143, findings: [{ code: 'cancelled' }] },
    ]);
    await expect(readdir(join(at.house.home, 'runs'))).rejects.toThrow('ENOENT');
  });

  test('one that comes while a slow reader is told the end gives the reader up', async () => {
    const { run, signal, stdout, at } = await started(JOB);
    stdout.hold();
    const running = run('team', 'run', 'job', '--auto-approve', 'all', '--json-events');
    await until(async () => (await logOf(at)).includes('run.ended'), { what: 'the team has ended' });
    const lock = over(at);
    await until(async () => (await lock.run('team', 'stop', await idOf(at))) === 0, {
      what: 'the team is released',
    });
    signal('interrupt');
    expect(await running).toBe(0);
  });
});

describe('other words', () => {
  test.each([
    [['team', 'status', 'nope'], /nope: error unknown-team there is no team "nope"/],
    [['team', 'result', 'nope'], /unknown-team/],
    [['team', 'verify', 'nope'], /unknown-team/],
    [['team', 'transcript', 'nope', 'x'], /unknown-team/],
    [['team', 'answer', 'nope', 'r1', 'yes'], /unknown-team/],
    [['team', 'send', 'nope', 'lead', 'hi'], /unknown-team/],
    [['team', 'stop', 'nope'], /unknown-team/],
    [['team', 'resume', 'nope'], /unknown-team/],
    [['team', 'cleanup', 'nope', '--yes'], /unknown-team/],
    [['team', 'describe', 'nope'], /unknown-recipe/],
  ])('%j is refused with exit 2', async (argv, said) => {
    const { run, stdout, stderr } = await started(JOB);
    expect(await run(...argv)).toBe(2);
    expect(stdout.text).toBe('');
    expect(stderr.text).toMatch(said);
  });

  test('after a run every view agrees on it, and cleanup puts it away', async () => {
    const first = await started(JOB);
    expect(await first.run('team', 'run', 'job', '--auto-approve', 'all', '--quiet')).toBe(0);
    const id = await idOf(first.at);
    const json = async (...argv: string[]): Promise<Record<string, unknown>> => {
      const asked = over(first.at);
      expect(await asked.run(...argv, '--json')).toBe(0);
      return JSON.parse(asked.stdout.text);
    };
    expect(await json('team', 'status', id)).toMatchObject({ v: 1, team: id, reason: 'done', live: false });
    expect(await json('team', 'ps')).toMatchObject({ v: 1, teams: [{ id, reason: 'done', open_tasks: 0 }] });
    expect(await json('team', 'requests', id)).toMatchObject({ v: 1, team: id, requests: [] });
    expect(await json('team', 'transcript', id, 'worker')).toMatchObject({ v: 1, member: 'worker' });
    expect(await json('team', 'describe', 'job')).toMatchObject({
      v: 1,
      lead: 'boss',
      members: [{ name: 'worker', on_demand: false }],
    });
    expect(await json('team', 'lint', 'job')).toMatchObject({ v: 1, findings: [] });
    const away = over(first.at);
    expect(await away.run('team', 'cleanup', id, '--yes')).toBe(0);
    expect(await readdir(join(first.at.house.home, 'archive'))).toEqual([id]);
  });
});
