import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { main } from '../../src/cli/main.js';
import { Sink } from '../../src/cli/output.js';
import { TOPICS } from '../../src/cli/topics.js';
import { tempDir } from '../helpers/temp-dir.js';
import { testProgram } from './streams.js';

// The first command that needs the whole runtime loads it, which takes a while on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

async function typed(...argv: string[]): Promise<{ exit: number; stdout: string; stderr: string }> {
  const { program, stdout, stderr } = testProgram();
  const exit = await main(argv, program);
  return { exit, stdout: stdout.text, stderr: stderr.text };
}

describe('what is asked for', () => {
  test.each([
    ['--help'],
    ['-h'],
    ['help'],
    ['team', '--help'],
    ['help', 'team'],
    ['team', 'run', '--help'],
    ['help', 'team', 'run'],
    ['team', 'run', 'x', '--bad', '-h'],
    ['team', 'send', '--help'],
    ['help', 'exit-codes'],
    ['help', 'environment'],
  ])('%s prints help on stdout and is no mistake', async (...argv) => {
    const { exit, stdout, stderr } = await typed(...argv);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(/usage: bnerd|exit codes of|order: flag, variable/);
  });

  test('a page is printed as text; where its name is a command too, what is typed stands below it', async () => {
    const page = await typed('help', 'delegation');
    expect(page).toMatchObject({ exit: 0, stderr: '' });
    expect(page.stdout).toMatch(/^Delegated engineers\n/);
    expect(page.stdout).not.toContain('usage:');
    expect((await typed('help', 'trust')).stdout).toMatch(
      /^What of a repository counts\n[\s\S]*\nusage: bnerd trust /,
    );
    expect((await typed('help', 'keys')).stdout).toMatch(
      /^Keys of [\s\S]*\nusage: bnerd keys …\n[\s\S]*keys retire/,
    );
  });

  test.each(TOPICS.map(({ name }) => [name]))('there is help on the topic %s', async (name) => {
    const { exit, stdout, stderr } = await typed('help', name);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout.length).toBeGreaterThan(200);
  });

  test.each([[[]], [['team']]])('no command %j shows what there is, as wrong use', async (argv) => {
    const { exit, stdout, stderr } = await typed(...argv);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('team run');
  });
});

describe('an answer that stdout does not take', () => {
  const failing = (code: string): Sink =>
    new Sink(
      new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
        autoDestroy: false,
      }),
    );

  test.each([
    [
      'ENOSPC',
      1,
      /^bnerd team list: error not-written .*stdout \(ENOSPC\) \(make room, or write it elsewhere\)\n$/,
    ],
    ['EPIPE', 0, /^$/],
  ])('%s: exit %i', async (code, exit, said) => {
    const { program, stderr } = testProgram();
    const results = failing(code);
    const run = await main(['team', 'list'], { ...program, output: { ...program.output, results } });
    expect(run).toBe(exit);
    expect(stderr.text).toMatch(said);
  });
});

describe('what the system does not allow', () => {
  test('is one finding of the command, exit 1', async () => {
    const home = await tempDir();
    await writeFile(join(home, 'runs'), 'in the way');
    const { program, stdout, stderr } = testProgram({ env: { BNERD_HOME: home } });
    expect(await main(['team', 'status', 'x'], program)).toBe(1);
    expect(stdout.text).toBe('');
    expect(stderr.text).toMatch(
      /^bnerd team status: error system-error ENOTDIR: .* \(mend it and try again\)\n$/,
    );
  });
});

