/**
 * `node test/bench/brief-run.js [briefs] [runners] [--json]`, after `npm run build`: a team on a real Redis whose members
 * delegate so many briefs, and so many runners with homes of their own, each a process of the built program. What is
 * checked and what is printed: `README.md` beside this file. Exit 1: something was not as it has to be; each thing is a
 * line on stderr. Exit 2: wrong arguments.
 */

import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './big-run/server.js';
import { bnerd, CLI, RECIPE, runnerMachine, start, teamMachine } from './brief-run/machines.js';
import { answerOf, orderText } from './brief-run/players.js';
import { eventLines, witnesses, wrongBriefs } from './brief-run/record.js';
import { folderKiB, keyNames, processesOf, quarters, sample } from './brief-run/samples.js';
import { RowRedis } from './redis.js';

/** Briefs that are out at once, for each runner. */
const WINDOW = 3;
/** How long what a runner keeps of a brief stays. */
const KEEP_FAILED = '20s';
/** How often the run is looked at, and how many looks it gets at least, in briefs between two of them. */
const LOOK_MS = 250;
const LOOKS = 60;
/** How long everything that was out may take to be put in order behind the last brief. */
const SETTLE_MS = 60_000;

/** Of `/proc`, a second; the same on every Linux. */
const CLOCK_TICKS = 100;

/** What a figure may have grown from the second quarter to the last, and by how much beside. */
const GROWTH = {
  coordinatorKiB: { times: 1.25, more: 24 << 10 },
  runnerKiB: { times: 1.15, more: 16 << 10 },
  diskKiB: { times: 1.25, more: 1 << 10 },
  keys: { times: 1.25, more: 16 },
  keysKiB: { times: 1.25, more: 128 },
};

const sizes = readSizes(process.argv.slice(2));
if (sizes === undefined) {
  console.error('brief-run: two whole numbers: briefs from 8, runners from 1; --json');
  process.exitCode = 2;
} else if (!existsSync(CLI)) {
  console.error(`brief-run: ${CLI} is not there: build it with "npm run build"`);
  process.exitCode = 2;
} else {
  await briefRun(sizes);
}

function readSizes(words) {
  const json = words.includes('--json');
  const [briefs = '1000', runners = '8', ...rest] = words.filter((word) => word !== '--json');
  const read = { briefs: Number(briefs), runners: Number(runners), json };
  const fit = Number.isInteger(read.briefs) && Number.isInteger(read.runners);
  return fit && read.briefs >= 8 && read.runners >= 1 && rest.length === 0 ? read : undefined;
}

async function briefRun({ briefs, runners: count, json }) {
  // What was started is ended on every way out.
  for (const [signal, exit] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ])
    process.once(signal, () => process.exit(exit));
  const root = await mkdtemp(join(tmpdir(), 'bnerd-brief-run-'));
  const server = await startServer(answerOf);
  const rowRedis = new RowRedis();
  const wrong = [];
  try {
    const redis = await rowRedis.connect();
    const report = await measured({ root, server, redis, briefs, count }, wrong);
    await redis.release(await keyNames(redis)); // None unless something was wrong.
    wrong.push(...server.problems.slice(0, 5));
    print(report, json);
  } finally {
    server.close();
    await rowRedis.stop();
    if (process.env.BRIEF_RUN_KEEP === undefined) await rm(root, { recursive: true, force: true });
    else console.error(`brief-run: kept in ${root}`);
  }
  for (const line of wrong.slice(0, 50)) console.error(`brief-run: ${line}`);
  if (wrong.length > 0) process.exitCode = 1;
}

