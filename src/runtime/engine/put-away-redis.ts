/**
 * Puts a team on Redis away (spec/engine.md §3 "cleanup"): its record is written into an archive on this machine, which
 * is compared with it, it is recorded as archived, and only then deleted. Whatever fails on the way, the team is still on
 * Redis or whole in the archive; and once it is not on Redis any more this machine has nothing to put it back from.
 *
 * A team that the server holds nothing of is archived from the mirror that is here, and never put back for that.
 */

import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { giveBackRun, type RunLease, takeRun } from '../../dispatch/leases.js';
import { appendAll, appendMemory, copyRecord, openCopy, proveSame } from '../../events/copy-record.js';
import { type RecordView, readFileRecord } from '../../events/record-view.js';
import { readMirror } from '../../events/redis/mirror-file.js';
import { openTranscriptStream } from '../../events/redis/redis-transcripts.js';
import { readRedisRecord } from '../../events/redis/redis-view.js';
import { deadlineAfter, sleep } from '../../shared/abort.js';
import { FatalError, systemCode, UserError } from '../../shared/errors.js';
import { ulid } from '../../shared/ids.js';
import { scanKeys } from '../../shared/scan-keys.js';
import { fold } from '../../state/team-store.js';
import { stateDigest } from '../../team/state-digest.js';
import { archiveFolder, type House } from '../house.js';
import { openTeam } from '../open-team.js';
import { stopAlone } from '../stop-alone.js';
import { freePlace, recordArchived, STOP_DEADLINE_MS, STOP_LOOK_MS, stillLive } from './archive-place.js';
import type { PutAway } from './engine.js';
import { dropMirror, mendFromMirror, mirrorPath } from './mend-from-mirror.js';
import type { RedisLink } from './redis-link.js';
import { joinRedisTeam } from './redis-open.js';
import { removeTeam } from './remove-team.js';

/** @param folder of the team on this machine */
export async function putAwayRedis(
  house: House,
  link: RedisLink,
  id: string,
  folder: string,
  how: { readonly purge: boolean },
): Promise<PutAway> {
  // Who was killed has its leases for their time.
  const withinMs = STOP_DEADLINE_MS + link.place.timing.leaseMs;
  const deadline = deadlineAfter(withinMs);
  const lease = await free(link, id, deadline);
  if (lease === undefined) return stillLive(id, withinMs);
  try {
    const there = (await link.client.exists(link.names.log(id))) === 1;
    if (there && !how.purge) await mendFromMirror(house, link, { id, folder, missing: 'unknown', seen: [] });
    const target = how.purge ? undefined : await (there ? archive : archiveMirror)(house, link, id, folder);
    await dropMirror(folder);
    await removeTeam(link, id);
    if (target !== undefined) await moveRest(folder, target);
    await rm(folder, { recursive: true, force: true });
    return { kind: 'done', text: `${id} is ${target === undefined ? 'deleted' : `archived in ${target}`}` };
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof FatalError)) throw error;
    const { code, message } = error;
    const remedy = `look at it with bnerd team verify ${id}; bnerd team cleanup ${id} --purge deletes it without an archive`;
    return { kind: 'refused', findings: [{ code, severity: 'error', path: id, message, remedy }] };
  } finally {
    await giveBackRun(link, id, lease);
  }
}

/** Waits until nobody coordinates the run or has a turn of it; undefined when that is in vain. */
async function free(link: RedisLink, id: string, deadline: AbortSignal): Promise<RunLease | undefined> {
  const taken = await inTime(deadline, async () => {
    const answer = await takeRun(link, id);
    return answer.kind === 'taken' ? answer.lease : undefined;
  });
  if (taken === undefined) return undefined;
  const turns = link.names.everyTurnLease(id);
  const quiet = await inTime(deadline, async () =>
    (await scanKeys(link.client, turns)).length === 0 ? true : undefined,
  );
  if (quiet === true) return taken;
  await giveBackRun(link, id, taken);
  return undefined;
}

async function inTime<Value>(
  deadline: AbortSignal,
  look: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  for (;;) {
    const value = await look();
    if (value !== undefined) return value;
    try {
      await sleep(STOP_LOOK_MS, deadline);
    } catch {
      return undefined;
    }
  }
}

/** Writes the archive and proves it; its folder. */
async function archive(house: House, link: RedisLink, id: string, folder: string): Promise<string> {
  const { connection, names } = link;
  const view = readRedisRecord({ connection, names, team: id, reading: 'strict' });
  const { part, target } = await freshPlace(house, link, id);
  const copy = await openCopy(part, house.clock, 'create');
  try {
    await copyRecord(view, copy);
    await proveCopy(view, part);
    const { next } = fold((await view.log()).entries);
    const team = await joinRedisTeam(house, link, id, folder);
    try {
      // Whoever was told to stop may have died before it did.
      await stopAlone(house, team.store);
      await recordArchived(house, team.store);
    } finally {
      await team.releases.run();
    }
    const { entries } = await view.log();
    await appendAll(
      entries.filter(({ first }) => first >= next),
      copy,
    );
  } finally {
    await copy.close();
  }
  await proveCopy(view, part);
  await rename(part, target);
  return target;
}

/** Writes what this machine has seen of the team; undefined where it has seen nothing. */
async function archiveMirror(
  house: House,
  link: RedisLink,
  id: string,
  folder: string,
): Promise<string | undefined> {
  const mirror = await readMirror(mirrorPath(folder), id);
  if (mirror === undefined) return undefined;
  const { part, target } = await freshPlace(house, link, id);
  const copy = await openCopy(part, house.clock, 'create');
  try {
    for (const [member, raw] of mirror.memories)
      await appendMemory(member, openTranscriptStream(raw).entries, copy);
    for (const text of mirror.texts) await copy.blobs.put(text);
    await appendAll(mirror.entries, copy);
  } finally {
    await copy.close();
  }
  // From here on it is a team in files like any other.
  const opened = await openTeam(house, id, part, 'open');
  if (opened.kind === 'held') throw new FatalError(opened.finding.code, opened.finding.message);
  const { store, releases } = opened.team;
  try {
    // One that was running when it was last seen here has no other end.
    const detail = 'its server holds nothing of it any more; it is put away as this machine had last seen it';
    await store.send(`operator/${ulid(house.clock.wallMs())}`, { kind: 'run.fail', cause: 'error', detail });
    await recordArchived(house, store);
  } finally {
    await releases.run();
  }
  await rename(part, target);
  return target;
}

/** Where an archive is written, and where it lies when it is whole. */
async function freshPlace(
  house: House,
  { names }: RedisLink,
  id: string,
): Promise<{ readonly part: string; readonly target: string }> {
  const target = await freePlace(house, id);
  // Left by a process that died over it: not proven, and written anew.
  const part = join(archiveFolder(house), `.part-${names.prefix}-${id}`);
  await rm(part, { recursive: true, force: true });
  return { part, target };
}

async function proveCopy(view: RecordView, folder: string): Promise<void> {
  const copy = readFileRecord(folder, 'strict');
  await proveSame(view, copy);
  const [original, copied] = [fold((await view.log()).entries), fold((await copy.log()).entries)];
  if (stateDigest(original) !== stateDigest(copied))
    throw new FatalError('copy-differs', 'the archive folds to another state than the record; it stays');
}

/** The workspace of a team that had one of its own, and whatever else it has left on this machine. */
async function moveRest(folder: string, target: string): Promise<void> {
  let names: readonly string[] = [];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  const there = new Set(await readdir(target));
  for (const name of names) if (!there.has(name)) await rename(join(folder, name), join(target, name));
}
