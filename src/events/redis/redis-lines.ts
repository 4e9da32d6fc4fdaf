/**
 * A stream of a record on Redis, read line by line as a file of one is (`line-follower.ts`): each entry it holds is a line
 * of JSON, from the beginning, each once. For who only looks on: it takes nothing, and the server keeps nothing for it.
 */

import type { Lines } from '../line-follower.js';
import { type RedisTail, textOf } from './redis-tail.js';

export class RedisLines implements Lines {
  readonly #tail: RedisTail;
  readonly #waiting: string[] = [];

  constructor(tail: RedisTail) {
    this.#tail = tail;
  }

  /** The next line; undefined when there is none yet, or the stream is gone. Rejects as `RedisTail` does. */
  async next(): Promise<string | undefined> {
    if (this.#waiting.length === 0) {
      for (const entry of await this.#tail.next()) this.#waiting.push(...linesOf(textOf(entry)));
    }
    return this.#waiting.shift();
  }

  async close(): Promise<void> {}
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
