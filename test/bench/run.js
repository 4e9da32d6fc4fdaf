/**
 * `npm run bench [name…] [-- --json] [-- --rounds n]`: measures each row's figure and its named reference in the
 * same run, and prints both and their ratio. What each row means: `README.md` beside this file.
 *
 * A benchmark, not a test: a missed goal is printed, and the exit code stays 0. Exit 1: a row could not be
 * measured. Exit 2: wrong arguments.
 */

import { readdir } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measure } from './measure.js';

const rows = await loadRows();
const options = readArguments(rows.map(({ name }) => name));
if (options !== undefined) await runRows(rows, options);

async function loadRows() {
  const folder = new URL('rows/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.js')).sort();
  return Promise.all(files.map(async (file) => (await import(new URL(file, folder).href)).row));
}

function readArguments(known) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: 'boolean' }, rounds: { type: 'string' } },
    });
    const unknown = positionals.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`no row "${unknown}"`);
    const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
    if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
      throw new Error(`--rounds "${values.rounds}" is not a whole number from 1`);
    }
    // Written before `--`, npm takes the flag for its own and hands it on in the environment.
    const json = values.json ?? process.env.npm_config_json === 'true';
    return { names: positionals.length === 0 ? known : positionals, json, rounds };
  } catch (error) {
    console.error(`bench: ${error.message}; rows: ${known.join(', ')}; flags: --json, --rounds <n>`);
    process.exitCode = 2;
    return undefined;
  }
}

async function runRows(all, { names, json, rounds }) {
  if (!json) console.log(machine());
  for (const row of all.filter(({ name }) => names.includes(name))) {
    try {
      const result = await measure(row, rounds ?? row.rounds);
      console.log(json ? JSON.stringify({ ...result, node: process.version }) : `\n${asText(result)}`);
    } catch (error) {
      console.error(`bench ${row.name}: ${error.message}`);
      process.exitCode = 1;
    }
  }
}

function machine() {
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  const model = cpus()[0]?.model ?? 'unknown processor';
  return `Node ${process.version}, ${process.platform}, ${availableParallelism()} × ${model}, load ${load}`;
}

function asText(result) {
  const {
    name,
    measures,
    reference,
    rounds,
    ours,
    theirs,
    below = [],
    beside = [],
    judged = 'wall',
    per,
    ratio,
    goal,
    floor,
    verdict,
    rate,
    size,
  } = result;
  const least = floor === null ? '' : `, floor ${floor}`;
  const bounds = goal === null ? 'no goal set' : `goal ${goal}${least}: ${verdict}`;
  const what = judged === 'cpu' ? ' of CPU time' : '';
  const figure = judged === 'cpu' ? 'medianCpuMs' : 'medianMs';
  return [
    `${name}: ${measures}, against ${reference} (${rounds} rounds)`,
    `  ours       ${sideText(ours, per)}`,
    `  reference  ${sideText(theirs, per)}`,
    `  ratio      ${ratio.toFixed(2)}${what} (${bounds})`,
    ...(ours.each === undefined ? [] : [`  each       ${eachText(ours.each, theirs.each, goal)}`]),
    ...(rate === undefined ? [] : [`  rate       ${rateText(rate)}`]),
    ...(size === undefined ? [] : [`  size       ${sizeText(size, ours)}`]),
    ...below.map(
      (other) =>
        `  below      ${other.name}: ${sideText(other, per)}, ours to it ${other.ratio.toFixed(2)}${what} (goal below 1: ${other.ratio < 1 ? 'met' : 'missed'})`,
    ),
    ...beside.map(
      (other) =>
        `  beside     ${other.name}: ${sideText(other, per)}, ratio ${(other[figure] / theirs[figure]).toFixed(2)}${what}`,
    ),
  ].join('\n');
}

function rateText({ what, perSecond, goalPerSecond }) {
  const figure = `${perSecond} ${what} a second`;
  if (goalPerSecond === null) return figure;
  return `${figure} (goal ${goalPerSecond}: ${perSecond >= goalPerSecond ? 'met' : 'missed'})`;
}

function sizeText({ what, goalBytes }, { medianBytes }) {
  const met = medianBytes < goalBytes ? 'met' : 'missed';
  return `${medianBytes} bytes for ${what} (goal below ${goalBytes}: ${met})`;
}

/** Single waits: both figures and how they stand to each other. */
function eachText(ours, theirs, goal) {
  const one = (name, key) => {
    const ratio = ours[key] / theirs[key];
    const verdict = goal === null ? '' : ratio <= goal ? ': goal met' : ': goal missed';
    return `${name} ${ours[key].toFixed(2)} ms against ${theirs[key].toFixed(2)} (ratio ${ratio.toFixed(2)}${verdict})`;
  };
  return `${one('p50', 'p50Ms')}, ${one('p99', 'p99Ms')}`;
}

function sideText({ medianMs, p25Ms, p75Ms, cpuMs, medianCpuMs, serverMs, medianBytes }, per) {
  if (medianBytes !== undefined) return `median ${medianBytes} bytes`;
  const cpu = cpuMs === null ? 'CPU unknown here' : `CPU ${shareText(cpuMs, medianMs)}`;
  const server = serverMs === null ? '' : `, of the server ${shareText(serverMs, medianMs)}`;
  const half = `half of them in ${p25Ms.toFixed(1)}–${p75Ms.toFixed(1)} ms`;
  const each = per === undefined ? '' : `, ${perText(per, medianCpuMs)}`;
  return `median ${medianMs.toFixed(1)} ms, ${half}, ${cpu}${server}${each}`;
}

function perText({ what, perRun }, medianCpuMs) {
  return `${Math.round((1000 * medianCpuMs) / perRun)} µs of it a ${what}`;
}

function shareText(ms, ofMs) {
  return `${ms.toFixed(1)} ms (${Math.round((100 * ms) / ofMs)} %)`;
}
