/**
 * The Redis engine as a process sees it from outside of a run: the teams there are, a look at one, a word to one
 * (spec/engine.md §1, the table). A word needs no process that listens: it is decided and appended by whoever says it, and
 * heard by whoever serves the team.
 */

import { rm } from 'node:fs/promises';
import { runHolder } from '../../dispatch/leases.js';
import { isLive } from '../../dispatch/presence.js';
import type { LogEntry } from '../../events/log-entry.js';
import { askPatiently, readRedisRecord, redisLines } from '../../events/redis/redis-view.js';
import { sleep } from '../../shared/abort.js';
import { UserError } from '../../shared/errors.js';
import { isTeamId } from '../../shared/ids.js';
import { acceptedRunners } from '../briefs/shared-keys.js';
import type { House } from '../house.js';
import type { OpenedTeam, OpenTeam } from '../open-team.js';
import { processesSeen } from '../workers/processes-seen.js';
import type { Engine, Holding, Operated, PutAway, TeamLook, Word } from './engine.js';
import { type MirroredTeam, mirroredTeam, missingRecord } from './mend-from-mirror.js';
import { orRefused, recordedText, refusedWord } from './recorded-word.js';
import { openLink, type RedisLink, type RedisPlace, redisFolder, servedHere } from './redis-link.js';
import { besideTeam, foldedTeam } from './redis-open.js';
import { clearFolders } from './served-folder.js';

/** How often a team is looked at while nothing comes. */
const LOOK_MS = 200;

/** The teams under one prefix of one server. */
export class RedisEngine implements Engine {
  readonly #house: House;
  readonly #place: RedisPlace;

  constructor(house: House, place: RedisPlace) {
    this.#house = house;
    this.#place = place;
  }

