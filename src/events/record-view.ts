/**
 * A team's folder read without its lock, for `status`, `verify` and people: of a stopped team, or beside a
 * live process that writes it. Touches nothing.
 *
 * A torn tail is a line that a live writer has not finished, or one that the next opening will set aside:
 * either way it was never acknowledged and is left out without a word. In `tolerant` reading a broken line is
 * left out with a warning that names it, and what comes later is read (K215); in `strict` it refuses.
 */

import { readdir } from 'node:fs/promises';
import { systemCode } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import { isBlobName, readBlob } from './blob-files.js';
import { type BrokenPlace, brokenError, brokenFinding } from './broken-record.js';
import type { LogEntry } from './log-entry.js';
import { parseLog } from './log-lines.js';
import { memberOfFile, noTeam, recordFolder, transcriptPath } from './record-folder.js';
import type { TranscriptEntry } from './transcript-entry.js';
import { parseTranscript } from './transcript-lines.js';
import { readFileIfThere } from './whole-file.js';

export interface Reading<Entry> {
  readonly entries: readonly Entry[];
  /** Always empty in strict reading. */
  readonly findings: readonly Finding[];
}

/** Every call reads the files as they are then. */
export interface RecordView {
  /** Rejects with `UserError` `no-team`; in strict reading with `FatalError` (`log-broken`, `record-too-new`). */
  log(): Promise<Reading<LogEntry>>;
  /** Empty for a member that never had a turn; in strict reading rejects with `transcript-broken`. */
  transcript(member: string): Promise<Reading<TranscriptEntry>>;
  /** The text of a digest; undefined when it is not there; rejects with `blob-broken`. */
  blob(digest: string): Promise<string | undefined>;
  /** Members that have a transcript, by name. */
  members(): Promise<readonly string[]>;
  /** Digests of all texts there are, in order. */
  blobs(): Promise<readonly string[]>;
}

/** Looks into a team's folder; nothing is read before a method is called. */
export function readFileRecord(root: string, reading: 'strict' | 'tolerant'): RecordView {
  const folder = recordFolder(root);
  const judge = (places: readonly BrokenPlace[]): readonly Finding[] => {
    const [first] = places;
    if (first !== undefined && reading === 'strict') throw brokenError(first);
    return places.map(brokenFinding);
  };
  return {
    async log() {
      const bytes = await readFileIfThere(folder.log);
      if (bytes === undefined) throw noTeam(root);
      const { entries, broken } = parseLog(bytes);
      return { entries, findings: judge(broken.map((line) => ({ ...line, path: folder.log }))) };
    },
    async transcript(member) {
      const path = transcriptPath(folder, member);
      const { entries, broken } = parseTranscript((await readFileIfThere(path)) ?? new Uint8Array());
      return {
        entries,
        findings: judge(broken.map((line) => ({ ...line, code: 'transcript-broken', path }))),
      };
    },
    blob: (digest) => readBlob(folder.blobs, digest),
    members: async () =>
      (await namesIn(folder.transcripts)).flatMap((name) => memberOfFile(name) ?? []).sort(),
    blobs: async () => (await namesIn(folder.blobs)).filter(isBlobName).sort(),
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
