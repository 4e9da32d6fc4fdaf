/**
 * A lock while this process holds it: a sign of life at every beat, the socket's place, the release. Its
 * writes go one after the other, and the timer never keeps a process alive.
 */

import type { Clock } from '../shared/clock.js';
import { CancelledError, systemCode } from '../shared/errors.js';
import type { LockFile } from './lock-file.js';
import { overwriteGeneration, replaceGeneration, touchGeneration } from './lock-generations.js';

export interface HeldLockSetup {
  readonly folder: string;
  readonly number: number;
  readonly file: LockFile;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly heartbeatMs: number;
}

export class HeldLock {
  readonly #setup: HeldLockSetup;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #file: LockFile;
  #writes: Promise<void> = Promise.resolve();
  #release: Promise<void> | undefined;

  constructor(setup: HeldLockSetup) {
    this.#setup = setup;
    this.#file = setup.file;
    this.#timer = setInterval(() => this.#beat(), setup.heartbeatMs);
    this.#timer.unref();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  announce({ socket }: { readonly socket: string }): Promise<void> {
    return this.#inOrder(async () => {
      // Written now it would lock a team that was given free, or name a place where nobody of this team listens.
      if (this.#release !== undefined || this.#lost.signal.aborted) return;
      this.#file = { ...this.#file, socket };
      await replaceGeneration(this.#setup.folder, this.#setup.number, this.#file);
    });
  }

  release(): Promise<void> {
    clearInterval(this.#timer);
    this.#release ??= this.#inOrder(() => this.#giveFree());
    return this.#release;
  }

  async #giveFree(): Promise<void> {
    if (this.#lost.signal.aborted) return;
    const { folder, number } = this.#setup;
    const file = { ...this.#file, socket: null, released: true };
    try {
      await replaceGeneration(folder, number, file);
    } catch (error) {
      if (systemCode(error) !== 'ENOSPC' && systemCode(error) !== 'EDQUOT') throw error;
      // A full disk must not leave the team locked by a process that has given it up.
      await overwriteGeneration(folder, number, file);
    }
  }

  #beat(): void {
    const { folder, number, clock } = this.#setup;
    const beat = async (): Promise<void> => {
      if (await touchGeneration(folder, number, clock.wallMs())) return;
      clearInterval(this.#timer);
      this.#lost.abort(new CancelledError('lock-lost', 'another process has taken this team over'));
    };
    // A beat that cannot be written is no loss: nobody judges a holder by its age, and the next one tries again.
    this.#inOrder(beat).catch(() => undefined);
  }

  #inOrder(write: () => Promise<void>): Promise<void> {
    const done = this.#writes.then(write);
    this.#writes = done.catch(() => undefined); // The caller has the error; the next write has its own.
    return done;
  }
}
