/** Makes the memory of a stopped member whole: calls that will never have a result get one (spec/team.md §5). */

import { Conversation } from '../../agent/conversation.js';
import type { Transcripts } from '../../events/record.js';
import { type TranscriptEntry, transcriptId } from '../../events/transcript-entry.js';
import { placeOf } from '../../events/transcript-order.js';

const TEXT = 'cancelled: the member was stopped before this call had a result';

/**
 * Records a *cancelled* result for each open call of a member that has no live turn and gets none any more.
 * @returns what was added; nothing when its memory was whole
 */
export async function closeOpenCalls(
  transcripts: Transcripts,
  member: string,
): Promise<readonly TranscriptEntry[]> {
  const memory = await transcripts.read(member);
  const last = placeOf(memory.at(-1)?.id ?? '');
  if (last === undefined) return []; // It never had a turn.
  const closing = new Conversation(memory).pending.map(
    (call, index): TranscriptEntry => ({
      id: transcriptId(last.turn, last.k + 1 + index),
      kind: 'result',
      place: call.place,
      text: TEXT,
      outcome: 'cancelled',
    }),
  );
  if (closing.length > 0) await transcripts.append(member, closing);
  return closing;
}
