/**
 * A team's folder, opened for writing: `log.jsonl`, `transcripts/<member>.jsonl`, `blobs/<sha256>`, folders
 * 0700, files 0600 (spec/engine.md §1 "File log").
 *
 * 1. Who opens it holds the lock (`lock.ts`); this file does not ask.
 * 2. A torn tail is set aside with a finding; a broken line, an unknown type or version refuses to load, and
 *    then nothing has been changed.
 * 3. What is read after opening is durable, whatever the process before this one left unsynced.
 */

import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../shared/clock.js';
import { syncFolder } from '../shared/durable-file.js';
import type { Finding } from '../shared/findings.js';
import { Releases } from '../shared/releases.js';
import { AppendFile } from './append-file.js';
import { blobSizesIn, sweepBlobParts } from './blob-files.js';
import { brokenError } from './broken-record.js';
import { CommitFiles } from './commit-files.js';
import { FileBlobs } from './file-blobs.js';
import { FileLog } from './file-log.js';
import { FileTranscripts } from './file-transcripts.js';
import { GroupCommit } from './group-commit.js';
import { type LogLines, parseLog } from './log-lines.js';
import { closeToOthers, ensureFolder } from './own-folder.js';
import type { TeamRecord } from './record.js';
import {
  memberOfFile,
  noTeam,
  type RecordFolder,
  recordFolder,
  teamExists,
  transcriptPath,
} from './record-folder.js';
import { setAside } from './torn-tail.js';
import type { TranscriptPlace } from './transcript-order.js';
import { openTranscript } from './transcript-tail.js';
import { readFileIfThere } from './whole-file.js';

export interface FileRecordOptions {
  /** Stamps what is set aside, for people. */
  readonly clock: Pick<Clock, 'wallMs'>;
  /** `create` refuses a folder that holds entries, `open` one that holds no log. */
  readonly mode: 'create' | 'open';
  /** Released last when the record is closed, the lock above all. */
  readonly lock?: { release(): Promise<void> };
}

/**
 * Opens a team's folder. Rejects with `UserError` (`team-exists`, `no-team`) or `FatalError` (`log-broken`,
 * `record-too-new`, `transcript-broken`); the given lock then stays with the caller.
 */
export async function openFileRecord(root: string, options: FileRecordOptions): Promise<TeamRecord> {
  const folder = recordFolder(root);
  const lines = parseLog(await logBytes(folder, options.mode));
  refuseUnlessUsable(folder, lines, options.mode);
  const findings = await prepare(folder);
  const wallMs = options.clock.wallMs();
  if (lines.torn !== undefined) {
    const tail = { path: folder.log, asidePath: folder.logTorn, goodBytes: lines.goodBytes, ...lines.torn };
    findings.push(await setAside(tail, 'log-torn', wallMs));
  }
  const blobSizes = await blobSizesIn(folder.blobs);
  const log = new AppendFile(folder.log, lines.goodBytes);
  const transcripts = await openTranscripts(folder, wallMs);
  findings.push(...transcripts.findings);
  try {
    await log.sync();
    await syncFolder(folder.root);
    if (options.mode === 'create') await syncFolder(dirname(folder.root));
  } catch (error) {
    await log.park();
    throw error;
  }
  return assemble(folder, log, lines, transcripts, blobSizes, findings, options);
}

async function logBytes(folder: RecordFolder, mode: 'create' | 'open'): Promise<Uint8Array> {
  const bytes = await readFileIfThere(folder.log);
  if (bytes === undefined && mode === 'open') throw noTeam(folder.root);
  return bytes ?? new Uint8Array();
}

function refuseUnlessUsable(folder: RecordFolder, lines: LogLines, mode: 'create' | 'open'): void {
  const [broken] = lines.broken;
  if (broken !== undefined) throw brokenError({ ...broken, path: folder.log });
  // An empty log is no team: its process died before the first entry, and the name is free to use.
  if (mode === 'create' && lines.entries.length > 0) throw teamExists(folder.root, lines.entries.length);
}

async function prepare(folder: RecordFolder): Promise<Finding[]> {
  await ensureFolder(folder.root);
  await ensureFolder(folder.transcripts);
  await ensureFolder(folder.blobs);
  await sweepBlobParts(folder.blobs);
  await syncFolder(folder.blobs);
  if (!(await closeToOthers(folder.root))) return [];
  return [
    {
      code: 'record-was-open',
      severity: 'warning',
      path: folder.root,
      message:
        'the folder could be entered by other users; allowed is the owner alone (0700), which it now is',
      remedy: 'check who may have read the record; nothing else needs doing',
    },
  ];
}

interface OpenedTranscripts {
  readonly files: ReadonlyMap<string, AppendFile>;
  readonly places: ReadonlyMap<string, TranscriptPlace>;
  readonly findings: readonly Finding[];
}

async function openTranscripts(folder: RecordFolder, wallMs: number): Promise<OpenedTranscripts> {
  const files = new Map<string, AppendFile>();
  const places = new Map<string, TranscriptPlace>();
  const findings: Finding[] = [];
  for (const name of (await readdir(folder.transcripts)).sort()) {
    const member = memberOfFile(name);
    if (member === undefined) continue;
    const path = transcriptPath(folder, member);
    const opened = await openTranscript(path, join(folder.transcripts, `${member}.torn`), wallMs);
    files.set(member, new AppendFile(path, opened.length));
    places.set(member, opened.place);
    findings.push(...opened.findings);
  }
  await syncFolder(folder.transcripts);
  return { files, places, findings };
}

function assemble(
  folder: RecordFolder,
  log: AppendFile,
  lines: LogLines,
  transcripts: OpenedTranscripts,
  blobSizes: ReadonlyMap<string, number>,
  findings: readonly Finding[],
  options: FileRecordOptions,
): TeamRecord {
  const files = new CommitFiles(folder, log, transcripts.files);
  const commit = new GroupCommit((batch) => files.write(batch));
  const { lock } = options;
  const transcriptBytes = [...transcripts.files.values()].reduce((sum, file) => sum + file.length, 0);
  const fileLog = new FileLog(log, commit, lines);
  const fileTranscripts = new FileTranscripts(
    (member) => files.transcript(member),
    commit,
    transcripts.places,
    transcriptBytes,
  );
  const blobs = new FileBlobs(folder.blobs, commit, blobSizes);
  const releases = new Releases();
  if (lock !== undefined) releases.add('lock', () => lock.release());
  releases.add('files', () => files.close());
  releases.add('commit', () => commit.close());
  return {
    log: fileLog,
    transcripts: fileTranscripts,
    blobs,
    bytes: () => fileLog.bytes + fileTranscripts.bytes + blobs.bytes,
    findings,
    close: () => releases.run(),
  };
}
