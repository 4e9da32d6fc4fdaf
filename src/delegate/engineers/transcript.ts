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

/** Before a sentence of ours between the lines of the output. */
const NOTE_MARK = '--- bnerd: ';

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
  readonly #secrets: Redactor;
  #bytes = 0;
  #output = 0;
  #cut = 0;
  #failure: string | null = null;
  /** Sentences of ours that wait for the end of a line. */
  #notes = '';
  #lineBegins = true;
  #closed = false;
  /** Null: nothing is known to be secret, and the output stays byte for byte. */
  readonly #clean: { readonly decoder: StringDecoder; readonly stream: RedactedStream } | null;

  /** Makes the file; one that is there is an error of the system. */
  constructor(path: string, given: string, secrets: Redactor, bound = OUTPUT_BYTES) {
    this.#path = path;
    this.#secrets = secrets;
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

  /** Puts in a sentence of ours, without secrets, on a line of its own between those of the output. */
  note(sentence: string): void {
    if (this.#closed) return;
    this.#notes += `${NOTE_MARK}${this.#secrets.shown(sentence)}\n`;
    if (this.#lineBegins) this.#putNotes();
  }

  #putNotes(): void {
    const notes = Buffer.from(this.#notes);
    this.#notes = '';
    if (notes.length > 0) this.#keep(notes);
  }

  #take(chunk: Buffer): void {
    if (chunk.length === 0) return;
    // Behind the last whole line of it: what was answered stands near to what was asked.
    const whole = this.#notes === '' ? 0 : chunk.lastIndexOf(10) + 1;
    if (whole > 0) {
      this.#keep(chunk.subarray(0, whole));
      this.#putNotes();
    }
    if (whole < chunk.length) this.#keep(chunk.subarray(whole));
    this.#lineBegins = chunk.at(-1) === 10;
  }

  #keep(chunk: Buffer): void {
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
    if (this.#notes !== '' && !this.#lineBegins) this.#keep(Buffer.from('\n'));
    this.#putNotes();
    try {
      fsyncSync(this.#file);
    } catch (error) {
      this.#failure ??= errorText(error);
    }
    closeSync(this.#file);
    this.#closed = true;
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
