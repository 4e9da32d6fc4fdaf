/**
 * Opens a team on Redis for this process: its record, folded, and its folder on this machine, where processes of its tools
 * are kept account of. Who runs it takes the lease of the run as well; turns of it are run by whoever has their leases.
 */

import { Agenda } from '../../dispatch/agenda.js';
import { isClearing, type RunLease, runHolder, type Taken, takeRun } from '../../dispatch/leases.js';
import { isLive, keepLive } from '../../dispatch/presence.js';
import { observedRecord } from '../../events/observed-record.js';
import { withoutSecrets } from '../../events/redacted-record.js';
import { OwnWrites } from '../../events/redis/own-writes.js';
import { openRedisRecord } from '../../events/redis/redis-record.js';
import type { SnapshotSeal } from '../../events/redis/redis-snapshots.js';
import { sleep } from '../../shared/abort.js';
import { BugError } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import { inFolder } from '../../shared/make-folder.js';
import { lookAtProcess } from '../../shared/process-identity.js';
import { ProcessGroups } from '../../shared/processes.js';
import { Releases } from '../../shared/releases.js';
import { type FoldedLog, foldLog } from '../../state/fold-log.js';
import { TeamStore } from '../../state/team-store.js';
import type { House } from '../house.js';
import { operatorPairs, snapshotSeal } from '../key-ring.js';
import { endOld, heldFinding, type OpenedTeam, type OpenTeam } from '../open-team.js';
import { foreignLog } from '../record-owner.js';
import { KeptRun } from './kept-run.js';
import { dropMirror, mendFromMirror } from './mend-from-mirror.js';
import { openLink, type RedisLink, type RedisPlace, redisFolder } from './redis-link.js';
import { leaveFolder, processesIn } from './served-folder.js';

/** How often a lease is asked for whose holder is gone, in milliseconds. */
const LAPSE_MS = 200;
/** How long a good-bye to a server may take that does not answer, in milliseconds. */
const CLOSE_MS = 500;

/** So many facts are read and folded in a tenth of a second. */
const SNAPSHOT_AFTER_FACTS = 10_000;

/** How long a server may be away for who looks at a team, in milliseconds: a person waits. */
const LOOK_WITHIN_MS = 10_000;

export interface RedisOpening {
  readonly id: string;
  /** On this machine. */
  readonly folder: string;
  readonly mode: 'create' | 'open';
  /** What it means where nothing is recorded of the team and there is a mirror: see `mendFromMirror`. */
  readonly missing: 'lost' | 'unknown';
}

export type OpenedRedis =
  | { readonly kind: 'open'; readonly team: HeldTeam }
  | Extract<OpenedTeam, { kind: 'held' }>;

export interface RedisTeam extends OpenTeam {
  readonly link: RedisLink;
  readonly own: OwnWrites;
}

/** A team that this process has the run of. */
export interface HeldTeam extends RedisTeam {
  readonly kept: KeptRun;
  /** What its server had lost of it. */
  readonly loss: readonly Finding[];
}

/** Takes a team on Redis, to run it. */
export async function openRedisTeam(
  house: House,
  place: RedisPlace,
  { id, folder, mode, missing }: RedisOpening,
): Promise<OpenedRedis> {
  const releases = new Releases();
  try {
    const link = await openLink(house, place);
    releases.add('connection', () => link.close());
    const taken = await takeRunOfTheLiving(link, id);
    if (taken.kind === 'held') {
      const holder = taken.by ?? (await runHolder(link, id));
      await releases.run();
      const who = holder === undefined ? 'another process' : `pid ${holder.pid} on ${holder.host}`;
      const finding = heldFinding(id, who, 'alive');
      const remedy = `${finding.remedy}; --attach looks on from here and answers`;
      return { kind: 'held', finding: { ...finding, remedy } };
    }
    const kept = new KeptRun(link, id, taken.lease);
    releases.add('lease of the run', () => kept.close());
    // Of a team that had the name before nothing is put back.
    if (mode === 'create') await dropMirror(folder);
    const mending = { id, folder, missing, seen: [] };
    const loss = mode === 'open' ? await mendFromMirror(house, link, mending) : [];
    const opened = await openRecord(house, link, {
      id,
      folder,
      mode,
      releases,
      lost: kept.lost,
      as: 'operator',
    });
    const team = { ...opened, findings: [...loss, ...opened.findings], kept, loss };
    const live = await keepLive(link, id, mode === 'create' ? 'not yet' : 'there');
    releases.add('sign of life', () => live.drop());
    // Known from before its first entry on: whoever finds nothing of it there takes it off.
    await new Agenda(link).add(id, place.timing.leaseMs);
    return { kind: 'open', team };
  } catch (error) {
    await releases.run();
    throw error;
  }
}

