/**
 * What a team and the runners of its briefs put down for each other on Redis, as the team's side sees it (spec/runner.md §1,
 * §3): the texts of briefs, who has taken one, what runners report and bring, and what they are told.
 *
 *  P1 the inbox is made by the team's side alone: a runner that reports to a team which is there no more finds none, and
 *     makes nothing anew;
 *  P2 the text of a result is put down behind its bundle: who sees the one finds the other;
 *  P3 nothing that a runner puts down is read before its size is known, and every key but the inbox ends by itself.
 */

import type { Redis } from 'ioredis';
import type { RedisNames } from '../shared/redis-names.js';

export interface PostHouse {
  /** Fails at once while the server is away. */
  readonly client: Redis;
  readonly names: RedisNames;
}

/** What a runner is told of a brief, by fields of the hash. */
export interface ToRunner {
  /** Whether it may begin, as JSON of `BeginWord`. */
  readonly begin?: string;
  /** The signed word to cancel, as JSON. */
  readonly cancel?: string;
  /** Who should leave it to others for a while. */
  readonly after?: string;
  /** Whose signatures count for the team, as its operator has signed it; JSON. */
  readonly keys?: string;
}

/** To the runner that has promised to work on it. */
export interface BeginWord {
  readonly runner: string;
  readonly begins: boolean;
  /** Why not; '' where it does. */
  readonly why: string;
}

/**
 * `taken` it is in the record, or can never be: all of it may go · `kept` it is there, and its commits are not in the workspace:
 * what the runner has of them stays, for people.
 */
export type EndWord = 'taken' | 'kept';

export interface Reported {
  /** Of the entry. */
  readonly id: string;
  /** As it was written; JSON, if its sender keeps to the protocol. */
  readonly text: string;
}

/** Bytes of one piece of a bundle. */
export const PIECE_BYTES = 1 << 20;

/** How long what was put down for a brief stays when nobody touches it any more, in milliseconds. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** The same behind its end: for a runner that comes back and asks. */
const ENDED_MS = 24 * 3_600_000;

/** No line of a runner is nearly as long, in UTF-16 units. */
const LINE_UNITS = 256 << 10;

export const FIELDS = {
  begin: 'begin',
  cancel: 'cancel',
  end: 'end',
  after: 'after',
  keys: 'keys',
  result: 'result',
} as const;
export const pieceField = (place: number): string => `bundle:${place}`;

export class BriefPost {
  readonly #client: Redis;
  readonly #names: RedisNames;
  readonly #team: string;

  constructor({ client, names }: PostHouse, team: string) {
    this.#client = client;
    this.#names = names;
    this.#team = team;
  }

  /** Makes the inbox where there is none (P1). */
  async open(): Promise<void> {
    const inbox = this.#names.inbox(this.#team);
    if ((await this.#client.exists(inbox)) === 1) return;
    await this.#client.xgroup('CREATE', inbox, 'desk', '0', 'MKSTREAM').catch((error: unknown) => {
      if (!String(error).includes('BUSYGROUP')) throw error; // another process was faster
    });
  }

  /** Puts the text of a brief down, for runners to read. Again is no harm. */
  async put(brief: string, text: string): Promise<void> {
    await this.#client.set(this.#names.brief(this.#team, brief), text, 'PX', KEPT_MS);
  }

  /** Takes the text back: nobody begins any more. */
  async withdraw(brief: string): Promise<void> {
    await this.#client.unlink(this.#names.brief(this.#team, brief));
  }

  /** Who has taken each of these briefs, in their order; null: nobody, or nobody any more. */
  async takers(briefs: readonly string[]): Promise<readonly (string | null)[]> {
    if (briefs.length === 0) return [];
    return this.#client.mget(briefs.map((brief) => this.#names.taken(this.#team, brief)));
  }

  /** Takes a brief so that no runner can; false: one has it. */
  async close(brief: string, ms: number): Promise<boolean> {
    return (await this.#client.set(this.#names.taken(this.#team, brief), CLOSED, 'PX', ms, 'NX')) === 'OK';
  }

  /** Nobody has it: it can be taken again. */
  async free(brief: string): Promise<void> {
    await this.#client.unlink(this.#names.taken(this.#team, brief));
  }

  /** Tells the runner of a brief. */
  async tell(brief: string, words: ToRunner): Promise<void> {
    const up = this.#names.up(this.#team, brief);
    await this.#client
      .multi()
      .hset(up, { ...words })
      .pexpire(up, KEPT_MS)
      .exec();
  }

  /** What was reported and not dropped yet, oldest first. */
  async reports(most: number): Promise<readonly Reported[]> {
    const entries = await this.#client.xrange(this.#names.inbox(this.#team), '-', '+', 'COUNT', most);
    return entries.map(([id, fields]) => ({ id, text: (fields[1] ?? '').slice(0, LINE_UNITS) }));
  }

  /** These reports were heard. */
  async drop(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#client.xdel(this.#names.inbox(this.#team), ...ids);
  }

  /**
   * The signed text of the result that lies there; null where there is none.
   * @param most bytes; of a longer one only its length is told
   */
  async result(brief: string, most: number): Promise<string | { readonly tooLong: number } | null> {
    const up = this.#names.up(this.#team, brief);
    const bytes = await this.#client.hstrlen(up, FIELDS.result);
    if (bytes === 0) return null;
    return bytes > most ? { tooLong: bytes } : this.#client.hget(up, FIELDS.result);
  }

  /** Of these briefs those whose result lies there, in their order. */
  async withResult(briefs: readonly string[]): Promise<readonly string[]> {
    const lengths = await Promise.all(
      briefs.map((brief) => this.#client.hstrlen(this.#names.up(this.#team, brief), FIELDS.result)),
    );
    return briefs.filter((_, place) => lengths[place] !== 0);
  }

  /** What a runner has brought that does not have the brief goes; the brief stays whoever's it is. */
  async turnAway(brief: string, runner: string): Promise<void> {
    const up = this.#names.up(this.#team, brief);
    await this.#client
      .multi()
      .hdel(up, FIELDS.result)
      .hset(up, FIELDS.end, endWordFor(runner, 'kept'))
      .exec();
  }

  /** One piece of its bundle, from 0; null where there is none, or one that is longer than a piece. */
  async piece(brief: string, place: number): Promise<Buffer | null> {
    const up = this.#names.up(this.#team, brief);
    const bytes = await this.#client.hstrlen(up, pieceField(place));
    return bytes === 0 || bytes > PIECE_BYTES ? null : this.#client.hgetBuffer(up, pieceField(place));
  }

  /** The result of a runner was taken in: what lies there of it goes, and the runner is told. */
  async end(brief: string, runner: string, word: EndWord): Promise<void> {
    const up = this.#names.up(this.#team, brief);
    await this.#client
      .multi()
      .unlink(up, this.#names.brief(this.#team, brief), this.#names.taken(this.#team, brief))
      .hset(up, FIELDS.end, endWordFor(runner, word))
      .pexpire(up, ENDED_MS)
      .exec();
  }
}

/** What a runner that has brought a result is told, as it is written. */
export function endWordFor(runner: string, word: EndWord): string {
  return `${word} ${runner}`;
}

/** The same as it is read, by the runner that it is for. */
export function endFor(runner: string, text: string | null): EndWord | null {
  const [word, ...id] = (text ?? '').split(' ');
  return id.join(' ') === runner && (word === 'taken' || word === 'kept') ? word : null;
}

/** Stands where the id of a runner would: no id of one has it. */
const CLOSED = '-';
