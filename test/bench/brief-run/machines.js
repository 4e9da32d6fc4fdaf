/** The machines of the brief run: homes of their own, the built program in them, and the keys by which they know each other. */

import { execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const CLI = join(
  process.env.BNERD_TEST_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url)),
  'cli.js',
);
const ENGINEER = fileURLToPath(new URL('engineer.sh', import.meta.url));
export const RECIPE = 'brief-run';
export const POOL = 'bench';

/** Members that delegate. Each may have several briefs out. */
const CLERKS = 4;

/** The role whose task a unit is. */
export function clerkOf(unit) {
  return `clerk-${unit % CLERKS}`;
}

/** A machine: folders of its own, and what every program on it has in its environment. */
export async function machine(root, name, redis) {
  const path = join(root, name);
  const env = {
    PATH: process.env.PATH,
    HOME: join(path, 'home'),
    BNERD_HOME: join(path, 'state'),
    TMPDIR: path,
    LANG: 'C.UTF-8',
    BNERD_REDIS_URL: redis.url,
    BNERD_REDIS_PREFIX: redis.names.prefix,
  };
  const work = join(path, 'work');
  await mkdir(work, { recursive: true });
  return { name, path, work, env, workdir: join(path, 'runner') };
}

/** Runs the program to its end; what it has written to stdout. Rejects when it does not end with 0. */
export async function bnerd({ work, env }, args) {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: work, env });
  return stdout;
}

/** What was started ends with this process, on every way out. */
const started = [];
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** Starts the program; what it writes goes into files of its machine. */
export function start({ path, work, env }, name, args) {
  const out = { stdout: join(path, `${name}.out`), stderr: join(path, `${name}.err`) };
  const [stdout, stderr] = [openSync(out.stdout, 'w'), openSync(out.stderr, 'w')];
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: work,
    env,
    stdio: ['ignore', stdout, stderr],
  });
  closeSync(stdout);
  closeSync(stderr);
  started.push(child);
  let exit;
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      exit = code ?? signal;
      resolve(exit);
    });
  });
  return {
    ...out,
    pid: child.pid,
    ended,
    isOver: () => exit !== undefined,
    end: () => child.kill('SIGTERM'),
  };
}

/** The team's side: recipe, roles, settings, and a repository to work on. */
export async function teamMachine(root, redis, { url }) {
  const team = await machine(root, 'team', redis);
  const most = 1_000_000_000;
  const limits = { concurrency: CLERKS + 1, turns: most, model_calls: most, tokens: 1e15, messages: most };
  Object.assign(limits, { unread_bytes: most, tasks: most, record_bytes: 1e12 });
  const clerks = Array.from({ length: CLERKS }, (_, place) => clerkOf(place));
  const recipe = {
    name: RECIPE,
    description: 'As many briefs as it gets',
    lead: 'lead',
    roles: ['lead', ...clerks],
    safety: 'non-destructive',
    limits: { ...limits, wall_minutes: 100_000 },
    engineer: {
      kind: 'command',
      pool: POOL,
      policy: 'complete_on_verified',
      // Computed again, from what was committed.
      verify: { square: ['sh', '-c', 'read unit square <answer.txt && [ "$((unit * unit))" = "$square" ]'] },
    },
  };
  const role = (name, is, more) =>
    put(
      join(team.env.BNERD_HOME, `roles/${name}.md`),
      `---\n${JSON.stringify({ name, description: `The ${name}`, base: 'none', ...more })}\n---\nYou are ${is}.\n`,
    );
  await put(
    join(team.env.BNERD_HOME, `teams/${RECIPE}/team.md`),
    `---\n${JSON.stringify(recipe)}\n---\nWork together.\n`,
  );
  await role('lead', 'lead', {});
  for (const name of clerks) await role(name, 'clerk', { delegate: true });
  await settings(team, {
    model: 'openai-compatible/big',
    providers: { 'openai-compatible': { 'base-url': url } },
    models: {
      'openai-compatible/big': { context: 32_768, 'max-output': 4_096, price: { input: 0, output: 0 } },
    },
  });
  await put(join(team.work, 'readme.txt'), 'Squares.\n');
  const git = (...words) => promisify(execFile)('git', words, { cwd: team.work, env: team.env });
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', '.');
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid'];
  await git(...author, 'commit', '--quiet', '--message', 'Begin');
  const made = await bnerd(team, ['keys', 'init', '--role', 'worker']);
  return { ...team, workerKey: /public key: (\S+)/.exec(made)?.[1] };
}

/**
 * A runner with a home of its own, which takes briefs: each side has accepted the key of the other.
 * @param witness the file in which its engineers say that they were there
 */
export async function runnerMachine(root, redis, name, { team, witness, keepFailed }) {
  const runner = await machine(root, name, redis);
  await settings(runner, {
    runner: { 'min-free': 0, engineers: { command: { path: 'sh', args: [ENGINEER, witness] } } },
  });
  await mkdir(runner.workdir, { mode: 0o700 });
  await bnerd(runner, ['keys', 'accept', team.workerKey, '--name', 'team', '--role', 'worker']);
  const place = ['--workdir', runner.workdir, '--repos', team.work];
  const words = ['--pool', POOL, '--same-user'];
  runner.env = { ...runner.env, BNERD_RUNNER_KEEP_FAILED: keepFailed };
  runner.process = start(runner, 'runner', ['runner', ...place, ...words]);
  const [, key] = await said(runner.process, /public key (\S+)[\s\S]*takes briefs/);
  await bnerd(team, ['keys', 'accept', key, '--name', name]);
  return runner;
}

/** Waits until a process has written something; rejects when it ends first, or not within a minute. */
async function said({ stdout, stderr, isOver }, pattern) {
  for (let at = 0; at < 600; at++) {
    const text = (await readFile(stdout, 'utf8')) + (await readFile(stderr, 'utf8'));
    const found = pattern.exec(text);
    if (found !== null) return found;
    if (isOver()) throw new Error(`it ended before it said ${pattern}: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`it has not said ${pattern} within a minute`);
}

function settings({ env }, text) {
  return put(join(env.HOME, '.bnerd.yaml'), JSON.stringify(text));
}

async function put(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
