/** The last bytes of an output of any length, in constant memory, as text whose characters are whole. */

export class OutputTail {
  readonly #bytes: number;
  #kept: Buffer[] = [];
  #used = 0;
  #total = 0;

  /** @param bytes how many are kept */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** How many were seen. */
  get total(): number {
    return this.#total;
  }

  push(chunk: Buffer): void {
    this.#total += chunk.length;
    // Copied: a chunk is a view into a larger piece of memory that it would keep alive.
    const kept = Buffer.from(chunk.subarray(Math.max(0, chunk.length - this.#bytes)));
    this.#kept.push(kept);
    this.#used += kept.length;
    if (this.#used > 2 * this.#bytes) this.#cut();
  }

  /** The text; in front of it a line that says how much is missing, if anything is. */
  text(): string {
    this.#cut();
    const [tail = Buffer.alloc(0)] = this.#kept;
    const missing = this.#total - tail.length;
    if (missing === 0) return tail.toString('utf8');
    let start = 0;
    // At most three bytes of a character that began in front of the cut.
    while (start < 3 && ((tail[start] ?? 0) & 0xc0) === 0x80) start++;
    return `… (${missing + start} bytes left out)\n${tail.subarray(start).toString('utf8')}`;
  }

  #cut(): void {
    const all = Buffer.concat(this.#kept);
    this.#kept = [Buffer.from(all.subarray(Math.max(0, all.length - this.#bytes)))];
    this.#used = this.#kept[0]?.length ?? 0;
  }
}
