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

  constructor(folder: string, commit: GroupCommit) {
    this.#folder = folder;
    this.#commit = commit;
  }

  async put(text: string): Promise<string> {
    const bytes = Buffer.from(text, 'utf8');
    const digest = sha256(bytes);
    let stored = this.#stored.get(digest);
    if (stored === undefined) {
      stored = this.#commit.add((batch) => {
        batch.blobs.set(digest, bytes);
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