async function measured({ root, server, redis, briefs, count }, wrong) {
  const team = await teamMachine(root, redis, server);
  const witness = join(root, 'witness');
  const names = Array.from({ length: count }, (_, place) => `vm-${place + 1}`);
  const runners = await Promise.all(
    names.map((name) => runnerMachine(root, redis, name, { team, witness, keepFailed: KEEP_FAILED })),
  );
  const began = performance.now();
  const cpuBefore = childrenCpuS();
  const order = orderText({ briefs, window: WINDOW * count });
  const words = ['--json-events', '--quiet', '--auto-approve', 'all'];
  const coordinator = start(team, 'run', ['team', 'run', RECIPE, order, ...words]);
  const samples = await watched({ briefs, runners, coordinator, redis, witness });
  const exit = await coordinator.ended;
  const wallS = (performance.now() - began) / 1000;
  const lines = await eventLines(coordinator.stdout);
  if (lines.team === undefined) throw new Error(`no team: ${await readFile(coordinator.stdout, 'utf8')}`);
  const check = (holds, what) => {
    if (!holds) wrong.push(what);
  };
  check(
    exit === 0,
    `the run ended with ${exit}: ${(await readFile(coordinator.stderr, 'utf8')).slice(-1_000)}`,
  );
  check(lines.last.reason === 'done', `the last line is ${JSON.stringify(lines.last).slice(0, 500)}`);
  wrong.push(...(await wrongBriefs({ briefs, lines, witness: await witnesses(witness), team })));
  const verified = await bnerd(team, ['team', 'verify', lines.team]).catch((error) => error);
  check(typeof verified === 'string', `verify: ${verified.stdout}`);
  const left = await settled({ runners, redis });
  check(left.length === 0, `behind the last brief there are still ${left.join(', ')}`);
  for (const runner of runners) {
    runner.process.end();
    const ended = await runner.process.ended;
    check(
      ended === 0,
      `${runner.name} ended with ${ended}: ${await readFile(runner.process.stderr, 'utf8')}`,
    );
    await bnerd(runner, ['runner', 'prune', '--workdir', runner.workdir, '--keep-failed', '0s']);
  }
  const cpuS = childrenCpuS() - cpuBefore;
  await bnerd(team, ['team', 'cleanup', lines.team, '--purge', '--yes']);
  const keys = await keyNames(redis);
  check(keys.length === 0, `behind the cleanup there are still ${keys.join(', ')}`);
  const processes = await processesOf(root);
  check(processes.length === 0, `processes are left: ${processes.join('; ')}`);
  const growth = Object.fromEntries(
    Object.keys(GROWTH).map((name) => [name, quarters(samples, briefs, name)]),
  );
  for (const [name, { second, last }] of Object.entries(growth)) {
    const { times, more } = GROWTH[name];
    check(second > 0 && last <= second * times + more, `${name} has grown from ${second} to ${last}`);
  }
  const disk = await Promise.all(runners.map(({ workdir }) => folderKiB(workdir)));
  return {
    briefs,
    runners: count,
    wall_s: round(wallS),
    cpu_s_a_brief: round(cpuS / briefs, 100),
    looks: samples.length,
    growth,
    record_kib_a_brief: round((samples.at(-1)?.recordKiB ?? 0) / briefs),
    pruned_disk_kib: Math.max(...disk),
    model_calls: server.counts.requests,
  };
}

/** Looks until the run has ended: each time when some more briefs were begun. */
async function watched({ briefs, runners, coordinator, redis, witness }) {
  const samples = [];
  const step = Math.max(1, Math.floor(briefs / LOOKS));
  while (!coordinator.isOver()) {
    const begun = (await witnesses(witness)).length;
    if (begun >= (samples.at(-1)?.briefs ?? 0) + step) {
      samples.push(await sample({ briefs: begun, runners, coordinator, redis }));
      await appendFile(`${witness}.samples`, `${JSON.stringify(samples.at(-1))}\n`); // for who keeps the folder
    }
    await pause(LOOK_MS);
  }
  return samples;
}

/** What does not go by itself of what was put down for briefs, behind the last of them. */
async function settled({ runners, redis }) {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const keys = (await keyNames(redis)).filter((key) => /\}:(brief|taken|up|desk):?/.test(key));
    const folders = await Promise.all(
      runners.flatMap(({ workdir }) => ['briefs', 'outbox'].map((name) => itemsOf(join(workdir, name)))),
    );
    const left = [...keys, ...folders.flat()];
    if (left.length === 0 || performance.now() > until) return left;
    await pause(LOOK_MS);
  }
}

async function itemsOf(folder) {
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}

/** CPU time of the processes that were started and have ended, and of theirs, in seconds. */
function childrenCpuS() {
  const [, text] = /\) (.*)/.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
  const [, , , , , , , , , , , , , user, system] = text.split(' ').map(Number);
  return (user + system) / CLOCK_TICKS;
}

function print(report, json) {
  if (json) {
    console.log(JSON.stringify(report));
    return;
  }
  const { growth, ...figures } = report;
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(20)} ${value}`);
  console.log(`\n${'median of a quarter'.padEnd(20)} second     last`);
  for (const [name, { second, last }] of Object.entries(growth))
    console.log(`${name.padEnd(20)} ${String(second).padEnd(10)} ${last}`);
}

function round(value, parts = 10) {
  return Math.round(value * parts) / parts;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
