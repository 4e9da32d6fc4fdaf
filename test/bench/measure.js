/**
 * Measures one row: ours and the reference in turn, so that whatever the machine does meets both, the order
 * changed every round, after rounds that do not count.
 *
 * A row is `{name, measures, reference, goal, floor, rounds, warmup, cpu, missing, ours, theirs, below?, beside?, release?}`.
 * `goal` and `floor` are ratios of wall time, or null; a goal may stand without a floor. `cpu` says whose time counts, `self` or
 * `children`; `judged: 'cpu'` makes the ratios ratios of that time. `missing`
 * names what must be made first, or gives undefined. A side is `{prepare?, run, release?}`; only `run` is timed, and it
 * gets what `prepare` gave. `counts`, where given, says how many of what a run makes, `{what, perRun, goalPerSecond}`, for a
 * figure that is a rate; its goal may be null. `per`, `{what, perRun}`, has the CPU time of one of so many things shown. `below`
 * holds further references by name, none of which ours may reach: the goal for each is a ratio below 1. `beside` holds sides by name that are measured and shown in the same run and judge nothing.
 * A run that gives a list of milliseconds has made so many waits: their p50 and p99 are shown, of all rounds together.
 * `serverCpuMs`, where given, tells the CPU time of the server that both sides use.
 * `release` of the row runs when all rounds are over.
 *
 * A row that measures sizes has `look` in place of sides, which gives the bytes of both in one go, and `size`,
 * `{what, goalBytes}`.
 */

import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Rejects when the row cannot be measured here. */
export async function measure(row, rounds) {
  const missing = row.missing();
  if (missing !== undefined) throw new Error(missing);
  try {
    return await (row.look === undefined ? measureRounds : measureSizes)(row, rounds);
  } finally {
    await row.release?.();
  }
}

async function measureRounds(row, rounds) {
  const sides = { ours: row.ours, theirs: row.theirs, ...row.below, ...row.beside };
  const samples = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = -row.warmup; round < rounds; round++) {
    const order = Object.keys(sides);
    for (const side of round % 2 === 0 ? order : order.reverse()) {
      const sample = await timed(sides[side], cpuClock(row.cpu), row.serverCpuMs ?? (() => null));
      if (round >= 0) samples[side].push(sample);
    }
  }
  const ours = summary(samples.ours);
  const theirs = summary(samples.theirs);
  const ratioTo = (side) => figure(ours, row) / figure(side, row);
  const others = (group) => Object.keys(group ?? {}).map((name) => ({ name, ...summary(samples[name]) }));
  const beside = others(row.beside);
  const below = others(row.below).map((other) => ({ ...other, ratio: ratioTo(other) }));
  const ratio = ratioTo(theirs);
  const { name, measures, reference, goal, floor } = row;
  return {
    name,
    measures,
    reference,
    rounds,
    ours,
    theirs,
    ...(below.length === 0 ? {} : { below }),
    ...(beside.length === 0 ? {} : { beside }),
    ...(row.judged === undefined ? {} : { judged: row.judged }),
    ...(row.per === undefined ? {} : { per: row.per }),
    ratio,
    goal,
    floor,
    verdict: verdict(ratio, row),
    ...(row.counts === undefined ? {} : { rate: rate(row.counts, ours) }),
  };
}

async function measureSizes(row, rounds) {
  const looks = [];
  for (let round = 0; round < rounds; round++) looks.push(await row.look());
  const middle = (side) => {
    const sorted = looks.map((look) => look[side]).sort((a, b) => a - b);
    return { medianBytes: Math.round(quantile(sorted, 0.5)) };
  };
  const { name, measures, reference, goal, floor, size } = row;
  const [ours, theirs] = [middle('ours'), middle('theirs')];
  const ratio = ours.medianBytes / theirs.medianBytes;
  return { name, measures, reference, rounds, ours, theirs, ratio, goal, floor, verdict: null, size };
}

async function timed(side, cpuMs, serverCpuMs) {
  const prepared = await side.prepare?.();
  try {
    const serverBefore = await serverCpuMs();
    const cpuBefore = cpuMs();
    const before = performance.now();
    const each = await side.run(prepared);
    const wallMs = performance.now() - before;
    const cpuAfter = cpuMs();
    const serverAfter = await serverCpuMs();
    return {
      wallMs,
      each: Array.isArray(each) ? each : [],
      cpuMs: cpuBefore === null ? null : cpuAfter - cpuBefore,
      serverMs: serverBefore === null ? null : serverAfter - serverBefore,
    };
  } finally {
    await side.release?.(prepared);
  }
}

/** What of a side is judged. */
function figure({ medianMs, medianCpuMs }, { judged }) {
  return judged === 'cpu' ? medianCpuMs : medianMs;
}

function summary(samples) {
  const walls = inOrder(samples.map(({ wallMs }) => wallMs));
  const each = inOrder(samples.flatMap((sample) => sample.each));
  const cpus = samples.map(({ cpuMs }) => cpuMs);
  const mean = (times) =>
    times.includes(null) ? null : times.reduce((sum, one) => sum + one, 0) / times.length;
  return {
    medianMs: quantile(walls, 0.5),
    p25Ms: quantile(walls, 0.25),
    p75Ms: quantile(walls, 0.75),
    // The mean, since the time of children is counted in steps of the kernel that a single sample may miss.
    cpuMs: mean(cpus),
    medianCpuMs: cpus.includes(null) ? null : quantile(inOrder(cpus), 0.5),
    serverMs: mean(samples.map(({ serverMs }) => serverMs)),
    ...(each.length === 0 ? {} : { each: { p50Ms: quantile(each, 0.5), p99Ms: quantile(each, 0.99) } }),
  };
}

function inOrder(values) {
  return values.sort((a, b) => a - b);
}

/** Linear between the two nearest of the sorted values. */
function quantile(sorted, part) {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  return below + (above - below) * (place - Math.floor(place));
}

function rate({ what, perRun, goalPerSecond }, { medianMs }) {
  return { what, perSecond: Math.round((perRun * 1000) / medianMs), goalPerSecond };
}

function verdict(ratio, { goal, floor }) {
  if (goal === null) return null;
  if (ratio <= goal) return 'goal met';
  if (floor === null) return 'goal missed';
  return ratio <= floor ? 'within the floor' : 'floor missed';
}

function cpuClock(whose) {
  return whose === 'self' ? selfCpuMs : childrenCpuMs;
}

function selfCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** User and system time of children that have ended; null where the system has no such table. */
function childrenCpuMs() {
  try {
    // Fields 16 and 17 of proc(5), in hundredths of a second; the name before them may hold blanks and brackets.
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return null; // not Linux: the figure is left out, the wall time stands
  }
}
