/** The program's edges as a test gives them: streams that remember, a reader that can be slow, signals on call. */

import { PassThrough, type Readable, Writable } from 'node:stream';
import type { Program, StopCause, StopListener } from '../../src/cli/call.js';
import { Sink } from '../../src/cli/output.js';
import { readEnvironment } from '../../src/config/env.js';
import type { Clock } from '../../src/shared/clock.js';

/** A stream that keeps what it is given; while it is held, what is written waits as before a slow reader. */
export class Reader extends Writable {
  readonly #chunks: Buffer[] = [];
  #held: (() => void)[] | undefined;

  constructor() {
    super({ highWaterMark: 64 });
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  /** The lines so far, as JSON. */
  get lines(): Record<string, unknown>[] {
    return this.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line));
  }

  /** Reads nothing more until `go`. */
  hold(): void {
    this.#held ??= [];
  }

  go(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const done of held) done();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#chunks.push(Buffer.from(chunk));
    if (this.#held === undefined) done();
    else this.#held.push(done);
  }
}

export interface TestProgram {
  readonly program: Program;
  readonly stdout: Reader;
  readonly stderr: Reader;
  /** What the person at the terminal types goes here. */
  readonly stdin: PassThrough;
  /** Sends a signal to whoever listens; false when nobody does. */
  readonly signal: (cause: StopCause) => boolean;
  /** Wall and monotonic clock, milliseconds; tests move it. */
  readonly time: { now: number };
}

export interface TestProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  readonly terminal?: boolean;
  readonly clock?: Clock;
}

/** A program whose edges are in the test's hand. */
export function testProgram(options: TestProgramOptions = {}): TestProgram {
  const { env = {}, workingDirectory = '/', terminal = false } = options;
  const stdout = new Reader();
  const stderr = new Reader();
  const stdin = new PassThrough();
  const time = { now: Date.parse('2026-11-30T10:00:00.000Z') };
  const clock = options.clock ?? { wallMs: () => time.now, monotonicMs: () => time.now };
  let listener: StopListener | undefined;
  let words = 0;
  return {
    stdout,
    stderr,
    stdin,
    time,
    signal: (cause) => {
      words += 1;
      listener?.(cause, words);
      return listener !== undefined;
    },
    program: {
      version: '0.0.0-test',
      clock,
      environment: readEnvironment({ HOME: '/nonexistent', ...env }),
      workingDirectory,
      output: { results: new Sink(stdout), notes: new Sink(stderr) },
      input: { isTerminal: terminal, open: (): Readable => stdin },
      onStop: (given) => {
        listener = given;
        return () => {
          listener = undefined;
        };
      },
    },
  };
}
