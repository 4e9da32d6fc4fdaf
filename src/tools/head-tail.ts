/**
 * The first and the last bytes of a stream of any length, in constant memory: errors stand at the beginning of
 * an output or at its end, hardly ever in the middle.
 */

import { wholeCharacters } from './files/line-window.js';

export class HeadTail {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #head: Buffer[] = [];
  #headUsed = 0;
  /** Newest last; together never more than twice `tailBytes` before it is cut. */
  #tail: Buffer[] = [];
  #tailUsed = 0;
  #total = 0;

  constructor(headBytes: number, tailBytes: number) {
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
  }

  /** How many bytes were seen. */
  get total(): number {
    return this.#total;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#total += bytes.length;
    const first = bytes.subarray(0, this.#headBytes - this.#headUsed);
    if (first.length > 0) {
      this.#head.push(Buffer.from(first));
      this.#headUsed += first.length;
    }
    const rest = bytes.subarray(first.length);
    if (rest.length === 0) return;
    // Copied: a chunk is a view into a larger piece of memory that it would keep alive.
    const kept = Buffer.from(rest.subarray(Math.max(0, rest.length - this.#tailBytes)));
    this.#tail.push(kept);
    this.#tailUsed += kept.length;
    if (this.#tailUsed > 2 * this.#tailBytes) this.#cutTail();
  }

  /** The text, with a line in the middle that says how much is missing. Characters are never cut in two. */
  text(): string {
    this.#cutTail();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    const missing = this.#total - head.length - tail.length;
    if (missing === 0) return Buffer.concat([head, tail]).toString('utf8');
    const begin = wholeCharacters(head, true);
    return `${begin}\n… (${missing} bytes left out) …\n${tail.subarray(firstCharacter(tail)).toString('utf8')}`;
  }

  #cutTail(): void {
    const all = Buffer.concat(this.#tail);
    const kept = all.subarray(Math.max(0, all.length - this.#tailBytes));
    this.#tail = [Buffer.from(kept)];
    this.#tailUsed = kept.length;
  }
}

/** Where the first whole character begins: at most three continuation bytes stand before it. */
function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
