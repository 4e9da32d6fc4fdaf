/**
 * Which processes run, read from `/proc` without the help of the code under test. A zombie does not count: it runs
 * nothing, and where no init buries it it stays for ever.
 */

import { readdir, readFile } from 'node:fs/promises';
import { until } from './until.js';

/** What of a team may be alive: processes by number, groups by number, whatever carries a marker. */
export interface Remains {
  readonly pids?: readonly number[];
  /** Process groups and sessions. */
  readonly groups?: readonly number[];
  /** `NAME=value` of an environment. */
  readonly marker?: string;
}

/** One line for each process that is still there. */
export async function running({ pids = [], groups = [], marker }: Remains): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    if (stat === '') continue; // It was buried while it was looked at.
    const [state = 'X', , group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') continue;
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    const marked = marker !== undefined && environment.split('\0').includes(marker);
    const grouped = groups.includes(Number(group)) || groups.includes(Number(session));
    if (pids.includes(Number(name)) || grouped || marked) found.push(stat.slice(0, 60));
  }
  return found;
}

/** Waits until nothing of it runs any more. */
export async function noneRunning(remains: Remains): Promise<void> {
  await until(async () => (await running(remains)).length === 0, {
    ms: 20_000,
    what: `nothing of ${JSON.stringify(remains)} runs`,
  });
}
