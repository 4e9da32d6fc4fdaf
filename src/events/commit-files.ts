/**
 * How a batch becomes durable in a team's folder: blobs and transcripts first, log last, one write and one
 * fsync per file (R3). When any of it fails, everything of the batch is cut off again (R1); blobs stay, since
 * nothing names them.
 */

import { syncFolder } from '../shared/durable-file.js';
import { errorText, FatalError, systemCode } from '../shared/errors.js';
import { AppendFile } from './append-file.js';
import { writeBlob } from './blob-files.js';
import type { Batch } from './group-commit.js';
import { type RecordFolder, transcriptPath } from './record-folder.js';

/** Handles of transcripts that stay open between commits; macOS may allow a process only 256 files. */
const OPEN_TRANSCRIPTS = 64;
/** More does not help: Node syncs on four threads. */
const AT_ONCE = 8;

export class CommitFiles {
  readonly log: AppendFile;
  readonly #folder: RecordFolder;
  readonly #transcripts: Map<string, AppendFile>;
  /** Least recently written first. */
  readonly #open = new Set<AppendFile>();

  constructor(folder: RecordFolder, log: AppendFile, transcripts: ReadonlyMap<string, AppendFile>) {
    this.#folder = folder;
    this.log = log;
    this.#transcripts = new Map(transcripts);
  }

  /** A member's file; one that nobody wrote yet has length 0. */
  transcript(member: string): AppendFile {
    let file = this.#transcripts.get(member);
    if (file === undefined) {
      file = new AppendFile(transcriptPath(this.#folder, member), 0);
      this.#transcripts.set(member, file);
    }
    return file;
  }

  /** Rejects with the named `FatalError`, after everything was cut back. */
  async write(batch: Batch): Promise<void> {
    const transcripts = [...batch.transcripts].map(([member, lines]) => ({
      file: this.transcript(member),
      lines,
    }));
    const files = [...transcripts.map(({ file }) => file), this.log];
    try {
      await this.#writeBlobs(batch.blobs);
      await this.#writeTranscripts(transcripts);
      if (batch.log.length > 0) await this.log.write(Buffer.from(batch.log.join(''), 'utf8'));
    } catch (error) {
      throw writeFailure(error, await cutBackAll(files));
    }
    for (const file of files) file.keep();
  }

  async close(): Promise<void> {
    await Promise.all([this.log, ...this.#open].map((file) => file.park()));
    this.#open.clear();
  }

  async #writeBlobs(blobs: ReadonlyMap<string, Uint8Array>): Promise<void> {
    let made = false;
    await eachOf([...blobs], async ([digest, bytes]) => {
      if (await writeBlob(this.#folder.blobs, digest, bytes)) made = true;
    });
    if (made) await syncFolder(this.#folder.blobs);
  }

  async #writeTranscripts(work: readonly { file: AppendFile; lines: readonly string[] }[]): Promise<void> {
    await eachOf(work, async ({ file, lines }) => {
      await file.write(Buffer.from(lines.join(''), 'utf8'));
      await this.#used(file);
    });
    if (work.some(({ file }) => file.length === 0)) await syncFolder(this.#folder.transcripts);
  }

  /** Keeps the number of open handles bounded. */
  async #used(file: AppendFile): Promise<void> {
    this.#open.delete(file);
    this.#open.add(file);
    for (const oldest of this.#open) {
      if (this.#open.size <= OPEN_TRANSCRIPTS) break;
      this.#open.delete(oldest);
      await oldest.park();
    }
  }
}

/** Runs the work for all items, a few at a time, to the end of all of them; rejects with the first error. */
async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const errors: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const item of waiting) {
      try {
        await work(item);
      } catch (error) {
        errors.push(error);
        return;
      }
    }
  };
  // Nothing may still be writing when the caller cuts back, hence no rejection before the last lane ends.
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
}

/** What could not be cut back, for the error's text. */
async function cutBackAll(files: readonly AppendFile[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const file of files) {
    try {
      await file.cutBack();
    } catch (error) {
      left.push(`${file.path} could not be cut back (${errorText(error)})`);
    }
  }
  return left;
}

function writeFailure(error: unknown, left: readonly string[]): FatalError {
  if (error instanceof FatalError) return error;
  const full = ['ENOSPC', 'EFBIG', 'EDQUOT'].includes(systemCode(error) ?? '');
  const what = full ? 'the disk is full or the file may not grow' : 'the record could not be written';
  return new FatalError(
    full ? 'disk-full' : 'log-failed',
    [`${what}: ${errorText(error)}; nothing of this commit is kept`, ...left].join('; '),
    { cause: error },
  );
}
