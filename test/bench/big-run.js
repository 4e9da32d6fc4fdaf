/**
 * `node test/bench/big-run.js [members] [tasks] [turns]`, after `npm run build`: a team of that size, played by a server
 * that computes its answers from what it is sent, run by the built program to its end while a second process asks for its
 * status every second. What is checked and what is printed: `README.md` beside this file. Exit 1: something was not as
 * it has to be; each thing is a line on stderr. Exit 2: wrong arguments.
 */

import { spawn } from 'node:child_process';
import { closeSync, createReadStream, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { answerOf, orderText, workerName } from './big-run/players.js';
import { startServer } from './big-run/server.js';

const CLI = join(
  process.env.BNERD_TEST_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url)),
  'cli.js',
);
const USAGE = new URL('big-run/usage.js', import.meta.url).href;
const RECIPE = 'big-run';
/** What the operator says at half time: it has to come out in the result. */
const WORD = `word${Math.floor(Math.random() * 1e6)}`;
/** How long nothing is due at half time, and how often the status is asked for, in milliseconds. */
const IDLE_MS = 3_000;
const POLL_MS = 1_000;

const sizes = readSizes(process.argv.slice(2));
if (sizes === undefined) {
  console.error('big-run: three whole numbers: members from 3, tasks from 10, turns from 2 × tasks');
  process.exitCode = 2;
} else if (!existsSync(CLI)) {
  console.error(`big-run: ${CLI} is not there: build it with "npm run build"`);
  process.exitCode = 2;
} else {
  await bigRun(sizes);
}

function readSizes([members = '50', tasks = '2000', turns = '20000', ...rest]) {
  const read = { members: Number(members), tasks: Number(tasks), turns: Number(turns) };
  const whole = Object.values(read).every(Number.isInteger);
  const fit = read.members >= 3 && read.tasks >= 10 && read.turns >= 2 * read.tasks;
  return whole && fit && rest.length === 0 ? read : undefined;
}

async function bigRun(size) {
  const root = await mkdtemp(join(tmpdir(), 'bnerd-big-run-'));
  const server = await startServer(answerOf);
  const wrong = [];
  try {
    const report = await measured(root, server, size, wrong);
    console.log(JSON.stringify(report, null, 1));
  } finally {
    server.close();
    if (process.env.BIG_RUN_KEEP === undefined) await rm(root, { recursive: true, force: true });
    else console.error(`big-run: kept in ${root}`);
  }
  for (const line of [...wrong, ...server.problems.slice(0, 5)]) console.error(`big-run: ${line}`);
  if (wrong.length > 0 || server.problems.length > 0) process.exitCode = 1;
}

async function measured(root, server, size, wrong) {
  const home = await makeHome(root, size, server.url);
  const began = performance.now();
  const run = startRun(home);
  const watched = watch(home, server, run);
  const exit = await run.ended;
  const wallS = (performance.now() - began) / 1000;
  const { polls, idle } = await watched;
  const lines = await eventLines(home.events);
  if (lines.team === undefined) throw new Error(`no team: ${await readFile(home.events, 'utf8')}`);
  const [used] = await usages(home.usage.run);
  const verified = await bnerd(home, ['team', 'verify', lines.team]);
  const folder = join(home.state, 'runs', lines.team);
  const ended = lines.last.type === 'run.ended' ? lines.last : undefined;
  const { totals } = ended ?? { totals: {} };
  const check = (holds, what) => {
    if (!holds) wrong.push(what);
  };
  check(
    exit === 0,
    `the run ended with exit ${exit}: ${(await readFile(home.stderr, 'utf8')).slice(-1_000)}`,
  );
  check(ended?.reason === 'done', `the last line is ${JSON.stringify(lines.last).slice(0, 500)}`);
  check(ended?.result.endsWith(`with ${WORD}.`), `the result is ${ended?.result}`);
  check(
    totals.tasks_completed === size.tasks,
    `${totals.tasks_completed} of ${size.tasks} tasks are completed`,
  );
  check(totals.turns >= size.turns, `${totals.turns} of ${size.turns} turns`);
  check(lines.gaps === 0, `${lines.gaps} of ${lines.count} event lines break the sequence`);
  check(polls.length > 0, 'the status was never read');
  check(
    polls.every(({ parsed }) => parsed),
    'a status was not read',
  );
  check(idle.asked, 'the operator was never asked');
  check(idle.calls === 0, `${idle.calls} model calls while nothing was due`);
  check(verified.exit === 0, `verify: exit ${verified.exit}: ${verified.stdout}`);
  const sized = await sizesOf(folder);
  return {
    ...size,
    wall_s: round(wallS),
    cpu_s: round((used?.cpuMicros ?? 0) / 1e6),
    peak_rss_mib: round((used?.maxRssKiB ?? 0) / 1024),
    turns_made: totals.turns,
    turns_per_cpu_s: round(totals.turns / ((used?.cpuMicros ?? 0) / 1e6)),
    model_calls: server.counts.requests,
    model_request_mib: round(server.counts.bytes / 2 ** 20),
    messages: totals.messages,
    facts: lines.facts,
    compactions: lines.compactions,
    bytes: sized,
    idle_s: IDLE_MS / 1000,
    model_calls_while_idle: idle.calls,
    status: await statusFigures(polls, home.usage.status),
  };
}

