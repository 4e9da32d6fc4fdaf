/** What the processes, folders and keys of the brief run take while it goes on, and whether that grows with its briefs. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Keys that hold the record of a team, which grows with what has happened. */
const OF_RECORD = /\}:(log|blobs|sizes|snapshot|t:[^:]+)$/;

/** Looks at one moment: memory of processes, bytes of folders, keys and bytes of Redis beside the record, and of it. */
export async function sample({ briefs, runners, coordinator, redis }) {
  const rss = await Promise.all(runners.map(({ process }) => residentKiB(process.pid)));
  const disk = await Promise.all(runners.map(({ workdir }) => folderKiB(workdir)));
  return {
    briefs,
    coordinatorKiB: await residentKiB(coordinator.pid),
    runnerKiB: Math.max(...rss),
    diskKiB: Math.max(...disk),
    ...(await keysOf(redis)),
  };
}

async function residentKiB(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

export async function folderKiB(path) {
  // What goes meanwhile is named on stderr, and is no failure.
  const { stdout } = await promisify(execFile)('du', ['-sk', path]).catch((error) => error);
  return Number(/^\d+/.exec(stdout)?.[0]);
}

/** Everything under the prefix. */
export async function keyNames({ connection: { client }, names: { prefix } }) {
  const found = new Set();
  for await (const some of client.scanStream({ match: `${prefix}:*`, count: 1_000 }))
    for (const key of some) found.add(key);
  return [...found];
}

async function keysOf(redis) {
  const keys = await keyNames(redis);
  const bytes = await Promise.all(
    keys.map((key) => redis.connection.client.memory('USAGE', key, 'SAMPLES', 0)),
  );
  const sum = (wanted) => keys.reduce((all, key, at) => (wanted(key) ? all + (bytes[at] ?? 0) : all), 0);
  const others = keys.filter((key) => !OF_RECORD.test(key));
  return {
    keys: others.length,
    keysKiB: Math.round(sum((key) => !OF_RECORD.test(key)) / 1024),
    recordKiB: Math.round(sum((key) => OF_RECORD.test(key)) / 1024),
  };
}

/**
 * What a figure was while the second quarter of the briefs was worked on, and while the last was: the first loads and
 * compiles what each process needs for any.
 */
export function quarters(samples, briefs, name) {
  const within = (from, to) =>
    samples.filter((one) => one.briefs > from * briefs && one.briefs <= to * briefs);
  const middle = (some) => some.map((one) => one[name]).sort((one, other) => one - other)[some.length >> 1];
  return { second: middle(within(0.25, 0.5)), last: middle(within(0.75, 1)) };
}

/** Processes in whose command line or environment a folder is named: everything that was started below it. */
export async function processesOf(folder) {
  if (!existsSync('/proc/self/environ')) return [];
  const found = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue;
    const texts = await Promise.all(
      ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    if (texts.some((text) => text.includes(folder))) found.push(`${pid} ${texts[0].replaceAll('\0', ' ')}`);
  }
  return found;
}
