/** Small entries of a log and of a transcript, for every test of a record. */

import type { Fact } from '../../src/events/event.js';
import { type LogEntry, RECORD_VERSION } from '../../src/events/log-entry.js';
import { type TranscriptEntry, transcriptId } from '../../src/events/transcript-entry.js';

/** One character each of one, two, three and four bytes of UTF-8, and what line readers like to split on. */
export const MULTI_BYTE = 'aé€😀\u2028\n';

/** A fact whose text is the caller's. */
export function mail(body: string): Fact {
  return { type: 'mail.sent', id: 'm1', kind: 'mail', from: 'lead', to: ['writer'], body, task: null };
}

/** An entry of one command with one fact per body. */
export function entryAt(first: number, ...bodies: readonly string[]): LogEntry {
  const facts = (bodies.length === 0 ? [`fact ${first}`] : bodies).map(mail);
  return {
    v: RECORD_VERSION,
    first,
    at: first * 10,
    wall: '2026-01-02T03:04:05.678Z',
    commands: [{ id: `c${first}`, facts: facts.length }],
    facts,
  };
}

/** The first entry of a turn. */
export function opened(turn: number, member = 'writer'): TranscriptEntry {
  return { id: transcriptId(turn, 0), kind: 'opened', team: 'run-test-1', member };
}

/** A later entry of a turn. */
export function input(turn: number, k: number, text = `input ${turn}-${k}`): TranscriptEntry {
  return { id: transcriptId(turn, k), kind: 'input', messages: ['m1'], text };
}

/** Number of the first fact of each entry. */
export function numbers(entries: readonly LogEntry[]): readonly number[] {
  return entries.map((entry) => entry.first);
}

/** Id of each entry. */
export function ids(entries: readonly TranscriptEntry[]): readonly string[] {
  return entries.map((entry) => entry.id);
}