/** Recipe, roles and settings of the operator, in a home of their own; limits out of the way. */
async function makeHome(root, { members, tasks, turns }, url) {
  const state = join(root, 'state');
  const workers = members - 1;
  const batons = Math.max(1, Math.min(24, Math.floor(workers / 2)));
  const names = ['lead', ...Array.from({ length: workers }, (_, place) => workerName(place))];
  const most = 1_000_000_000;
  const limits = { members, concurrency: 8, turns: most, model_calls: most, tokens: 1e15, messages: most };
  Object.assign(limits, { unread_bytes: most, tasks: most, record_bytes: 1e12, wall_minutes: 100_000 });
  const recipe = {
    name: RECIPE,
    description: 'As large as it gets',
    lead: 'lead',
    roles: names,
    workspace: 'temp',
    limits,
  };
  const files = { [`teams/${RECIPE}/team.md`]: `---\n${JSON.stringify(recipe)}\n---\nWork together.\n` };
  for (const name of names) {
    const role = { name, description: `The ${name}`, base: 'none' };
    files[`roles/${name}.md`] = `---\n${JSON.stringify(role)}\n---\nYou are ${name}.\n`;
  }
  for (const [path, text] of Object.entries(files)) await put(join(state, path), text);
  const models = {
    'openai-compatible/big': { context: 32_768, 'max-output': 4_096, price: { input: 0, output: 0 } },
  };
  const settings = {
    model: 'openai-compatible/big',
    providers: { 'openai-compatible': { 'base-url': url } },
    models,
  };
  await put(join(root, 'home', '.bnerd.yaml'), JSON.stringify(settings));
  const work = join(root, 'work');
  await mkdir(work);
  return {
    work,
    state,
    order: orderText({ workers, tasks, hops: turns - tasks, batons }),
    events: join(root, 'events.jsonl'),
    stderr: join(root, 'stderr.txt'),
    usage: { run: join(root, 'run-usage.jsonl'), status: join(root, 'status-usage.jsonl') },
    env: {
      PATH: process.env.PATH,
      HOME: join(root, 'home'),
      BNERD_HOME: state,
      TMPDIR: root,
      LANG: 'C.UTF-8',
    },
  };
}

async function put(path, text) {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
}

/**
 * The run itself, at a terminal: only where somebody can answer does a team wait for a word. `script` of util-linux makes
 * the terminal; the event lines go into a file.
 */
