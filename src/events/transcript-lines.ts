/**
 * Reads the bytes of `transcripts/<member>.jsonl`: whole lines whose ids follow each other. The check is by
 * hand, since a transcript is read at every turn's start; `verify` uses the full schema.
 */

import { parseRows } from './record-lines.js';
import type { TranscriptEntry } from './transcript-entry.js';
import { TRANSCRIPT_START, type TranscriptPlace, transcriptStep } from './transcript-order.js';

export interface TranscriptLines {
  readonly entries: readonly TranscriptEntry[];
  /** Where the next append must follow on. */
  readonly place: TranscriptPlace;
  readonly goodBytes: number;
  readonly torn?: { readonly line: number; readonly bytes: Uint8Array };
  /** Lines that cannot be used, with the reason as the end of the sentence "line n …". */
  readonly broken: readonly { readonly line: number; readonly reason: string }[];
}

const KINDS: ReadonlySet<unknown> = new Set<TranscriptEntry['kind']>([
  'opened',
  'input',
  'reply',
  'result',
  'compacted',
]);

/** Total: any bytes give a reading. Behind a broken line it goes on with what the next good line says. */
export function parseTranscript(bytes: Uint8Array): TranscriptLines {
  const { rows, bad, goodBytes, torn } = parseRows(bytes);
  const { entries, place, broken } = readTranscriptRows(rows);
  return {
    entries,
    place,
    goodBytes,
    broken: [...bad, ...broken].sort((one, other) => one.line - other.line),
    ...(torn === undefined ? {} : { torn }),
  };
}

/** The same of values that somebody else has parsed, each with its 1-based number in what is read. Total. */
export function readTranscriptRows(
  rows: readonly { readonly value: unknown; readonly line: number }[],
): Pick<TranscriptLines, 'entries' | 'place' | 'broken'> {
  const entries: TranscriptEntry[] = [];
  const broken: { line: number; reason: string }[] = [];
  let place = TRANSCRIPT_START;
  let line = 0;
  for (const row of rows) {
    const entry = row.value;
    if (!isEntry(entry)) {
      broken.push({ line: row.line, reason: 'is no transcript entry' });
      continue;
    }
    const step = transcriptStep(place, entry);
    const skipped = row.line !== line + 1;
    const next = step.kind === 'older' || !isAfter(place, step.place) ? undefined : step.place;
    if (step.kind !== 'follows' && (next === undefined || !skipped)) {
      broken.push({ line: row.line, reason: `has id "${entry.id}" after ${place.turn}-${place.k}` });
    }
    if (next === undefined) continue;
    entries.push(entry);
    place = next;
    line = row.line;
  }
  return { entries, place, broken };
}

function isAfter(last: TranscriptPlace, place: TranscriptPlace | undefined): boolean {
  if (place === undefined) return false;
  return place.turn > last.turn || (place.turn === last.turn && place.k > last.k);
}

function isEntry(value: unknown): value is TranscriptEntry {
  if (typeof value !== 'object' || value === null) return false;
  return 'id' in value && typeof value.id === 'string' && 'kind' in value && KINDS.has(value.kind);
}
