/**
 * A stream of a record on Redis, read line by line as a file of one is (`line-follower.ts`): each entry it holds is a line
 * of JSON, from the beginning, each once. For who only looks on: it takes nothing, and the server keeps nothing for it.
 */

import type { Redis } from 'ioredis';
import { FatalError } from '../../shared/errors.js';
import type { Lines } from '../line-follower.js';
import { fieldOf, type RawEntry } from './log-stream.js';
import type { RedisReach } from './redis-reach.js';

/** Entries of a stream that are read at once; each may be a megabyte, most are far smaller. */
const PAGE = 50;

export class RedisLines implements Lines {
  readonly #reach: RedisReach;
  readonly #key: string;
  readonly #waiting: string[] = [];
  /** The newest entry of the stream that was read, and what it said. */
  #newest: { readonly id: string; readonly text: string } | undefined;

  constructor(reach: RedisReach, key: string) {
    this.#reach = reach;
    this.#key = key;
  }

  /**
   * The next line; undefined when there is none yet, or the stream is gone. Rejects with `record-unreachable`, and with
   * `log-lost` where the server does not hold any more what it has told.
   */
  async next(): Promise<string | undefined> {
    if (this.#waiting.length === 0) await this.#read();
    return this.#waiting.shift();
  }

  async close(): Promise<void> {}

  /** A reading begins at the newest entry that is known: without it nobody knows what comes behind it. */
  async #read(): Promise<void> {
    const known = this.#newest;
    const from = known?.id ?? '-';
    const page = await this.#reach.look((client: Redis) =>
      client.xrange(this.#key, from, '+', 'COUNT', PAGE),
    );
    const [first] = page;
    if (known !== undefined) {
      if (first === undefined) return this.#mayBeGone();
      if (first[0] !== known.id || textOf(first) !== known.text) throw this.#lost(known.id);
    }
    const fresh = known === undefined ? page : page.slice(1);
    for (const entry of fresh) this.#waiting.push(...linesOf(textOf(entry)));
    const last = fresh.at(-1);
    if (last !== undefined) this.#newest = { id: last[0], text: textOf(last) };
  }

  async #mayBeGone(): Promise<void> {
    const known = this.#newest;
    const there = await this.#reach.look((client: Redis) => client.exists(this.#key));
    if (there === 1 && known !== undefined) throw this.#lost(known.id);
  }

  #lost(id: string): FatalError {
    return new FatalError(
      'log-lost',
      `entry ${id} of ${this.#key} is not there any more: the server has lost it`,
    );
  }
}

function textOf(entry: RawEntry): string {
  return fieldOf(entry, 'e');
}

/** What is no list is given as it is: who reads it says what is wrong with it. */
function linesOf(text: string): readonly string[] {
  try {
    const values: unknown = JSON.parse(text);
    return Array.isArray(values) ? values.map((value) => JSON.stringify(value)) : [text];
  } catch {
    return [text];
  }
}
