/**
 * A team on Redis that this process runs: it coordinates, and takes turns as one worker among others unless it was told not
 * to (spec/engine.md §3).
 */

import { BullMqQueue } from '../../dispatch/bullmq-queue.js';
import { turnIsHeld } from '../../dispatch/leases.js';
import { BugError } from '../../shared/errors.js';
import type { Finding } from '../../shared/findings.js';
import type { House } from '../house.js';
import type { HeldTurns, OpenedTeam, OpenTeam } from '../open-team.js';
import type { LocalTurns } from '../turn-queue.js';
import { deniesHere, NO_BOUNDS } from '../workers/fit.js';
import { localWorkspace } from '../workers/local-workspace.js';
import { OwnTeam } from '../workers/own-team.js';
import { meterRun } from '../workers/run-meters.js';
import { SharedTurns } from '../workers/shared-turns.js';
import { leaseTurn } from '../workers/turn-lease.js';
import { Worker } from '../workers/worker.js';
import { mendFromMirror } from './mend-from-mirror.js';
import { Mirror } from './mirror.js';
import { RedisGrowth } from './redis-growth.js';
import type { RedisPlace } from './redis-link.js';
import { type HeldTeam, openRedisTeam, type RedisOpening } from './redis-open.js';

/** Takes a team, to run it. */
export async function runRedisTeam(
  house: House,
  place: RedisPlace,
  opening: RedisOpening,
): Promise<OpenedTeam> {
  const opened = await openRedisTeam(house, place, opening);
  if (opened.kind === 'held') return opened;
  const { id, folder, mode } = opening;
  const { team } = opened;
  const { link, store, releases, loss } = team;
  let worker: Worker | undefined;
  let mirror: Mirror | undefined;
  /** In this process, once it is wired. */
  let own: LocalTurns | undefined;
  let trouble: (line: string) => void = () => {};
  const shared: OpenTeam['shared'] = {
    lines: new RedisGrowth(place, id, link.left),
    link,
    leaveWithin: (ms) => link.leaveWithin(ms),
    loss,
    heldTurns: () => heldTurns(team),
    regain: () => regain(house, team, mirror),
    turns: place.takesTurns
      ? {
          lease: (turn) => leaseTurn(link, id, turn, (line) => trouble(line)),
          runBy: { host: link.holder.host, worker: link.holder.id },
          denies: deniesHere(house, link.holder.host),
        }
      : {},
    queue: (hooks, local) => {
      own = local;
      trouble = hooks.trouble;
      const tell = hooks.tell ?? hooks.trouble;
      link.tellTo(tell);
      const queue = new BullMqQueue({
        connect: () => link.connect('queue'),
        names: link.names,
        clock: link.clock,
        tracing: link.tracing,
        onTrouble: tell,
      });
      releases.add('queue', async () => {
        await queue.close();
      });
      const begun = new Mirror(link, team.own, id, folder, (line) => hooks.trouble(line));
      mirror = begun;
      releases.add('mirror', async () => {
        await begun.close();
      });
      store.onEntry(
        (entry) => begun.entry(entry),
        () => {}, // Looking soon does not throw.
      );
      if (mode === 'open') begun.look();
      const turns = new SharedTurns({ team: id, link, store, folder, queue, ...hooks });
      const unwatched = meterRun(house.operations, { link, store, turns });
      releases.add('meters', async () => unwatched());
      return turns;
    },
    kill: () => worker?.kill(id),
    serve: async (concurrency, graceMs, onTrouble) => {
      if (!place.takesTurns) return;
      const { run, workspace } = store.state;
      if (own === undefined || run === null)
        throw new BugError('not-wired', `turns of ${id} are to be taken before there are any`);
      const started = await Worker.start(house, place, {
        holder: link.holder,
        concurrency,
        graceMs,
        pools: ['any', 'host'],
        bounds: NO_BOUNDS,
        coordinates: new OwnTeam(team, own, localWorkspace(house, id, run, workspace)),
        onTrouble,
      });
      worker = started;
      releases.add('worker', () => started.close());
    },
  };
  return { kind: 'open', team: { ...team, shared } };
}

/** The live turns that somebody has the lease of, or is still in time to take it, as the record was when it was looked at. */
async function heldTurns({ id, link, store }: HeldTeam): Promise<HeldTurns> {
  await store.catchUp();
  const { next, members } = store.state;
  const turns: number[] = [];
  for (const { life } of [...members.values()]) {
    if (life.kind !== 'working') continue;
    const young = store.now() - life.startedAt < link.place.timing.leaseMs;
    if (young || (await turnIsHeld(link, id, life.turn))) turns.push(life.turn);
  }
  return { turns, asOf: next };
}

/** Under the lease of the run, which is not given back before: nobody finds the team without a record and without a holder. */
async function regain(
  house: House,
  { id, folder, link, kept }: HeldTeam,
  mirror: Mirror | undefined,
): Promise<readonly Finding[] | undefined> {
  const seen = (await mirror?.close()) ?? [];
  const there = (await link.client.exists(link.names.log(id))) === 1;
  if (!there && !(await kept.takeOfLost())) return undefined;
  const findings = await mendFromMirror(house, link, { id, folder, missing: 'lost', seen });
  return there || findings.length > 0 ? findings : undefined;
}
