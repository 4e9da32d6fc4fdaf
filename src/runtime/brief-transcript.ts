/**
 * The transcript of a brief for people: what its engineer was given and what it wrote, read where the file still lies
 * (spec/team.md §7 `transcript`).
 *
 * Where the file lies a runner has said, which may be wrong or a lie: one that is not the file that it has signed is named
 * and not shown. What is shown is bounded, and what is secret here is taken out before it is cut.
 */

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { OUTPUT_MARK } from '../delegate/engineers/transcript.js';
import { auditHead } from '../delegate/transcript/audit-head.js';
import { briefPlaces } from '../delegate/workspace/places.js';
import type { Finding } from '../shared/findings.js';
import type { Found } from './find-team.js';
import type { House } from './house.js';
import { type RecordedBrief, recordedBriefs } from './recorded-briefs.js';
import { briefUnusable, toldByRecord } from './skills/told-entries.js';
import { withTeam } from './teams.js';
import { readTranscriptFile, type TranscriptFile } from './transcript-file.js';

/** A part of a transcript as it is shown. */
export interface ShownPart {
  readonly text: string;
  /** Of the whole part, as it lies there. */
  readonly bytes: number;
  /** How many of them stand before or behind what is shown; about as many where secrets were taken out. */
  readonly left_out: number;
}

export interface BriefTranscript {
  readonly brief: string;
  readonly path: string;
  /** SHA-256 of the file. */
  readonly sha256: string;
  /** Its beginning. */
  readonly given: ShownPart;
  /** Its end. */
  readonly output: ShownPart;
  /** What it is not, by its record; an error among them: it is no proof of anything. */
  readonly findings: readonly Finding[];
}

export type BriefLook =
  | { readonly kind: 'shown'; readonly transcript: BriefTranscript }
  /** It is not there, or not what it must be. */
  | { readonly kind: 'not-shown'; readonly finding: Finding }
  /** The record has no brief of this name. */
  | { readonly kind: 'no-brief' };

/** The most that is shown of what was given, and of output, in bytes. */
const GIVEN_BYTES = 512 << 10;
/** Of the end of a file so much is left out that no secret begins in front of what is shown of it. */
const EDGE_BYTES = 8 << 10;

/** Whether a word is formed like the name of a brief, whole or without its team. */
export function isBriefWord(word: string): boolean {
  return /(?:^|\.)t[1-9]\d*\.a[1-9]\d*\.o[1-9]\d*$/.test(word);
}

/** Looks for the transcript of one brief. @param word its id, whole or without the team */
export function briefTranscript(house: House, typed: string, word: string): Promise<Found<BriefLook>> {
  return withTeam(house, typed, async ({ id, folder, look }): Promise<BriefLook> => {
    const view = look.view('tolerant');
    const facts = (await view.log()).entries.flatMap((entry) => entry.facts);
    const recorded = recordedBriefs(facts).find(({ sent }) => [word, `${id}.${word}`].includes(sent.brief));
    if (recorded === undefined) return { kind: 'no-brief' };
    const { sent } = recorded;
    const path =
      recorded.ended?.transcript?.path ?? briefPlaces(join(folder, 'runner'), sent.brief).transcript;
    const file = await plainFile(path);
    if (file.kind === 'unreadable') return gone(recorded, path, file.reason);
    const { told, trouble } = await toldByRecord(recorded, (sha256) => view.blob(sha256));
    const audit = auditHead({ path, ...file }, told);
    const another = audit.findings.find(({ code }) => code === 'file-differs');
    if (another !== undefined) return { kind: 'not-shown', finding: another };
    const given = audit.given ?? endOfGiven(file);
    return {
      kind: 'shown',
      transcript: {
        brief: sent.brief,
        path,
        sha256: file.sha256,
        given: beginning(house, file, given),
        output: end(house, file, given + Buffer.byteLength(OUTPUT_MARK)),
        findings: [...audit.findings, ...(trouble === null ? [] : [briefUnusable(path, trouble)])],
      },
    };
  });
}

/** A link may lead anywhere: it is not followed. */
async function plainFile(path: string): ReturnType<typeof readTranscriptFile> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return { kind: 'unreadable', reason: 'it is not there' };
  return stats.isFile() ? readTranscriptFile(path) : { kind: 'unreadable', reason: 'it is no file' };
}

function gone({ sent, accepted }: RecordedBrief, path: string, reason: string): BriefLook {
  const whose = accepted === null ? 'no runner has taken it' : `its runner was ${accepted.runner}`;
  return {
    kind: 'not-shown',
    finding: {
      code: 'no-transcript',
      severity: 'error',
      path,
      message: `the transcript of brief ${sent.brief}: ${reason}; ${whose}`,
      remedy: 'look on the machine of its runner, which keeps transcripts until they are pruned',
    },
  };
}

/** Where nobody has told what was given: in front of the first line that may end it. */
function endOfGiven({ head }: TranscriptFile): number {
  const mark = head.indexOf(OUTPUT_MARK);
  return mark === -1 ? head.length : mark;
}

function beginning({ secrets }: House, { head }: TranscriptFile, bytes: number): ShownPart {
  const text = secrets.text(head.toString('utf8', 0, Math.min(bytes, GIVEN_BYTES + EDGE_BYTES)));
  if (bytes <= GIVEN_BYTES) return { text, bytes, left_out: 0 };
  const cut = Buffer.from(text)
    .subarray(0, GIVEN_BYTES)
    .toString('utf8')
    .replace(/\ufffd$/, '');
  return { text: cut, bytes, left_out: bytes - Buffer.byteLength(cut) };
}

function end({ secrets }: House, { tail, bytes: whole }: TranscriptFile, from: number): ShownPart {
  const bytes = Math.max(0, whole - from);
  if (bytes <= tail.length)
    return { text: secrets.text(tail.toString('utf8', tail.length - bytes)), bytes, left_out: 0 };
  const text = secrets.text(tail.toString('utf8'));
  const line = text.indexOf('\n', EDGE_BYTES);
  const shown = text.slice(line === -1 ? EDGE_BYTES : line + 1);
  return { text: shown, bytes, left_out: bytes - Buffer.byteLength(shown) };
}