/**
 * Takes the lease of the run. Where its holder was a process of this machine that is gone, its lease is waited for: it ends
 * by itself, and nobody has to guess when. A lease is never broken, so a mistake about the dead costs this wait. A worker
 * that found the team without a log, and clears away what is left, is waited for as well.
 */
async function takeRunOfTheLiving(link: RedisLink, id: string): Promise<Taken<RunLease>> {
  const { clock, holder } = link;
  const until = clock.monotonicMs() + link.place.timing.leaseMs + LAPSE_MS;
  for (;;) {
    const taken = await takeRun(link, id);
    if (taken.kind === 'taken' || clock.monotonicMs() > until) return taken;
    const { by } = taken;
    if (by !== undefined && !isClearing(by)) {
      if (by.host !== holder.host || (await lookAtProcess(by.pid)).kind !== 'gone') return taken;
    }
    await sleep(LAPSE_MS, new AbortController().signal);
  }
}

/**
 * Opens a team beside whoever runs it: for a word of the operator, or for turns. Nothing is taken.
 * @param link stays the caller's
 * @param as who speaks: a worker signs nothing
 */
export async function joinRedisTeam(
  house: House,
  link: RedisLink,
  id: string,
  folder: string,
  as: 'operator' | 'worker' = 'operator',
): Promise<RedisTeam> {
  const releases = new Releases();
  try {
    const lost = new AbortController().signal;
    return await openRecord(house, link, { id, folder, mode: 'open', releases, lost, as });
  } catch (error) {
    await releases.run();
    throw error;
  }
}

/** The state that the log of a team gives, for who only looks; from a snapshot on where there is one. */
export async function foldedTeam(house: House, link: RedisLink, id: string): Promise<FoldedLog> {
  const { connection, names, clock } = link;
  const snapshots = await snapshotsOf(house, link);
  const place = { connection, names, team: id, clock, snapshots, unreachableMs: LOOK_WITHIN_MS };
  const record = await openRedisRecord({ ...place, mode: 'open', closeMs: CLOSE_MS });
  try {
    return await foldLog(record.log);
  } finally {
    await record.close();
  }
}

/** A team beside whoever serves it, for the time of a word. Rejects as `openLink` and `joinRedisTeam` do. */
export async function besideTeam<Value>(
  house: House,
  place: RedisPlace,
  id: string,
  use: (team: RedisTeam) => Promise<Value>,
): Promise<Value> {
  const link = await openLink(house, place);
  try {
    const team = await joinRedisTeam(house, link, id, redisFolder(house, place, id));
    try {
      return await use(team);
    } finally {
      await team.releases.run();
    }
  } finally {
    await link.close();
  }
}

/** Where teams have to be signed, snapshots have to be: whoever may write to the server could say there what it likes. */
async function snapshotsOf(
  house: House,
  { place }: RedisLink,
): Promise<{ readonly code: string; readonly afterFacts: number; readonly seal?: SnapshotSeal }> {
  const plain = { code: house.version, afterFacts: SNAPSHOT_AFTER_FACTS };
  return place.signed === 'always' ? { ...plain, seal: await snapshotSeal(house) } : plain;
}

interface Opening {
  readonly id: string;
  readonly folder: string;
  readonly mode: 'create' | 'open';
  readonly releases: Releases;
  readonly lost: AbortSignal;
  readonly as: 'operator' | 'worker';
}

async function openRecord(
  house: House,
  link: RedisLink,
  { id, folder, mode, releases, lost, as }: Opening,
): Promise<RedisTeam> {
  const { connection, names, clock } = link;
  const { durability } = link.place;
  const onPassing = (error: unknown): void => link.trouble.hear(error);
  const snapshots = await snapshotsOf(house, link);
  const own = new OwnWrites();
  const place = { connection, names, team: id, clock, snapshots, own };
  const opened = await openRedisRecord({ ...place, mode, closeMs: CLOSE_MS, onPassing, durability });
  const record = observedRecord(withoutSecrets(opened, house.secrets), id, clock, house.operations);
  releases.add('record', () => record.close());
  // Time went on for the team while some process ran it.
  const served = mode === 'open' && (await isLive(link, id));
  const time = served ? 'went on' : 'stood still';
  const pairs = as === 'operator' ? () => operatorPairs(house) : undefined;
  const store = await TeamStore.open(record.log, clock, house.secrets, time, pairs);
  const foreign = foreignLog(id, store.state);
  if (foreign !== undefined) throw foreign;
  const processes = processesIn(folder);
  await inFolder(processes, 0o700, async () => {});
  releases.add('folder', () => leaveFolder(folder));
  const findings = [...record.findings];
  if (mode === 'open') findings.push(...(await endOld(processes)));
  const groups = new ProcessGroups({ folder: processes });
  const lock = {
    lost,
    announce: async (): Promise<void> => {
      throw new BugError('no-socket', 'a team on Redis is spoken to through its record');
    },
    release: async (): Promise<void> => {},
  };
  return { id, folder, lock, record, store, groups, releases, findings, link, own };
}
