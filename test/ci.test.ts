/** `.ci/run` against scripted far sides: `npm`, `apt-get` and `id` are tiny programs, bash and node the real ones. */

import { constants } from 'node:fs';
import { access, chmod, copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test, vi } from 'vitest';
import { tempDir } from './helpers/temp-dir.js';

// Each test starts many processes; the bound is for a loaded machine.
vi.setConfig({ testTimeout: 60_000 });

const CI = join(import.meta.dirname, '..', '.ci');

interface Answer {
  readonly exitCode: number | undefined;
  readonly lines: readonly string[];
}

function testOf(status: string, fullName = `a test that ${status}`): object {
  return { fullName, status };
}

function fileOf(assertionResults: readonly object[], status = 'passed', message = ''): object {
  return { name: 'test/a.test.ts', status, message, assertionResults };
}

/** Runs the judge on a report of these files; without files, on one that was never written. */
async function judge(files: readonly object[] | undefined, status: number): Promise<Answer> {
  const report = join(await tempDir('judge'), 'report.json');
  await writeFile(report, files === undefined ? '' : JSON.stringify({ testResults: files }));
  const { exitCode, stdout } = await execa(
    process.execPath,
    [join(CI, 'judge.mjs'), report, String(status)],
    {
      reject: false,
    },
  );
  return { exitCode, lines: stdout.split('\n') };
}

describe('the judge', () => {
  test('is content when every test passed', async () => {
    expect(await judge([fileOf([testOf('passed'), testOf('passed')])], 0)).toEqual({
      exitCode: 0,
      lines: ['2 passed, 0 failed'],
    });
  });

  test('names and counts failed tests', async () => {
    expect(await judge([fileOf([testOf('passed'), testOf('failed')], 'failed')], 1)).toEqual({
      exitCode: 1,
      lines: ['failed: a test that failed', '1 passed, 1 failed'],
    });
  });

  test.each(['skipped', 'pending', 'todo'])(
    'refuses a test that is %s, though the command succeeded',
    async (status) => {
      expect(await judge([fileOf([testOf('passed'), testOf(status)])], 0)).toEqual({
        exitCode: 1,
        lines: [`skipped, which is refused here: a test that ${status}`, '1 passed, 1 failed'],
      });
    },
  );

  test('lets a test be skipped whose name says that it needs the corpus', async () => {
    const skipped = testOf('skipped', 'import reads every role (needs the corpus)');
    expect(await judge([fileOf([testOf('passed'), skipped])], 0)).toEqual({
      exitCode: 0,
      lines: ['1 passed, 0 failed'],
    });
  });

  test('counts a file that did not load', async () => {
    const files = [fileOf([testOf('passed')]), fileOf([], 'failed', 'no such module')];
    expect(await judge(files, 1)).toEqual({
      exitCode: 1,
      lines: ['did not load: test/a.test.ts: no such module', '1 passed, 1 failed'],
    });
  });

  test('counts a command that failed beside the tests or before them', async () => {
    const remark = 'the test command ended with 2, though no test failed: see what it printed';
    expect(await judge([fileOf([testOf('passed')])], 2)).toEqual({
      exitCode: 1,
      lines: [remark, '1 passed, 1 failed'],
    });
    expect(await judge(undefined, 2)).toEqual({ exitCode: 1, lines: [remark, '0 passed, 1 failed'] });
  });

  test('is not content with a run of no tests', async () => {
    for (const files of [[], undefined]) {
      expect(await judge(files, 0)).toEqual({
        exitCode: 1,
        lines: ['no test passed: none was run', '0 passed, 1 failed'],
      });
    }
  });
});

/** Tools of the system that the script may use; everything else on its PATH is scripted. */
const TOOLS = ['bash', 'dirname', 'grep', 'mktemp', 'rm', 'cat'];

const NPM_PASSES = `
for arg in "$@"; do case "$arg" in --outputFile.json=*) out="\${arg#*=}";; esac; done
[ "$1" = ci ] || echo '{"testResults":[{"name":"a","status":"passed","message":"","assertionResults":[{"fullName":"x","status":"passed"}]}]}' > "$out"`;

interface Checkout {
  readonly top: string;
  /** What the scripted programs were called with, in order. */
  calls(): Promise<string[]>;
  run(cwd?: string): Promise<Answer>;
}

