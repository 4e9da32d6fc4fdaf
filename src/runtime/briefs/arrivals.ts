/**
 * Results on their way from Redis to the machine that has the workspace: put into an outbox there, whole and durably, and
 * taken in from it as those of runners that are children. Nothing is believed of them before they were looked at.
 */

import { randomBytes } from 'node:crypto';
import { rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BRIEF_BYTES } from '../../delegate/brief/brief.js';
import { readResult } from '../../delegate/brief/read.js';
import type { Outbox } from '../../delegate/runner/outbox.js';
import { BUNDLE_BYTES } from '../../delegate/workspace/bundle.js';
import type { BriefPost } from '../../dispatch/brief-post.js';
import { systemCode } from '../../shared/errors.js';
import { makeFolder } from '../../shared/make-folder.js';

export type Arrived =
  /** It lies in the outbox: whose it says that it is. */
  | { readonly kind: 'here'; readonly runner: string }
  | { readonly kind: 'none' }
  /** What lies there is no result. */
  | { readonly kind: 'no_result'; readonly why: string };

export class Arrivals {
  readonly #post: BriefPost;
  readonly #outbox: Outbox;
  readonly #workdir: string;

  /** @param workdir folder of the outbox */
  constructor(post: BriefPost, outbox: Outbox, workdir: string) {
    this.#post = post;
    this.#outbox = outbox;
    this.#workdir = workdir;
  }

  /** Whether a result of this brief lies on Redis. */
  async isThere(brief: string): Promise<boolean> {
    return (await this.#post.result(brief, 0)) !== null;
  }

  /** Brings the result of a brief here. */
  async fetch(brief: string): Promise<Arrived> {
    const before = await this.#outbox.read(brief);
    if (before.kind === 'result') return { kind: 'here', runner: before.waiting.result.runner };
    const wrong = (why: string): Arrived => ({ kind: 'no_result', why });
    const text = await this.#post.result(brief, BRIEF_BYTES);
    if (text === null) return { kind: 'none' };
    if (typeof text !== 'string')
      return wrong(`the result has ${text.tooLong} bytes; a result has at most ${BRIEF_BYTES}`);
    const read = readResult(text);
    if (read.kind === 'refused') return wrong(read.message);
    const { value: result } = read;
    if (result.brief !== brief) return wrong(`it is the result of ${result.brief}`);
    if (result.bundle === null) {
      await this.#outbox.put(result, null);
      return { kind: 'here', runner: result.runner };
    }
    const bundle = await this.#bundle(brief, result.bundle.bytes);
    if (typeof bundle !== 'string') return wrong(bundle.why);
    try {
      await this.#outbox.put(result, bundle);
    } finally {
      await rm(bundle, { force: true }); // of one that was there already
    }
    return { kind: 'here', runner: result.runner };
  }

  /** Takes away what is empty here. */
  async leave(): Promise<void> {
    for (const path of [join(this.#workdir, 'outbox'), join(this.#workdir, 'arriving'), this.#workdir])
      await rmdir(path).catch((error: unknown) => {
        if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '')) throw error;
      });
  }

  /** The file of a bundle. */
  async #bundle(brief: string, bytes: number): Promise<string | { readonly why: string }> {
    if (bytes > BUNDLE_BYTES)
      return { why: `its bundle has ${bytes} bytes; a bundle has at most ${BUNDLE_BYTES}` };
    const pieces: Buffer[] = [];
    for (let got = 0; got < bytes; ) {
      const piece = await this.#post.piece(brief, pieces.length);
      if (piece === null) return { why: `piece ${pieces.length} of its bundle is not there` };
      pieces.push(piece);
      got += piece.length;
    }
    const folder = join(this.#workdir, 'arriving');
    await makeFolder(folder, 0o700);
    const path = join(folder, randomBytes(8).toString('hex'));
    await writeFile(path, Buffer.concat(pieces), { mode: 0o600, flag: 'wx' });
    return path;
  }
}
