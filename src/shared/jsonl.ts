/**
 * JSON lines: one value a line, split on LF only. Node's readline also splits on U+2028 and friends, which may
 * stand inside a JSON string, so it must not be used for this.
 */

import { BugError } from './errors.js';

/** One line, with its LF. A value that JSON cannot hold is a bug of the caller. */
export function jsonLine(value: unknown): string {
  // The declared type leaves out what it gives for undefined, functions and symbols.
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new BugError('not-json', `a ${typeof value} cannot be written as JSON`);
  return `${text}\n`;
}

/** Feeds chunks of bytes, gives whole lines; multi-byte characters may be cut anywhere between chunks. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #oversize = false;

  /** @param maxBytes longest line kept; a longer one is dropped whole and counted */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How many lines were dropped for their length. */
  dropped = 0;

  /** The lines that a chunk completes, without their LF. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let newline = rest.indexOf(10); newline !== -1; newline = rest.indexOf(10)) {
      const line = this.#whole(rest, newline);
      if (line !== undefined) lines.push(line);
      rest = rest.subarray(newline + 1);
    }
    this.#keep(rest);
    return lines;
  }

  /** What stands after the last LF, when there is something. */
  end(): string | undefined {
    return this.#pendingBytes === 0 && !this.#oversize ? undefined : this.#take();
  }

  /** The line that ends at `newline`; one that stands in one chunk is read where it stands, without a copy. */
  #whole(chunk: Buffer, newline: number): string | undefined {
    if (this.#pendingBytes === 0 && !this.#oversize && newline <= this.#maxBytes)
      return chunk.toString('utf8', 0, newline);
    this.#keep(chunk.subarray(0, newline));
    return this.#take();
  }

  #keep(part: Buffer): void {
    if (this.#pendingBytes + part.length > this.#maxBytes) this.#oversize = true;
    if (this.#oversize) {
      this.#pending = [];
      this.#pendingBytes = 0;
      return;
    }
    this.#pending.push(Buffer.from(part));
    this.#pendingBytes += part.length;
  }

  #take(): string | undefined {
    const line = this.#oversize ? undefined : Buffer.concat(this.#pending).toString('utf8');
    if (this.#oversize) this.dropped++;
    this.#oversize = false;
    this.#pending = [];
    this.#pendingBytes = 0;
    return line;
  }
}
