/**
 * The log of a team as it grows, for who only looks on: entry by entry from the beginning, then each new one, until the
 * run has ended or nobody runs it (spec/team.md §7 `watch`).
 *
 *  F1 what is followed is the record: a follower costs the team nothing, however slow it is, and misses nothing;
 *  F2 entries of a newer version of this program are read as far as their shape is the same;
 *  F3 a line is told when it is whole; one that its writer has not finished is waited for.
 */

import { z } from 'zod';
import { checkEnvelope } from '../../events/log-envelope.js';
import type { TeamLook } from '../../runtime/engine/engine.js';
import { orAborted } from '../../shared/abort.js';
import { FatalError } from '../../shared/errors.js';

/** A fact as it is stored; a newer version may have types and fields that this one does not know. */
const storedFact = z.looseObject({ type: z.string() });
export type StoredFact = z.infer<typeof storedFact>;

const storedEntry = z.object({
  first: z.int(),
  /** Team time, milliseconds. */
  at: z.number(),
  wall: z.string(),
  facts: z.array(storedFact),
});
export type StoredEntry = z.infer<typeof storedEntry>;

export type Followed =
  | { readonly kind: 'entry'; readonly entry: StoredEntry }
  /** Everything that is there has been told; what comes next is waited for. */
  | { readonly kind: 'caught-up' }
  /** `ended`: the run has; `left`: no process runs it, and it has not ended. */
  | { readonly kind: 'over'; readonly how: 'ended' | 'left' };

/**
 * Follows the log of a team, wherever it lies.
 * @throws FatalError when a line cannot be understood; CancelledError when the signal fires
 */
export async function* followLog(
  look: Pick<TeamLook, 'lines' | 'holding' | 'next'>,
  signal: AbortSignal,
): AsyncGenerator<Followed, void> {
  const log = look.lines();
  let ended = false;
  let left = false;
  let lines = 0;
  try {
    for (;;) {
      const line = await orAborted(log.next(), signal);
      if (line !== undefined) {
        left = false;
        lines++;
        const entry = readEntry(line, lines);
        ended = endsWith(entry, ended);
        yield { kind: 'entry', entry };
        continue;
      }
      yield { kind: 'caught-up' };
      if (ended || left) {
        yield { kind: 'over', how: ended ? 'ended' : 'left' };
        return;
      }
      // Looked at once more behind its process, which may have written before it let go.
      left = (await orAborted(look.holding(), signal)).kind === 'free';
      if (!left) await look.next(signal);
    }
  } finally {
    await log.close();
  }
}

function readEntry(line: string, at: number): StoredEntry {
  const value = parsed(line);
  const check = checkEnvelope(value);
  if (check.kind === 'entry') return storedEntry.parse(check.entry);
  const read = check.code === 'record-too-new' ? storedEntry.safeParse(value) : undefined;
  if (read?.success === true) return read.data;
  throw new FatalError(check.code, `line ${at} of the log ${check.reason}`);
}

/** A line that is no JSON is refused by the check of the entry. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Whether the run has ended behind this entry: one that was taken up again has not. */
function endsWith({ facts }: StoredEntry, before: boolean): boolean {
  const last = facts.findLast(({ type }) => type === 'run.ended' || type === 'run.resumed');
  return last === undefined ? before : last.type === 'run.ended';
}
