/**
 * Reads a file of a record line by line while its writer goes on, from the beginning, each line once. Never reads
 * through a link; holds one piece of the file and one line in memory, whatever the size of the file.
 */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemCode } from '../shared/errors.js';

/** One read; a line that is longer takes several. */
const PIECE_BYTES = 64 * 1024;

const LF = 10;

/** A log or transcript as it grows: the stored lines, oldest first, each once. */
export interface Lines {
  /** The next whole line; undefined when there is none yet. Rejects as reading does. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

export class LineFollower implements Lines {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #offset = 0;
  /** Whole pieces of the line that is being read. */
  #begun: Buffer[] = [];
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** The next whole line without its LF; undefined when the file has none yet, or is not there yet. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(LF);
      if (end !== -1) {
        const line = Buffer.concat([...this.#begun, this.#rest.subarray(0, end)]).toString('utf8');
        this.#begun = [];
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      const piece = await this.#read();
      if (piece.length === 0) return undefined;
      if (this.#rest.length > 0) this.#begun.push(this.#rest);
      this.#rest = piece;
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #read(): Promise<Buffer> {
    try {
      this.#handle ??= await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return Buffer.alloc(0);
      throw error;
    }
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await this.#handle.read(piece, 0, PIECE_BYTES, this.#offset);
    this.#offset += bytesRead;
    return piece.subarray(0, bytesRead);
  }
}
