/**
 * A window of lines out of a stream of bytes: counts every line, keeps those asked for, within a bound of bytes
 * for one line and for all. Memory stays within these bounds whatever the file is.
 */

/** Longest line kept, in bytes. */
const LINE_BYTES = 2_000;

export interface WindowLine {
  readonly number: number;
  readonly text: string;
  /** How many bytes the line has beyond those kept. */
  readonly cutBytes: number;
}

export class LineWindow {
  readonly #first: number;
  readonly #last: number;
  readonly #maxBytes: number;
  readonly #lines: WindowLine[] = [];
  #line = 1;
  #parts: Buffer[] = [];
  #keptBytes = 0;
  #lineBytes = 0;
  #usedBytes = 0;
  #endsInCr = false;
  #crlf = 0;
  #full = false;

  /**
   * @param first number of the first line wanted, from 1
   * @param count how many are wanted at most
   * @param maxBytes bound of all kept lines together
   */
  constructor(first: number, count: number, maxBytes: number) {
    this.#first = first;
    this.#last = first + count - 1;
    this.#maxBytes = maxBytes;
  }

  push(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let start = 0;
    for (let newline = bytes.indexOf(10); newline !== -1; newline = bytes.indexOf(10, start)) {
      this.#add(bytes.subarray(start, newline));
      this.#endLine();
      start = newline + 1;
    }
    this.#add(bytes.subarray(start));
  }

  /** To be called once, after the last piece. */
  end(): { lines: readonly WindowLine[]; total: number; crlf: boolean } {
    if (this.#lineBytes > 0) this.#endLine();
    const total = this.#line - 1;
    return { lines: this.#lines, total, crlf: total > 0 && this.#crlf === total };
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#lineBytes += part.length;
    this.#endsInCr = part.at(-1) === 13;
    if (!this.#wanted()) return;
    const room = LINE_BYTES - this.#keptBytes;
    if (room <= 0) return;
    const kept = Buffer.from(part.subarray(0, room));
    this.#parts.push(kept);
    this.#keptBytes += kept.length;
  }

  #endLine(): void {
    if (this.#endsInCr) this.#crlf++;
    if (this.#wanted()) this.#keep();
    this.#line++;
    this.#parts = [];
    this.#keptBytes = 0;
    this.#lineBytes = 0;
    this.#endsInCr = false;
  }

  #keep(): void {
    const text = wholeCharacters(Buffer.concat(this.#parts), this.#lineBytes > this.#keptBytes);
    const size = Buffer.byteLength(text) + String(this.#line).length + 2;
    if (this.#usedBytes + size > this.#maxBytes) {
      this.#full = true;
      return;
    }
    this.#usedBytes += size;
    const shown = this.#endsInCr && text.endsWith('\r') ? text.slice(0, -1) : text;
    this.#lines.push({ number: this.#line, text: shown, cutBytes: this.#lineBytes - this.#keptBytes });
  }

  #wanted(): boolean {
    return !this.#full && this.#line >= this.#first && this.#line <= this.#last;
  }
}

/** Text of bytes; when they were cut, an incomplete character at their end is left out. */
export function wholeCharacters(bytes: Buffer, cut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut });
}