  async ids(): Promise<readonly string[]> {
    const ids = await this.#there();
    const lost = (await this.#mirrors(ids)).filter(({ phase }) => phase === 'going on');
    return [...new Set([...ids, ...lost.map(({ id }) => id)])].sort();
  }

  async mirrored(): Promise<readonly { id: string; entries: readonly LogEntry[] }[]> {
    const over = (await this.#mirrors(await this.#there())).filter(({ phase }) => phase === 'over');
    return over.map(({ id, entries }) => ({ id, entries }));
  }

  async clear(): Promise<void> {
    await clearFolders(this.#house, this.#place, await this.#there());
  }

  folder(id: string): string {
    return redisFolder(this.#house, this.#place, id);
  }

  async open(id: string, mode: 'create' | 'open', takeOver = false): Promise<OpenedTeam> {
    const { runRedisTeam } = await import('./redis-run.js'); // turns and the queue library, for who takes part in a run
    const missing = takeOver ? 'lost' : 'unknown';
    return runRedisTeam(this.#house, this.#place, { id, folder: this.folder(id), mode, missing });
  }

  look<Value>(id: string, look: (team: TeamLook) => Promise<Value>): Promise<Value> {
    return this.#linked((link) => {
      const { connection, names } = link;
      const orMissing = <Of>(read: Promise<Of>): Promise<Of> =>
        read.catch(async (error: unknown) => {
          throw (await this.#missing(link, id, error)) ?? error;
        });
      return look({
        view: (reading) => {
          const view = readRedisRecord({ connection, names, team: id, reading });
          return { ...view, log: () => orMissing(view.log()) };
        },
        folded: () => orMissing(foldedTeam(this.#house, link, id)),
        lines: () => redisLines({ connection, names, team: id }).log(),
        // Whoever looks on for long meets a server that is away for a moment.
        holding: () => askPatiently({ connection }, () => holdingOf(link, id)),
        ask: async () => undefined, // What is recorded is all there is to know.
        processes: (state, now) =>
          processesSeen(link, id, state, now, () => acceptedRunners(this.#house, state)),
        next: (signal) => sleep(LOOK_MS, signal),
      });
    });
  }

  say(id: string, word: Word): Promise<Operated> {
    return this.#tell(id, (team) => word.beside(team), word);
  }

  /** Whoever serves the team kills what it has started when it hears of it; the end waits for nobody. */
  sayByForce(id: string, word: Word): Promise<Operated> {
    const beside: Word['beside'] = async (team) => {
      const told = await word.beside(team);
      if (told.kind === 'accepted') await word.alone(team);
      return told;
    };
    return this.#tell(id, beside, word);
  }

  #tell(id: string, beside: Word['beside'], { alone }: Word): Promise<Operated> {
    return orRefused(id, () =>
      besideTeam(this.#house, this.#place, id, async (team) => {
        const { store, link } = team;
        const live = (await isLive(link, id)) && store.state.phase.kind !== 'ended';
        const told = await (live ? beside : alone)(team);
        if (told.kind === 'refused') return refusedWord(id, told);
        return { kind: 'done', text: live ? told.text : recordedText(id, told, store.state), live };
      }),
    );
  }

  /** Its record is closed first: what it had on its way is there by then, and goes with the rest. */
  async takeBack(team: OpenTeam): Promise<void> {
    try {
      await team.record.close();
      const { removeTeam } = await import('./remove-team.js');
      await this.#linked((link) => removeTeam(link, team.id));
      await team.releases.run();
    } catch {
      // Why the team could not be begun is what the caller tells; what is left, a worker takes off the agenda.
    } finally {
      await rm(team.folder, { recursive: true, force: true });
    }
  }

  async putAway(id: string, how: { readonly purge: boolean }): Promise<PutAway> {
    const { putAwayRedis } = await import('./put-away-redis.js'); // clears queues as well
    return this.#linked((link) => putAwayRedis(this.#house, link, id, this.folder(id), how));
  }

  /** What there is to say of a team that the server knows nothing of and that this machine has the mirror of. */
  async #missing(link: RedisLink, id: string, error: unknown): Promise<UserError | undefined> {
    if (!(error instanceof UserError) || error.code !== 'no-team') return undefined;
    const mirror = await mirroredTeam(this.folder(id), id);
    return mirror?.phase === 'going on' ? missingRecord(link, id, mirror) : undefined;
  }

  #there(): Promise<readonly string[]> {
    return this.#linked(({ client, names }) => client.zrange(names.teams, 0, '-1'));
  }

  /** Teams that this machine has the mirror of, and that the server knows nothing of. @param ids those that are there */
  async #mirrors(ids: readonly string[]): Promise<readonly ({ readonly id: string } & MirroredTeam)[]> {
    const mirrors: ({ id: string } & MirroredTeam)[] = [];
    for (const id of await servedHere(this.#house, this.#place)) {
      const mirror = isTeamId(id) && !ids.includes(id) ? await mirroredTeam(this.folder(id), id) : undefined;
      if (mirror !== undefined) mirrors.push({ id, ...mirror });
    }
    return mirrors;
  }

  /** The way to the server for the time of a call. */
  async #linked<Value>(use: (link: RedisLink) => Promise<Value>): Promise<Value> {
    const link = await openLink(this.#house, this.#place);
    try {
      return await use(link);
    } finally {
      await link.close();
    }
  }
}

async function holdingOf(link: RedisLink, id: string): Promise<Holding> {
  const holder = await runHolder(link, id);
  if (holder !== undefined) {
    return { kind: 'held', verdict: 'alive', text: `pid ${holder.pid} on ${holder.host}` };
  }
  // Workers look after a run that nobody coordinates, and need nothing of one that has ended.
  const served = (await isLive(link, id)) && !(await hasEnded(link, id));
  return served
    ? { kind: 'held', verdict: 'alive', text: 'workers alone, without a coordinator' }
    : { kind: 'free' };
}

/** Whether the run has ended; one of which nothing is recorded yet has not. */
async function hasEnded({ connection, names, client }: RedisLink, team: string): Promise<boolean> {
  if ((await client.exists(names.log(team))) === 0) return false;
  const { entries } = await readRedisRecord({ connection, names, team, reading: 'tolerant' }).log();
  const facts = entries.flatMap((entry) => [...entry.facts]);
  return facts.findLast(({ type }) => type === 'run.ended' || type === 'run.resumed')?.type === 'run.ended';
}
