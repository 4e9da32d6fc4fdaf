/**
 * The same as `brief-post.ts` as a runner sees it. It reads and writes nothing of a team but these keys (spec/engine.md §3:
 * its user may not): the text of a brief, who has taken it, the inbox, and the hash of what it brings up.
 */

import type { Redis } from 'ioredis';
import type { Clock } from '../shared/clock.js';
import type { RedisNames } from '../shared/redis-names.js';
import {
  type BeginWord,
  type EndWord,
  endFor,
  endWordFor,
  FIELDS,
  PIECE_BYTES,
  type PostHouse,
  pieceField,
} from './brief-post.js';
import type { Kept, Lease, LeaseKeeper } from './lease-keeper.js';

export interface RunnerPostHouse extends PostHouse {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly keeper: LeaseKeeper;
}

/** A brief by its team and its id. */
export interface OfTeam {
  readonly team: string;
  readonly brief: string;
}

export type TakenBrief =
  | {
      readonly kind: 'taken';
      readonly lease: Lease /** It was this runner's before. */;
      readonly again: boolean;
    }
  | { readonly kind: 'others' };

/** What was said to the runner of a brief. */
export interface Told {
  readonly begin: BeginWord | null;
  /** As it was written. */
  readonly cancel: string | null;
  readonly end: EndWord | null;
}

/** How long what was brought stays when nobody takes it in, in milliseconds. */
const BROUGHT_MS = 7 * 24 * 3_600_000;

/** Entries of an inbox that nobody reads: older ones go. */
const INBOX_ENTRIES = 10_000;

export class RunnerPost {
  readonly #house: RunnerPostHouse;
  readonly #client: Redis;
  readonly #names: RedisNames;
  /** The id of the runner. */
  readonly #runner: string;

  constructor(house: RunnerPostHouse, runner: string) {
    this.#house = house;
    this.#client = house.client;
    this.#names = house.names;
    this.#runner = runner;
  }

  /**
   * The text of a brief; null: it is not to be begun any more.
   * @param most bytes; of a longer one only its length is told
   */
  async text({ team, brief }: OfTeam, most: number): Promise<string | { readonly tooLong: number } | null> {
    const key = this.#names.brief(team, brief);
    const bytes = await this.#client.strlen(key);
    if (bytes === 0) return null;
    return bytes > most ? { tooLong: bytes } : this.#client.get(key);
  }

  /** Whether this runner is to leave a brief to others for a while. */
  async isAfterOthers({ team, brief }: OfTeam): Promise<boolean> {
    return (await this.#client.hget(this.#names.up(team, brief), FIELDS.after)) === this.#runner;
  }

  /** Whose signatures count for the team, as it says; null: it says nothing. @param most bytes */
  async teamKeys({ team, brief }: OfTeam, most: number): Promise<string | null> {
    const up = this.#names.up(team, brief);
    const bytes = await this.#client.hstrlen(up, FIELDS.keys);
    return bytes === 0 || bytes > most ? null : this.#client.hget(up, FIELDS.keys);
  }

  /** Takes a brief, and keeps it until the lease is dropped; its signal fires when another has it. */
  async take(of: OfTeam): Promise<TakenBrief> {
    const { clock, keeper } = this.#house;
    const key = this.#names.taken(of.team, of.brief);
    const sentAt = clock.monotonicMs();
    const set = await this.#client.set(key, this.#runner, 'PX', keeper.timing.leaseMs, 'NX');
    const again = set !== 'OK' && (await this.#client.get(key)) === this.#runner;
    if (set !== 'OK' && !again) return { kind: 'others' };
    return { kind: 'taken', lease: keeper.keep(this.#kept(key), sentAt), again };
  }

  /** Lets a brief go that this runner has not begun. */
  async letGo({ team, brief }: OfTeam): Promise<void> {
    await this.#client.eval(LET_GO, 1, this.#names.taken(team, brief), this.#runner);
  }

  /**
   * The word that it has ended was heard, and is put away: nobody else asks for it. The rest of what lies there stays, since
   * of a runner that was turned away it is another's.
   */
  async forget({ team, brief }: OfTeam, end: EndWord): Promise<void> {
    const up = this.#names.up(team, brief);
    await this.#client.eval(FORGET, 1, up, FIELDS.end, endWordFor(this.#runner, end));
  }

  async told({ team, brief }: OfTeam): Promise<Told> {
    const { begin, cancel, end } = FIELDS;
    const found = await this.#client.hmget(this.#names.up(team, brief), begin, cancel, end);
    const [beginText = null, cancelText = null, endText = null] = found;
    return {
      begin: readBegin(beginText),
      cancel: cancelText,
      end: endFor(this.#runner, endText),
    };
  }

  /** Reports a line. `gone`: there is no such team. */
  async report(team: string, line: object): Promise<'said' | 'gone'> {
    const inbox = this.#names.inbox(team);
    const most = String(INBOX_ENTRIES);
    const text = JSON.stringify(line);
    const id = await this.#client.xadd(inbox, 'NOMKSTREAM', 'MAXLEN', '~', most, '*', 'line', text);
    return id === null ? 'gone' : 'said';
  }

  /** Brings a result up, its bundle first. `gone`: there is no such team, and nothing was put down. */
  async bring({ team, brief }: OfTeam, text: string, bundle: Buffer | null): Promise<'brought' | 'gone'> {
    if ((await this.#client.exists(this.#names.inbox(team))) === 0) return 'gone';
    const up = this.#names.up(team, brief);
    const bytes = bundle ?? Buffer.alloc(0);
    for (let place = 0; place * PIECE_BYTES < bytes.length; place++) {
      const piece = bytes.subarray(place * PIECE_BYTES, (place + 1) * PIECE_BYTES);
      await this.#client.multi().hset(up, pieceField(place), piece).pexpire(up, BROUGHT_MS).exec();
    }
    await this.#client.multi().hset(up, FIELDS.result, text).pexpire(up, BROUGHT_MS).exec();
    return 'brought';
  }

  /** While nobody else has it, it is this runner's: also when the server was away for longer than a lease. */
  #kept(key: string): Kept {
    const runner = this.#runner;
    return {
      key,
      lapses: 'never',
      asks: 3,
      ask: (pipeline, leaseMs) => {
        pipeline.pexpire(key, leaseMs); // also where the memory is full
        pipeline.set(key, runner, 'PX', leaseMs, 'NX');
        pipeline.get(key);
      },
      hear: ([, , has]) => (has === runner ? 'held' : typeof has === 'string' ? 'lost' : undefined),
    };
  }
}

function readBegin(text: string | null): BeginWord | null {
  if (text === null) return null;
  try {
    const { runner, begins, why } = JSON.parse(text);
    if (typeof runner !== 'string' || typeof begins !== 'boolean') return null;
    return { runner, begins, why: typeof why === 'string' ? why : '' };
  } catch {
    return null; // nobody of ours has written it
  }
}

const FORGET = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end
return 0`;

const LET_GO = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;
