/**
 * Reads a file of a record line by line while its writer goes on, from the beginning, each line once. Never reads
 * through a link; holds one piece of the file and one line in memory, whatever the size of the file.
 */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** One read; a line that is longer takes several. */
const PIECE_BYTES = 64 * 1024;

const LF = 10;

export class LineFollower {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #offset = 0;
  /** Whole pieces of the line that is being read. */
  #begun: Buffer[] = [];
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** The next whole line without its LF; undefined when the file has none yet. Rejects as reading does. */
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
    this.#handle ??= await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const piece = Buffer.alloc(PIECE_BYTES);
    const { bytesRead } = await this.#handle.read(piece, 0, PIECE_BYTES, this.#offset);
    this.#offset += bytesRead;
    return piece.subarray(0, bytesRead);
  }
}
