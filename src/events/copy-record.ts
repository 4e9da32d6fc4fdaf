/**
 * A record written anew somewhere else, and the proof that both say the same: for an archive, whose original is deleted
 * behind it.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../shared/clock.js';
import { BugError, FatalError } from '../shared/errors.js';
import { openFileRecord } from './file-record.js';
import type { LogEntry } from './log-entry.js';
import type { TeamRecord } from './record.js';
import type { RecordView } from './record-view.js';
import { type TranscriptEntry, turnOf } from './transcript-entry.js';

/** Appends that are on their way at once: so many share a write, and no more of a long log is in flight. */
const AT_ONCE = 1_000;

/** Opens the folder of a copy. What it is given comes from a record, and so from behind the redactor. */
export function openCopy(
  root: string,
  clock: Pick<Clock, 'wallMs'>,
  mode: 'create' | 'open',
): Promise<TeamRecord> {
  return openFileRecord(root, { clock, mode });
}

/**
 * Writes all that a record holds into one that is open and empty: transcripts and texts, then the log, which names them.
 * Rejects as either side does.
 * @param from in strict reading: what is broken cannot be copied
 */
export async function copyRecord(from: RecordView, to: TeamRecord): Promise<void> {
  for (const member of await from.members()) {
    await appendMemory(member, (await from.transcript(member)).entries, to);
  }
  for (const digest of await from.blobs()) {
    const text = await from.blob(digest);
    if (text !== undefined) await to.blobs.put(text);
  }
  await appendAll((await from.log()).entries, to);
}

/** Writes entries of a transcript behind those that are there. */
export async function appendMemory(
  member: string,
  entries: readonly TranscriptEntry[],
  to: Pick<TeamRecord, 'transcripts'>,
): Promise<void> {
  for (const turn of turnsOf(entries)) {
    const outcome = await to.transcripts.append(member, turn);
    if (outcome.kind === 'fenced') throw new BugError('copy', `the copy of ${member} was not empty`);
  }
}

/** Writes entries of a log behind those that are there. */
export async function appendAll(entries: readonly LogEntry[], to: Pick<TeamRecord, 'log'>): Promise<void> {
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const outcomes = await Promise.all(entries.slice(at, at + AT_ONCE).map((entry) => to.log.append(entry)));
    if (outcomes.some(({ kind }) => kind === 'conflict'))
      throw new BugError('copy', 'somebody else writes the copy of a log');
  }
}

/** Compares all of two records. Rejects with `FatalError` `copy-differs`, which names the first difference. */
export async function proveSame(one: RecordView, other: RecordView): Promise<void> {
  const differs = (what: string): FatalError =>
    new FatalError('copy-differs', `${what} of the copy is not that of the record; the record stays`);
  const [members, blobs] = [await one.members(), await one.blobs()];
  if (!isDeepStrictEqual(members, await other.members())) throw differs('the list of transcripts');
  if (!isDeepStrictEqual(blobs, await other.blobs())) throw differs('the list of texts');
  for (const member of members) {
    const [mine, theirs] = [await one.transcript(member), await other.transcript(member)];
    if (!isDeepStrictEqual(mine.entries, theirs.entries)) throw differs(`the transcript of ${member}`);
  }
  // What is read is checked against its digest.
  for (const digest of blobs) if ((await other.blob(digest)) === undefined) throw differs(`text ${digest}`);
  if (!isDeepStrictEqual((await one.log()).entries, (await other.log()).entries)) throw differs('the log');
}

/** What is appended at once is of one turn. */
function turnsOf(entries: readonly TranscriptEntry[]): readonly (readonly TranscriptEntry[])[] {
  const turns = new Map<number, TranscriptEntry[]>();
  for (const entry of entries) {
    const turn = turnOf(entry.id);
    const known = turns.get(turn);
    if (known === undefined) turns.set(turn, [entry]);
    else known.push(entry);
  }
  return [...turns.values()];
}
