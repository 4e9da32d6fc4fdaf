/**
 * The only owner of stdout and stderr. Imports nothing, so that the smallest command loads nothing else.
 *
 * O1 a stream that fails (closed pipe, full disk) is closed for good: what is written to it afterwards is dropped,
 *    and nothing waits for it any more; it never ends the process;
 * O2 writing never waits; who must not run ahead of a slow reader asks `pressed` and waits for `drained`;
 * O3 what is secret is taken out of each text that is written, as soon as somebody has said what is (`hide`). Whoever
 *    writes, writes whole lines.
 */

import type { Writable } from 'node:stream';

/** A stream of a process, which may be a terminal. */
type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** One of the two streams. */
export class Sink {
  readonly #stream: Stream;
  /** Who waits for the reader, and who waits for the end of a write. */
  readonly #readers = new Set<() => void>();
  readonly #writes = new Set<() => void>();
  #failure: string | null = null;
  #clean = (text: string): string => text;

  /** @param stream written by nobody else; its errors end here */
  constructor(stream: Stream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => this.#close(error.code ?? error.message));
    stream.on('close', () => this.#close('closed'));
    stream.on('drain', () => wake(this.#readers));
  }

  /** Why nothing can be written any more (`EPIPE`, `ENOSPC`, …); null while something can. */
  get failure(): string | null {
    return this.#failure;
  }

  /** True when the reader is behind: the next text would be kept in memory. */
  get pressed(): boolean {
    return this.#failure === null && this.#stream.writableNeedDrain;
  }

  /** Characters that fit on a line of the terminal; null when this is none, or one that does not say. */
  get lineWidth(): number | null {
    const { isTTY, columns } = this.#stream;
    return isTTY === true && columns !== undefined && columns > 0 ? columns : null;
  }

  /** From here on texts are written as this makes them. */
  hide(clean: (text: string) => string): void {
    this.#clean = clean;
  }

  write(text: string): void {
    if (this.#failure === null) this.#stream.write(this.#clean(text));
  }

  /** Resolves when the reader has caught up or the stream is closed. */
  async drained(): Promise<void> {
    while (this.pressed) await new Promise<void>((resolve) => this.#readers.add(resolve));
  }

  /** Resolves when everything written so far has left the process or the stream is closed. */
  flushed(): Promise<void> {
    if (this.#failure !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#writes.add(resolve);
      this.#stream.write('', () => {
        this.#writes.delete(resolve);
        resolve();
      });
    });
  }

  /** Gives the stream up: what waits for its reader goes on. */
  abandon(): void {
    this.#close('abandoned');
  }

  #close(reason: string): void {
    this.#failure ??= reason;
    wake(this.#readers);
    wake(this.#writes);
  }
}

function wake(waiting: Set<() => void>): void {
  const all = [...waiting];
  waiting.clear();
  for (const resolve of all) resolve();
}

/** Where results and notes go. People read `notes`, programs read `results`. */
export interface Output {
  readonly results: Sink;
  readonly notes: Sink;
}

/** The streams of this process; to be made once. */
export function processOutput(): Output {
  return { results: new Sink(process.stdout), notes: new Sink(process.stderr) };
}
