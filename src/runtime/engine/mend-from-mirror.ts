/** What a mirror is good for: a record that the server has lost, whole or in part, when its team is taken up again. */

import { appendFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEntry } from '../../events/log-entry.js';
import { readMirror } from '../../events/redis/mirror-file.js';
import type { Mirrored } from '../../events/redis/mirror-lines.js';
import { readRedisRecord } from '../../events/redis/redis-view.js';
import { reseed, type SetAside } from '../../events/redis/reseed.js';
import { isoStamp } from '../../shared/clock.js';
import { UserError } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { jsonLine } from '../../shared/jsonl.js';
import { scanKeys } from '../../shared/scan-keys.js';
import { fold } from '../../state/team-store.js';
import { wallsOf } from '../../state/walls.js';
import type { House } from '../house.js';
import type { RedisLink } from './redis-link.js';

/** The mirror of a team. @param folder of the team on this machine */
export function mirrorPath(folder: string): string {
  return join(folder, 'mirror.jsonl');
}

/** Whether there is one. */
export async function isMirrored(folder: string): Promise<boolean> {
  return stat(mirrorPath(folder)).then(
    ({ size }) => size > 0,
    () => false,
  );
}

/** Takes it away: of the team nothing is put back any more. */
export async function dropMirror(folder: string): Promise<void> {
  await rm(mirrorPath(folder), { force: true });
}

export interface Mending {
  readonly id: string;
  /** Of the team on this machine. */
  readonly folder: string;
  /** What a log that is not there means: `lost` for certain, or nobody knows: the team may have been put away. */
  readonly missing: 'lost' | 'unknown';
  /** Entries of the log that this process has seen and that are not in the mirror yet. */
  readonly seen: readonly LogEntry[];
}

/**
 * Before a team is taken up: puts a record back that the server has lost whole, and sets aside what only this machine knows
 * of one that is shorter than it was. The caller has the lease of the run.
 * @returns what was lost, for people; nothing where nothing was
 * @throws UserError `record-missing` where nobody knows; FatalError `mirror-broken`
 */
export async function mendFromMirror(
  house: Pick<House, 'clock'>,
  link: RedisLink,
  { id, folder, missing, seen }: Mending,
): Promise<readonly Finding[]> {
  const mirror = await readMirror(mirrorPath(folder), id);
  if (mirror === undefined) return [];
  const { client, names, connection } = link;
  if ((await client.exists(names.log(id))) === 0) {
    if (missing === 'unknown') throw missingRecord(link, id, mirror);
    const { aside } = await reseed(client, names, id, mirror);
    await endTurns(link, id);
    const what = `the server had lost the record; it was put back from the mirror, up to fact ${upTo(mirror.entries)}`;
    const behind = seen.filter(({ first }) => first > upTo(mirror.entries));
    const kept = await keepLost(house, folder, behind, aside);
    return [finding('record-put-back', id, `${what}${kept}`)];
  }
  const view = readRedisRecord({ connection, names, team: id, reading: 'strict' });
  const there = (await view.log()).entries;
  if (text(there[0]) !== text(mirror.entries[0])) {
    await dropMirror(folder); // Of a team that had the name before.
    return [];
  }
  const tail = lostTail(there, [
    ...mirror.entries,
    ...seen.filter(({ first }) => first > upTo(mirror.entries)),
  ]);
  if (tail.length === 0) return [];
  await endTurns(link, id);
  const what = `the server has lost the end of the log: ${tail.length} entries that were recorded, from fact ${tail[0]?.first} on; what it holds stands`;
  const kept = await keepLost(house, folder, tail, []);
  return [finding('log-shorter', id, `${what}${kept}`)];
}

/** Nobody has a turn any more: who runs one finds its lease gone, and ends it. */
async function endTurns({ client, names }: RedisLink, id: string): Promise<void> {
  for (const key of await scanKeys(client, names.everyTurnLease(id))) await client.unlink(key);
}

/** What the mirror has seen and the server does not hold any more. */
function lostTail(there: readonly LogEntry[], seen: readonly LogEntry[]): readonly LogEntry[] {
  const held = new Map(there.map((entry) => [entry.first, text(entry)]));
  const first = seen.findIndex((entry) => held.get(entry.first) !== text(entry));
  return first === -1 ? [] : seen.slice(first);
}

function text(entry: LogEntry | undefined): string {
  return JSON.stringify(entry) ?? '';
}

/** The number of the last fact that entries hold. */
function upTo(entries: readonly LogEntry[]): number {
  return fold(entries).next - 1;
}

/** Keeps what nothing follows from any more; says where. */
async function keepLost(
  { clock }: Pick<House, 'clock'>,
  folder: string,
  tail: readonly LogEntry[],
  aside: readonly SetAside[],
): Promise<string> {
  const kept: string[] = [];
  for (const [name, lost] of [
    ['log.lost', tail],
    ['transcripts.lost', aside],
  ] as const) {
    if (lost.length === 0) continue;
    const path = join(folder, name);
    const lines = lost.map((one) => jsonLine({ set_aside: isoStamp(clock.wallMs()), ...one }));
    await appendFile(path, lines.join(''), { mode: 0o600 });
    kept.push(`; ${lost.length} that nothing follows from are in ${path}`);
  }
  return kept.join('');
}

function finding(code: string, id: string, message: string): Finding {
  const remedy = 'look at what the server keeps on its disk (AOF), and at what was lost';
  return { code, severity: 'warning', path: id, message, remedy };
}

/** Lost or put away: the server cannot say, so a person has to. @param mirror what of it is here */
export function missingRecord(
  { connection }: RedisLink,
  id: string,
  mirror: Pick<Mirrored, 'entries'>,
): UserError {
  const seen = `up to fact ${upTo(mirror.entries)} of ${wallsOf(mirror.entries)?.newest ?? 'no time'}`;
  const what = `${connection.shown} holds nothing of ${id}, and this machine has a mirror of it, ${seen}: the server has lost it, or the team was put away from another machine`;
  const remedy = `where it was lost, bnerd team resume ${id} --take-over puts it back; where it was put away, bnerd team cleanup ${id} clears what is here`;
  return new UserError('record-missing', `${what}; ${remedy}`);
}

export interface MirroredTeam {
  /** `going on`: it could be taken up again. */
  readonly phase: 'going on' | 'over';
  /** Empty of a mirror that is broken: what is wrong with it is said to who takes the team up. */
  readonly entries: readonly LogEntry[];
}

/** What a mirror says of its team; undefined where there is none. */
export async function mirroredTeam(folder: string, id: string): Promise<MirroredTeam | undefined> {
  if (!(await isMirrored(folder))) return undefined;
  const mirror = await readMirror(mirrorPath(folder), id).catch(() => undefined);
  const entries = mirror?.entries ?? [];
  const { phase } = fold(entries);
  const over = phase.kind === 'archived' || phase.kind === 'ended';
  return { phase: over ? 'over' : 'going on', entries };
}