function startRun(home) {
  const profile =
    process.env.BIG_RUN_PROF === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', process.env.BIG_RUN_PROF];
  const words = [process.execPath, ...profile, '--import', USAGE, CLI, 'team', 'run', RECIPE, home.order];
  const command = `exec ${[...words, '--json-events', '--quiet'].map(quoted).join(' ')} > ${quoted(home.events)}`;
  const stderr = openSync(home.stderr, 'w');
  const options = {
    cwd: home.work,
    env: { ...home.env, SHELL: '/bin/sh', TERM: 'xterm', BIG_RUN_USAGE: home.usage.run },
  };
  const child = spawn(
    'script',
    ['--quiet', '--return', '--echo', 'never', '--command', command, '/dev/null'],
    {
      ...options,
      stdio: ['pipe', stderr, stderr],
    },
  );
  closeSync(stderr);
  child.stdin.on('error', () => {});
  // It passes this on to the run; of a terminal that hangs up it takes no notice.
  process.once('exit', () => child.kill('SIGTERM'));
  process.once('SIGTERM', () => process.exit(143));
  let over = false;
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      over = true;
      resolve(code);
    });
  });
  return { ended, isOver: () => over };
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Asks for the status until the run has ended; at half time lets the team lie still, then answers. */
async function watch(home, server, run) {
  const polls = [];
  const idle = { asked: false, calls: 0 };
  const team = await startedTeam(home, run);
  while (!run.isOver()) {
    const began = performance.now();
    const poll = await statusNow(home, team);
    polls.push(poll);
    const [request] = poll.view?.requests ?? [];
    if (request !== undefined && poll.view.waiting.length > 0) {
      const before = server.counts.requests;
      await pause(IDLE_MS);
      idle.calls += server.counts.requests - before;
      idle.asked = true;
      await bnerd(home, ['team', 'answer', team, request.id, `go on with ${WORD}`]);
    }
    await pause(Math.max(0, POLL_MS - (performance.now() - began)));
  }
  return { polls, idle };
}

/** The id of the team, from the first event line. */
async function startedTeam(home, run) {
  while (!run.isOver()) {
    const text = existsSync(home.events) ? await readFile(home.events, 'utf8') : '';
    if (text.includes('\n')) return JSON.parse(text.slice(0, text.indexOf('\n'))).team;
    await pause(50);
  }
  return '';
}

async function statusNow(home, team) {
  const began = performance.now();
  const { exit, stdout } = await bnerd(home, ['team', 'status', team, '--json'], home.usage.status);
  const ms = performance.now() - began;
  try {
    return { ms, parsed: exit === 0, view: JSON.parse(stdout) };
  } catch {
    return { ms, parsed: false };
  }
}

async function bnerd(home, args, usage) {
  const counted = usage === undefined ? [] : ['--import', USAGE];
  const child = spawn(process.execPath, [...counted, CLI, ...args], {
    cwd: home.work,
    env: { ...home.env, ...(usage !== undefined && { BIG_RUN_USAGE: usage }) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pieces = [];
  child.stdout.on('data', (piece) => pieces.push(piece));
  const exit = await new Promise((resolve) => child.once('close', resolve));
  return { exit, stdout: Buffer.concat(pieces).toString() };
}

/** Reads the event lines one by one: there may be more of them than a string holds. */
async function eventLines(path) {
  const read = { count: 0, gaps: 0, facts: 0, compactions: 0, last: {} };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    read.last = JSON.parse(line);
    read.team ??= read.last.team;
    if (read.last.seq !== read.count + 1) read.gaps++;
    read.count++;
    if (read.last.type === 'member.compacted') read.compactions++;
    read.facts = read.last.n ?? read.facts;
  }
  return read;
}

async function usages(path) {
  const text = existsSync(path) ? await readFile(path, 'utf8') : '';
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Bytes of the record, by what stands in it. */
async function sizesOf(folder) {
  const sums = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const [first] = path.slice(folder.length + 1).split('/');
    sums[first] = (sums[first] ?? 0) + (await stat(path)).size;
  }
  return sums;
}

async function statusFigures(polls, path) {
  const used = (await usages(path)).map(({ cpuMicros }) => round(cpuMicros / 1000));
  const figures = (list) => {
    const sorted = [...list].sort((one, other) => one - other);
    const median = sorted[Math.floor(list.length / 2)];
    return { first: list[0], median, last: list.at(-1), slowest: sorted.at(-1) };
  };
  return { polls: polls.length, wall_ms: figures(polls.map(({ ms }) => round(ms))), cpu_ms: figures(used) };
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
