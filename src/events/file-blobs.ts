/** `blobs/<sha256>` as written by the process that holds the lock. */

import { sha256 } from '../shared/digest.js';
import { readBlob } from './blob-files.js';
import type { GroupCommit } from './group-commit.js';
import type { Blobs } from './record.js';

export class FileBlobs implements Blobs {
  readonly #folder: string;
  readonly #commit: GroupCommit;
  /** Digests this process handed in, with their commit. */
  readonly #stored = new Map<string, Promise<void>>();

  /** Sizes by digest, what is not yet durable included. */
  readonly #sizes: Map<string, number>;
  #bytes: number;

  /** @param sizes of the blobs that are there, by digest */
  constructor(folder: string, commit: GroupCommit, sizes: ReadonlyMap<string, number>) {
    this.#folder = folder;
    this.#commit = commit;
    this.#sizes = new Map(sizes);
    this.#bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  /** Bytes of all blobs, each counted once. */
  get bytes(): number {
    return this.#bytes;
  }

  async put(text: string): Promise<string> {
    const bytes = Buffer.from(text, 'utf8');
    const digest = sha256(bytes);
    let stored = this.#stored.get(digest);
    if (stored === undefined) {
      stored = this.#commit.add((batch) => {
        batch.blobs.set(digest, bytes);
        if (this.#sizes.has(digest)) return;
        this.#sizes.set(digest, bytes.length);
        this.#bytes += bytes.length;
      });
      this.#stored.set(digest, stored);
    }
    await stored;
    return digest;
  }

  async get(digest: string): Promise<string | undefined> {
    await this.#commit.settled();
    return readBlob(this.#folder, digest);
  }
}
