/** What a mirror is good for: a record that the server has lost, whole or in part, when its team is taken up again. */

import { appendFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEntry } from '../../events/log-entry.js';
import { readFileRecord } from '../../events/record-view.js';
import { readRedisRecord } from '../../events/redis/redis-view.js';
import { reseed } from '../../events/redis/reseed.js';
import { isoStamp } from '../../shared/clock.js';
import type { Finding } from '../../shared/findings.js';
import { jsonLine } from '../../shared/jsonl.js';
import { fold } from '../../state/team-store.js';
import type { House } from '../house.js';
import type { RedisLink } from './redis-link.js';

/** @param folder of the team on this machine */
export function mirrorFolder(folder: string): string {
  return join(folder, 'mirror');
}

/** Whether there is a mirror of a team. */
export async function isMirrored(folder: string): Promise<boolean> {
  return stat(join(mirrorFolder(folder), 'log.jsonl')).then(
    ({ size }) => size > 0,
    () => false,
  );
}

/**
 * Before a team is taken up: puts a record back that the server has lost whole, and sets aside what only the mirror knows
 * of one that is shorter than it was. The caller has the lease of the run.
 * @returns what was found, for people
 */
export async function mendFromMirror(
  house: Pick<House, 'clock'>,
  link: RedisLink,
  id: string,
  folder: string,
): Promise<readonly Finding[]> {
  if (!(await isMirrored(folder))) return [];
  const { client, names, connection } = link;
  const mirror = readFileRecord(mirrorFolder(folder), 'strict');
  if ((await client.exists(names.log(id))) === 0) {
    const { entries, aside } = await reseed(client, names, id, mirror);
    const lost = await keepLost(house, folder, 'transcripts.lost', aside);
    const what = `the server had lost the record; ${entries} entries were put back from the mirror${lost}`;
    return [finding('record-put-back', id, what)];
  }
  const view = readRedisRecord({ connection, names, team: id, reading: 'strict' });
  const tail = lostTail((await view.log()).entries, (await mirror.log()).entries);
  if (tail.length === 0) return [];
  const lost = await keepLost(house, folder, 'log.lost', tail);
  const what = `the server has lost the end of the log: ${tail.length} entries that were recorded, from fact ${tail[0]?.first} on; what it holds stands${lost}`;
  return [finding('log-shorter', id, what)];
}

/** What the mirror has seen and the server does not hold any more. */
function lostTail(there: readonly LogEntry[], seen: readonly LogEntry[]): readonly LogEntry[] {
  const held = new Map(there.map((entry) => [entry.first, JSON.stringify(entry)]));
  const first = seen.findIndex((entry) => held.get(entry.first) !== JSON.stringify(entry));
  return first === -1 ? [] : seen.slice(first);
}

async function keepLost(
  { clock }: Pick<House, 'clock'>,
  folder: string,
  name: string,
  lost: readonly object[],
): Promise<string> {
  if (lost.length === 0) return '';
  const path = join(folder, name);
  const lines = lost.map((one) => jsonLine({ set_aside: isoStamp(clock.wallMs()), ...one }));
  await appendFile(path, lines.join(''), { mode: 0o600 });
  return `; ${lost.length} that nothing follows from are in ${path}`;
}

function finding(code: string, id: string, message: string): Finding {
  const remedy = 'look at what the server keeps on its disk (AOF), and at what was lost';
  return { code, severity: 'warning', path: id, message, remedy };
}

/** What a mirror says of its team: `going on` when it could be taken up again; undefined where there is none. */
export async function mirroredPhase(folder: string): Promise<'going on' | 'over' | undefined> {
  if (!(await isMirrored(folder))) return undefined;
  const { phase } = fold((await readFileRecord(mirrorFolder(folder), 'tolerant').log()).entries);
  const over = phase.kind === 'archived' || phase.kind === 'ended';
  return over ? 'over' : 'going on';
}
