/**
 * The transcript of an engineer: a file that begins with the exact bytes it was given, then a line that ends them, then
 * what it wrote, to a bound (spec/runner.md §3). What an auditor reads is this file, so it is written by us alone.
 */

import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, writeSync } from 'node:fs';

/** Of the engineer's output; the result says when there was more. */
const OUTPUT_BYTES = 64 << 20;

/** Behind what was given, on a line of its own. */
export const OUTPUT_MARK = '\n--- output ---\n';

export interface TranscriptProof {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Output that is not in it, in bytes. */
  readonly cut: number;
}

export class Transcript {
  readonly #path: string;
  readonly #file: number;
  readonly #hash: Hash = createHash('sha256');
  readonly #bound: number;
  #bytes = 0;
  #output = 0;
  #cut = 0;

  /** Makes the file; one that is there is an error of the system. */
  constructor(path: string, given: string, bound = OUTPUT_BYTES) {
    this.#path = path;
    this.#bound = bound;
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
    this.#file = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
    this.#write(Buffer.from(given + OUTPUT_MARK));
  }

  /** Takes output as it came. Synchronous, so that a program that writes without end meets the disk and not our memory. */
  output(chunk: Buffer): void {
    const room = Math.max(0, this.#bound - this.#output);
    const kept = chunk.subarray(0, room);
    this.#output += kept.length;
    this.#cut += chunk.length - kept.length;
    if (kept.length > 0) this.#write(kept);
  }

  /** Closes the file, once it is on the disk. */
  close(): TranscriptProof {
    fsyncSync(this.#file);
    closeSync(this.#file);
    return { path: this.#path, bytes: this.#bytes, sha256: this.#hash.digest('hex'), cut: this.#cut };
  }

  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }
}
