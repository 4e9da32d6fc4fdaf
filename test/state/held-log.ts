/** An event log over memory whose appends wait until a test lets them through, or fail when it says so. */

import type { LogEntry } from '../../src/events/log-entry.js';
import { MemoryDisk, memoryRecord } from '../../src/events/memory-record.js';
import type { EventLog } from '../../src/events/record.js';

export class HeldLog implements EventLog {
  readonly writers = 'one';
  readonly #inner: EventLog;
  readonly #waiting: { go: () => void; fail: (error: Error) => void }[] = [];
  holding = true;

  constructor(disk: MemoryDisk = new MemoryDisk()) {
    this.#inner = memoryRecord(disk).log;
  }

  /** Entries handed in and not yet durable. */
  get waiting(): number {
    return this.#waiting.length;
  }

  read(from?: number): Promise<readonly LogEntry[]> {
    return this.#inner.read(from);
  }

  async append(entry: LogEntry): ReturnType<EventLog['append']> {
    const appended = this.#inner.append(entry); // Its place is taken now, as in a file.
    if (this.holding) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push({ go: resolve, fail: reject });
      });
    }
    return appended;
  }

  /** Lets appends through in the given order of their places; all of them, oldest first, unless said otherwise. */
  release(order: readonly number[] = this.#waiting.map((_, index) => index)): void {
    const waiting = [...this.#waiting];
    for (const index of order) waiting[index]?.go();
    const released = new Set(order.map((index) => waiting[index]));
    const rest = waiting.filter((one) => !released.has(one));
    this.#waiting.splice(0, this.#waiting.length, ...rest);
  }

  fail(error: Error): void {
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }
}

/** Lets everything that can go on do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
