/** Texts of a team on Redis: one hash, each text under its SHA-256. What is read is checked against its name. */

import type { Redis } from 'ioredis';
import { sha256 } from '../../shared/digest.js';
import { FatalError } from '../../shared/errors.js';
import type { Blobs } from '../record.js';
import { MOST_VALUE_BYTES } from './log-stream.js';
import type { TeamWrites } from './team-writes.js';

/** Under which name the bytes of all texts are counted. */
export const BLOBS_SIZE = 'blobs';

export class RedisBlobs implements Blobs {
  readonly #writes: TeamWrites;
  readonly #key: string;
  /** Digests this process has handed in, with what became of it. */
  readonly #stored = new Map<string, Promise<void>>();

  constructor(writes: TeamWrites, key: string) {
    this.#writes = writes;
    this.#key = key;
  }

  async put(text: string): Promise<string> {
    this.#writes.reach.refuseWhenOver();
    const bytes = Buffer.from(text, 'utf8');
    const digest = sha256(bytes);
    let stored = this.#stored.get(digest);
    if (stored === undefined) {
      stored = this.#writes.handIn(bytes.length, this.#add(digest, bytes));
      this.#stored.set(digest, stored);
    }
    await stored;
    return digest;
  }

  async get(digest: string): Promise<string | undefined> {
    await this.#stored.get(digest)?.catch(() => undefined); // Who handed it in has the error.
    return this.#writes.reach.look((client) => readRedisBlob(client, this.#key, digest));
  }

  #add(digest: string, bytes: Buffer): Promise<void> {
    const counted = { name: BLOBS_SIZE, bytes: bytes.length };
    const write = {
      command: 'HSETNX',
      key: this.#key,
      args: [digest, bytes],
      behind: null,
      counted,
    } as const;
    return this.#writes.reach.write(async (client) => {
      await this.#writes.send(client, write);
    });
  }
}

/** The text of a digest; undefined when it is not there. Rejects with `blob-broken` when it gives another. */
export async function readRedisBlob(client: Redis, key: string, digest: string): Promise<string | undefined> {
  if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
  const bytes = await client.hgetBuffer(key, digest);
  if (bytes === null) return undefined;
  if (bytes.length > MOST_VALUE_BYTES) {
    const what = `${digest} in ${key} holds ${bytes.length} bytes, allowed are ${MOST_VALUE_BYTES}`;
    throw new FatalError('blob-broken', what);
  }
  const found = sha256(bytes);
  if (found !== digest) {
    throw new FatalError(
      'blob-broken',
      `${digest} in ${key} gives the digest ${found}: it was changed or damaged`,
    );
  }
  return bytes.toString('utf8');
}
