/**
 * The way of one record to its server: what fails in passing is tried again until a deadline, what fails for good poisons
 * the record (R5), and what was handed in can be waited for (R3).
 */

import { setMaxListeners } from 'node:events';
import type { Redis } from 'ioredis';
import { cancelled, orAborted, sleep, within } from '../../shared/abort.js';
import { BugError, CancelledError, FatalError } from '../../shared/errors.js';
import type { RedisConnection } from './connection.js';
import { gaveUp, type PassingCode, troubleOf } from './redis-trouble.js';

export interface ReachOptions {
  readonly connection: RedisConnection;
  /** How long the server may be away, or refuse in passing, before the record gives up. */
  readonly unreachableMs: number;
  /** Ends every wait at once. */
  readonly signal: AbortSignal;
  /** Hears what an answer is waited for in spite of; must not throw. */
  readonly onPassing?: ((error: unknown) => void) | undefined;
}

/** A stream that has so many entries, once what was sent to it stands. */
export interface Standing {
  readonly key: string;
  readonly length: number;
}

/** Neither promise rejects. */
interface HandedIn {
  readonly ended: Promise<undefined>;
  readonly sent: Promise<Standing | undefined>;
}

/** Between two tries where the server answers but refuses: long enough for it to breathe. */
const AGAIN_MS = 50;

export class RedisReach {
  readonly #options: ReachOptions;
  readonly #inFlight = new Set<HandedIn>();
  readonly #closing = new AbortController();
  readonly #signal: AbortSignal;
  /**
   * Ends the waits of writes for their answers. One listener for all of them, from the first write until the record is
   * closed: one for each was a seventh of the time of an append.
   */
  readonly #waits = new Set<() => void>();
  #listens = false;
  #failure: Error | undefined;
  #closed = false;

  constructor(options: ReachOptions) {
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#closing.signal]);
    setMaxListeners(0, this.#signal); // One for each write that is on its way: as many as there are.
  }

  /** The error that poisoned the record, when one did. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Throws what who writes has to hear now: the record is closed, or has failed. */
  refuseWhenOver(): void {
    if (this.#closed) throw new BugError('record-closed', 'the record is closed');
    this.refuseWhenFailed();
  }

  /** The same for what was handed in before the record was closed. */
  refuseWhenFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** From here on everything that writes is refused with the same error; the first one stays. */
  fail(error: Error): Error {
    this.#failure ??= error;
    return this.#failure;
  }

  /**
   * Looks until it has an answer. Rejects with what failed for good, or with `record-unreachable`; the record stays.
   * @param look asks the server; may be called several times
   */
  look<T>(look: (client: Redis) => Promise<T>): Promise<T> {
    return this.#repeat(look, (work) => orAborted(work, this.#signal));
  }

  /**
   * Writes until it is known what became of it; what fails for good poisons the record. Counts as handed in.
   * @param write must find out by itself, from its second try on, whether an earlier one has arrived
   */
  write<T>(write: (client: Redis, tries: number) => Promise<T>): Promise<T> {
    return this.#repeat(write, (work) => this.#orOver(work)).catch((error: unknown) => {
      if (error instanceof BugError) throw error;
      throw this.fail(error instanceof Error ? error : new FatalError('log-failed', String(error)));
    });
  }

  /**
   * Work that an entry of the log must not come before.
   * @param sent resolves when it is on its way: then an entry may be sent behind it that is refused where it does not stand
   */
  handIn<T>(work: Promise<T>, sent?: Promise<Standing>): Promise<T> {
    const done = work.finally(() => this.#inFlight.delete(one));
    const ended = done.then(
      () => undefined,
      () => undefined, // Who handed it in has the error.
    );
    const one: HandedIn = { ended, sent: sent === undefined ? ended : Promise.race([sent, ended]) };
    this.#inFlight.add(one);
    return done;
  }

  /**
   * What was handed in before, once all of it has come to its end, whatever end, or is on its way: what must stand on the
   * server behind it. Undefined when there is nothing.
   */
  handedIn(): Promise<readonly Standing[]> | undefined {
    if (this.#inFlight.size === 0) return undefined;
    return Promise.all([...this.#inFlight].map(({ sent }) => sent)).then((all) =>
      all.flatMap((one) => one ?? []),
    );
  }

  /** What was handed in before, to its end whatever end. */
  async ended(): Promise<void> {
    await Promise.all([...this.#inFlight].map(({ ended }) => ended));
  }

  /** Takes nothing more; waits that go on after the given time are ended. */
  async close(withinMs: number, settled: () => Promise<unknown>): Promise<void> {
    this.#closed = true;
    const inTime = new AbortController();
    const late = sleep(withinMs, inTime.signal).then(
      () => this.#closing.abort(),
      () => undefined, // All came to its end in time.
    );
    await Promise.allSettled([settled(), this.ended()]);
    inTime.abort();
    await late;
    this.#signal.removeEventListener('abort', this.#endWaits);
  }

  readonly #endWaits = (): void => {
    for (const end of this.#waits) end();
  };

  /** Settles as the work does, or rejects when the record has no more time. */
  #orOver<T>(work: Promise<T>): Promise<T> {
    if (this.#signal.aborted) return orAborted(work, this.#signal);
    if (!this.#listens) this.#signal.addEventListener('abort', this.#endWaits, { once: true });
    this.#listens = true;
    return new Promise((resolve, reject) => {
      const end = (): void => reject(cancelled(this.#signal));
      this.#waits.add(end);
      work.then(
        (answer) => {
          this.#waits.delete(end);
          resolve(answer);
        },
        (error: unknown) => {
          this.#waits.delete(end);
          reject(error);
        },
      );
    });
  }

  /** @param first how an answer is waited for as long as nothing has failed */
  async #repeat<T>(
    attempt: (client: Redis, tries: number) => Promise<T>,
    first: (work: Promise<T>) => Promise<T>,
  ): Promise<T> {
    const { connection, unreachableMs } = this.#options;
    let patience: AbortSignal | undefined;
    let refusal: unknown;
    for (let tries = 0; ; tries++) {
      try {
        if (connection.client.status !== 'ready') {
          patience ??= within(this.#signal, unreachableMs);
          await connection.ready(patience);
        }
        const answer = attempt(connection.client, tries);
        return await (patience === undefined ? first(answer) : orAborted(answer, patience));
      } catch (error) {
        patience ??= within(this.#signal, unreachableMs);
        if (codeOf(error) !== 'record-unreachable') refusal = error;
        // What ran out is the time, in the middle of a try: why it was tried again is what there is to tell.
        await this.#again(error instanceof CancelledError ? (refusal ?? error) : error, patience);
      }
    }
  }

  /** Resolves when it is worth another try; rejects when it is not. */
  async #again(error: unknown, patience: AbortSignal): Promise<void> {
    const { connection } = this.#options;
    if (patience.aborted) throw gaveUp(codeOf(error), connection.shown, connection.lastError ?? error);
    const trouble = troubleOf(error);
    if (trouble.kind === 'final') throw trouble.error;
    this.#options.onPassing?.(error);
    try {
      await sleep(AGAIN_MS, patience);
    } catch {
      throw gaveUp(trouble.code, connection.shown, error); // The deadline, the owner or closing has ended the wait.
    }
  }
}

function codeOf(error: unknown): PassingCode {
  const trouble = troubleOf(error);
  return trouble.kind === 'passing' ? trouble.code : 'record-unreachable';
}