describe('what is not understood', () => {
  test.each([
    [['team', 'rnu'], 'there is no command "team rnu" (did you mean "bnerd team run"?)'],
    [['run', 'quickstart'], 'there is no command "run" (did you mean "bnerd team run"?)'],
    [['statsu', 'x'], 'there is no command "statsu" (did you mean "bnerd team status"?)'],
    [['deploy'], 'there is no command "deploy" ("bnerd --help" lists the commands)'],
    [['--versoin'], '"bnerd" has no flag --versoin (did you mean "--version"?)'],
    [['help', 'team', 'rnu'], 'there is no command "team rnu" (did you mean "bnerd team run"?)'],
    [['team', 'list', 'x'], 'too many words: none is taken'],
    [['tem', 'list'], 'did you mean "bnerd team list"?'],
    [['help', 'exit-code'], 'no help on "exit-code" (did you mean "bnerd help exit-codes"?)'],
    [['help', 'rols'], 'no help on "rols" (did you mean "bnerd help roles"?)'],
    [['help', 'recipes', 'x'], 'no help on "recipes x" (did you mean "bnerd help recipes"?)'],
    [['help', 'nosuch'], '"bnerd --help" lists the commands'],
  ])('%j is refused on stderr with exit 2: %s', async (argv, said) => {
    const { exit, stdout, stderr } = await typed(...argv);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test('what was typed reaches the terminal without its control codes', async () => {
    const { stderr } = await typed('team', '\u001b[2Jrun\u0007');
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  test.each([
    [['team', 'run', 'x', '--json-events', '--bad'], {}],
    [['team', 'run', '--json-events=all'], {}],
    [['team', 'resume', '--bad'], { BNERD_JSON_EVENTS: '1' }],
    [['team', 'run', 'x', '--json-events', '--safety', 'loose'], {}],
    [['team', 'run', 'x', '--json-events', '--mission-repo', '/nowhere'], {}],
  ])('%j is one run.refused line where events were asked for', async (argv, env) => {
    const { program, stdout, stderr } = testProgram({ env });
    expect(await main(argv, program)).toBe(2);
    expect(stderr.text).toBe('');
    expect(stdout.lines).toHaveLength(1);
    expect(stdout.lines[0]).toMatchObject({
      v: 1,
      seq: 1,
      at: '2026-11-30T10:00:00.000Z',
      type: 'run.refused',
      exit: 2,
      findings: [{ severity: 'error', message: expect.any(String), remedy: expect.any(String) }],
    });
  });

  test('a form of events that there is not is refused as text', async () => {
    const { exit, stdout, stderr } = await typed('team', 'run', 'x', '--json-events=xml');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('--json-events: error bad-value "xml" is not allowed here; allowed: facts, all');
  });
});

describe('refusals before a run', () => {
  test('tell every finding on a line of its own and create nothing', async () => {
    const root = await tempDir('refused');
    const work = join(root, 'work');
    await mkdir(work);
    const { program, stdout, stderr } = testProgram({
      workingDirectory: work,
      env: { HOME: root, BNERD_HOME: join(root, 'state'), BNERD_GRACE: 'soon', BNERD_VAR: 'x' },
    });
    expect(await main(['team', 'run', 'no-such', '--safety', 'loose'], program)).toBe(2);
    expect(stdout.text).toBe('');
    expect(stderr.text.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^BNERD_VAR: error bad-value "x".*\(.+\)$/),
      expect.stringMatching(/^--safety: error bad-value "loose".*\(.+\)$/),
      expect.stringMatching(/^BNERD_GRACE: error bad-value "soon".*\(.+\)$/),
    ]);
    expect(await readdir(root)).toEqual(['work']);
  });

  test('name an unknown recipe with those there are, and create nothing', async () => {
    const root = await tempDir('refused');
    const env = { HOME: root, BNERD_HOME: join(root, 'state') };
    const { program, stderr } = testProgram({ workingDirectory: '/', env });
    expect(await main(['team', 'run', 'quickstrat'], program)).toBe(2);
    expect(stderr.text).toMatch(/quickstrat: error unknown-recipe .*did you mean "quickstart"/);
    expect(await readdir(root)).toEqual([]);
  });

  test.each([
    ['', /--prompt -: error bad-prompt stdin is empty/],
    ['x'.repeat(1024 * 1024 + 1), /--prompt -: error bad-prompt stdin holds more than 1 MiB/],
  ])('a prompt from stdin is none when it is empty or beyond all measure', async (text, said) => {
    const { program, stderr, stdin } = testProgram({ env: { HOME: await tempDir() } });
    stdin.end(text);
    expect(await main(['team', 'run', 'quickstart', '--prompt', '-'], program)).toBe(2);
    expect(stderr.text).toMatch(said);
  });
});

describe('cleanup', () => {
  async function home(): Promise<string> {
    const folder = await tempDir();
    await mkdir(join(folder, 'runs/run-x-1'), { recursive: true });
    return folder;
  }

  test('without a terminal wants --yes', async () => {
    const { program, stdout, stderr } = testProgram({ env: { BNERD_HOME: await home() } });
    expect(await main(['team', 'cleanup', 'run-x'], program)).toBe(2);
    expect(stdout.text).toBe('');
    expect(stderr.text).toMatch(/--yes: error needs-yes .*there is no terminal \(add --yes\)/);
  });

  test('of a team that is not there asks nothing', async () => {
    const { program, stderr } = testProgram({ env: { BNERD_HOME: await home() }, terminal: true });
    expect(await main(['team', 'cleanup', 'run-y'], program)).toBe(2);
    expect(stderr.text).toMatch(/^run-y: error unknown-team there is no team "run-y"/);
  });

  test.each(['\n', 'no\n', 'later\n', 'yess\n'])('does nothing without a plain yes: %j', async (answer) => {
    const env = { BNERD_HOME: await home() };
    const { program, stderr, stdin } = testProgram({ env, terminal: true });
    stdin.write(answer);
    expect(await main(['team', 'cleanup', 'run-x', '--purge'], program)).toBe(1);
    // Whose beginning was typed is asked about by its whole id.
    expect(stderr.text).toBe('stop run-x-1 if it is live and DELETE its record? [y/N]: ');
  });
});

describe('team list', () => {
  test('pads the slug to 21 columns and puts the description behind it', async () => {
    const { exit, stdout, stderr } = await typed('team', 'list');
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(/^quickstart {11}\S.*$/m);
  });

  test('shows the file that wins, and all of them as JSON', async () => {
    const root = await tempDir('list');
    const folder = join(root, 'orchestrator/teams/quickstart');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'team.md'), '---\nname: quickstart\ndescription: Ours\n---\n');
    const text = testProgram();
    expect(await main(['team', 'list', '--mission-repo', root], text.program)).toBe(0);
    expect(text.stdout.text.match(/^quickstart.*$/gm)).toEqual(['quickstart           Ours']);
    const json = testProgram();
    expect(await main(['team', 'list', '--json', '--mission-repo', root], json.program)).toBe(0);
    const { v, recipes } = JSON.parse(json.stdout.text);
    expect(v).toBe(1);
    expect(recipes.filter(({ slug }: { slug: string }) => slug === 'quickstart')).toMatchObject([
      { tier: 'mission', description: 'Ours', shadowed_by: null },
      { tier: 'builtin', shadowed_by: join(folder, 'team.md') },
    ]);
  });
});
