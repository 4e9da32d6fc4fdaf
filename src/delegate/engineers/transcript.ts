/**
 * The transcript of an engineer: a file that begins with the exact bytes it was given, then a line that ends them, then
 * what it wrote, to a bound (spec/runner.md §3). What an auditor reads is this file, so it is written by us alone; what is
 * secret on this machine is not in its output (invariant 8).
 */

import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, writeSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { errorText } from '../../shared/errors.js';
import { NO_SECRETS, type RedactedStream, type Redactor } from '../../shared/secrets/redactor.js';

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
  /** Why it ends earlier than the output did: the disk was full; null: it does not. */
  readonly failure: string | null;
}

export class Transcript {
  readonly #path: string;
  readonly #file: number;
  readonly #hash: Hash = createHash('sha256');
  readonly #bound: number;
  #bytes = 0;
  #output = 0;
  #cut = 0;
  #failure: string | null = null;
  /** Null: nothing is known to be secret, and the output stays byte for byte. */
  readonly #clean: { readonly decoder: StringDecoder; readonly stream: RedactedStream } | null;

  /** Makes the file; one that is there is an error of the system. */
  constructor(path: string, given: string, secrets: Redactor, bound = OUTPUT_BYTES) {
    this.#path = path;
    this.#clean =
      secrets === NO_SECRETS ? null : { decoder: new StringDecoder('utf8'), stream: secrets.stream() };
    this.#bound = bound;
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
    this.#file = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
    this.#write(Buffer.from(given + OUTPUT_MARK));
  }

  /** Takes output as it came. Synchronous, so that a program that writes without end meets the disk and not our memory. */
  output(chunk: Buffer): void {
    this.#take(
      this.#clean === null
        ? chunk
        : Buffer.from(this.#clean.stream.push(this.#clean.decoder.write(chunk)), 'utf8'),
    );
  }

  #take(chunk: Buffer): void {
    const room = Math.max(0, this.#bound - this.#output);
    const kept = chunk.subarray(0, room);
    this.#output += kept.length;
    this.#cut += chunk.length - kept.length;
    if (kept.length === 0) return;
    try {
      if (this.#failure === null) this.#write(kept);
    } catch (error) {
      // The engineer's work goes on without it; the result says so.
      this.#failure = errorText(error);
    }
  }

  /** Closes the file, once it is on the disk. */
  close(): TranscriptProof {
    if (this.#clean !== null) {
      const { decoder, stream } = this.#clean;
      this.#take(Buffer.from(stream.push(decoder.end()) + stream.end(), 'utf8'));
    }
    try {
      fsyncSync(this.#file);
    } catch (error) {
      this.#failure ??= errorText(error);
    }
    closeSync(this.#file);
    const sha256 = this.#hash.digest('hex');
    return { path: this.#path, bytes: this.#bytes, sha256, cut: this.#cut, failure: this.#failure };
  }

  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const written = writeSync(this.#file, bytes, at);
      this.#hash.update(bytes.subarray(at, at + written));
      this.#bytes += written;
      at += written;
    }
  }
}
