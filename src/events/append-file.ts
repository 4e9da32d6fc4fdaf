/**
 * One file that only grows: what it holds for good, and what is being added.
 *
 * 1. `length` is what is acknowledged; readers never look behind it.
 * 2. Before a write the file must be exactly that long: more or less means that somebody else wrote, and then
 *    nothing of ours is added and nothing of theirs is cut.
 * 3. What was written and not kept is cut off again by `cutBack`.
 */

import { constants, fstatSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { FatalError } from '../shared/errors.js';

/** Added at the end whatever else happens, never through a link, for the owner alone. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

export class AppendFile {
  readonly path: string;
  #length: number;
  #written = 0;
  #handle: FileHandle | undefined;

  /** @param length bytes that are acknowledged; 0 for a file that need not be there yet */
  constructor(path: string, length: number) {
    this.path = path;
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  /** Writes and syncs behind the acknowledged length. A rejection leaves the rest to `cutBack`. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#handle ??= await open(this.path, APPEND, 0o600);
    // Asked in place: of an open file it is known without the disk, and a thread costs more than the answer.
    const { size } = fstatSync(this.#handle.fd);
    if (size !== this.#length) {
      const found = `${this.path} is ${size} bytes long where this process left ${this.#length}`;
      throw new FatalError('log-failed', `${found}: another process writes this team`);
    }
    while (this.#written < bytes.length) {
      // In place as well: it goes into memory of the system, and what takes time is the sync, for which nothing here waits.
      const bytesWritten = writeSync(this.#handle.fd, bytes, this.#written);
      if (bytesWritten === 0) throw new FatalError('log-failed', `${this.path} takes no more bytes`);
      this.#written += bytesWritten;
    }
    await this.#handle.datasync();
  }

  /** What was written counts from now on. */
  keep(): void {
    this.#length += this.#written;
    this.#written = 0;
  }

  /** Cuts off what was written and not kept, if it is still the end of the file. */
  async cutBack(): Promise<void> {
    if (this.#written === 0) return;
    this.#handle ??= await open(this.path, APPEND);
    const { size } = await this.#handle.stat();
    if (size !== this.#length + this.#written) return;
    await this.#handle.truncate(this.#length);
    this.#written = 0;
    await this.#handle.datasync();
  }

  /** The acknowledged bytes from an offset on; none of a file that was never written. */
  async read(from = 0): Promise<Uint8Array> {
    const wanted = this.#length - from;
    if (wanted <= 0) return new Uint8Array();
    const bytes = Buffer.allocUnsafe(wanted);
    const handle = await open(this.path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      let filled = 0;
      while (filled < wanted) {
        const { bytesRead } = await handle.read(bytes, filled, wanted - filled, from + filled);
        if (bytesRead === 0)
          throw new FatalError('log-failed', `${this.path} became shorter while it was read`);
        filled += bytesRead;
      }
    } finally {
      await handle.close();
    }
    return bytes;
  }

  /** Makes durable what a process wrote that died before it could. */
  async sync(): Promise<void> {
    this.#handle ??= await open(this.path, APPEND, 0o600);
    await this.#handle.datasync();
  }

  /** Closes the handle; the next write opens it again. */
  async park(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