/** A checkout with the real `.ci`, a README and programs of which each logs its call, then runs its text. */
async function checkout(
  programs: Readonly<Record<string, string>>,
  readme = '# x\n\n    npm ci\n\nnpm test\n',
): Promise<Checkout> {
  const top = await tempDir('checkout');
  const bin = join(top, 'bin');
  const log = join(top, 'calls');
  await mkdir(join(top, '.ci'));
  await mkdir(bin);
  await writeFile(log, '');
  await writeFile(join(top, 'README.md'), readme);
  for (const file of ['run', 'judge.mjs']) await copyFile(join(CI, file), join(top, '.ci', file));
  for (const tool of TOOLS) await symlink(await find(tool), join(bin, tool));
  await symlink(process.execPath, join(bin, 'node'));
  for (const [name, text] of Object.entries(programs)) {
    const program = join(bin, name);
    await writeFile(program, `#!${bin}/bash\necho "${name} $*" >> ${log}\n${text}\n`);
    await chmod(program, 0o755);
  }
  return {
    top,
    calls: async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1),
    run: async (cwd = top) => {
      const { exitCode, stdout } = await execa(join(top, '.ci/run'), {
        cwd,
        reject: false,
        extendEnv: false,
        env: { PATH: bin, CI: 'true', TMPDIR: top },
      });
      return { exitCode, lines: stdout.split('\n') };
    },
  };
}

async function find(tool: string): Promise<string> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(directory, tool);
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  throw new Error(`${tool} is not on the PATH`);
}

describe('the script', () => {
  test('installs the dependencies, runs the test command and ends with the count, from any directory', async () => {
    const { run, calls, top } = await checkout({ npm: NPM_PASSES, 'redis-server': '' });
    expect(await run(await tempDir())).toEqual({ exitCode: 0, lines: ['1 passed, 0 failed'] });
    const [install, tests, ...more] = await calls();
    expect(install).toBe('npm ci');
    expect(tests).toContain(`npm test -- --reporter=default --reporter=json --outputFile.json=${top}/tmp.`);
    expect(more).toEqual([]);
  });

  test('fails with a count when the test command fails before the tests', async () => {
    const { run } = await checkout({ npm: '[ "$1" = ci ] || exit 3', 'redis-server': '' });
    const { exitCode, lines } = await run();
    expect(exitCode).toBe(1);
    expect(lines.at(-1)).toBe('0 passed, 1 failed');
  });

  test('runs no test when the dependencies cannot be installed', async () => {
    const { run, calls } = await checkout({ npm: 'exit 1', 'redis-server': '' });
    expect(await run()).toMatchObject({ exitCode: 1 });
    expect(await calls()).toEqual(['npm ci']);
  });

  test.each(['', '# x\n\nRun npm test, if you like.\n'])(
    'fails when the README does not name the test command: %j',
    async (readme) => {
      const { run, calls } = await checkout({ npm: NPM_PASSES, 'redis-server': '' }, readme);
      const { exitCode, lines } = await run();
      expect({ exitCode, last: lines.at(-1) }).toEqual({ exitCode: 1, last: '0 passed, 1 failed' });
      expect(await calls()).toEqual([]);
    },
  );

  test('as root it installs a missing redis-server, and tries once more when that fails', async () => {
    const once = 'if [ "$1" = update ]; then [ -e failed ] || { : > failed; exit 100; }; fi';
    const { run, calls } = await checkout({ npm: NPM_PASSES, id: 'echo 0', 'apt-get': once });
    expect(await run()).toMatchObject({ exitCode: 0 });
    expect((await calls()).slice(0, 4)).toEqual([
      'id -u',
      'apt-get update',
      'apt-get update',
      'apt-get install --yes --no-install-recommends redis-server',
    ]);
  });

  test('goes on without redis-server when it cannot be installed: skipped tests are refused anyway', async () => {
    const user = await checkout({ npm: NPM_PASSES, id: 'echo 1000' });
    expect(await user.run()).toMatchObject({ exitCode: 0 });
    expect(await user.calls()).not.toContain('apt-get update');
    const offline = await checkout({ npm: NPM_PASSES, id: 'echo 0', 'apt-get': 'exit 100' });
    expect(await offline.run()).toMatchObject({ exitCode: 0 });
  });
});
