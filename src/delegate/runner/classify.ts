/**
 * What came of a brief, from everything that was seen (spec/runner.md §3 "Result"). Pure, one table: the first row that
 * holds decides. *Completed* stands last, so that whatever is missing is never success.
 */

import type { ResultCause, ResultStatus, VerifyOutcome } from '../brief/result.js';
import type { EngineerEnd, EngineerExit } from '../engineers/engineer.js';
import type { Collection } from '../workspace/workspace.js';

/** How the engineer's process came to its end. */
export type EngineerRun =
  | { readonly kind: 'ended'; readonly exit: EngineerExit; readonly end: EngineerEnd }
  /** It never began: the program is missing, or could not be started. */
  | { readonly kind: 'not_started'; readonly detail: string; readonly cause?: 'disk_full' }
  /** It ran and never said that it works; its group is gone. */
  | { readonly kind: 'silent'; readonly detail: string }
  /** It wrote more than it may; its group is gone. */
  | { readonly kind: 'flooded'; readonly detail: string }
  /** `wall_minutes` were over; its group is gone. */
  | { readonly kind: 'timed_out'; readonly detail: string }
  | { readonly kind: 'cancelled'; readonly detail: string };

export interface Seen {
  readonly run: EngineerRun;
  /** Processes of it that could not be ended. */
  readonly left: readonly number[];
  /** Null: the run did not come so far. */
  readonly collection: Collection | null;
  /** What it changed that it must not change; empty: nothing was found. */
  readonly escaped: readonly string[];
  readonly verify: readonly VerifyOutcome[];
  readonly readOnly: boolean;
}

export interface Classified {
  readonly status: ResultStatus;
  readonly cause: ResultCause | null;
  readonly detail: string | null;
}

/** The one status that holds. */
export function classify(seen: Seen): Classified {
  const { run, left, collection, escaped, verify } = seen;
  // Before all else: what still runs is neither cancelled nor at its end.
  if (left.length > 0)
    return failed(
      'crashed',
      `processes of the engineer could not be ended: ${left.join(', ')}; end them by hand`,
    );
  if (run.kind === 'cancelled') return { status: 'cancelled', cause: null, detail: run.detail };
  if (escaped.length > 0) return failed('escaped', `it changed what it must not: ${escaped.join(', ')}`);
  if (run.kind === 'timed_out') return { status: 'timed_out', cause: null, detail: run.detail };
  if (run.kind === 'not_started') return failed(run.cause ?? 'spawn_failed', run.detail);
  if (run.kind === 'silent') return failed('no_start', run.detail);
  if (run.kind === 'flooded') return failed('output_limit', run.detail);
  const ended = endedBadly(run);
  if (ended !== undefined) return ended;
  if (collection === null) return failed('workspace', 'what it made was not collected');
  if (collection.kind === 'failed')
    return collection.cause === 'cancelled'
      ? { status: 'cancelled', cause: null, detail: collection.detail }
      : failed(collection.cause, collection.detail);
  const { collected } = collection;
  if (seen.readOnly && (collected.head !== null || collected.uncommitted.length > 0))
    return failed('escaped', 'a read-only brief has changed files');
  if (collected.missingArtifacts.length > 0)
    return failed(
      'missing_artifacts',
      `declared and not in the commit: ${collected.missingArtifacts.join(', ')}`,
    );
  if (verify.some(({ outcome }) => outcome === 'cancelled'))
    return { status: 'cancelled', cause: null, detail: 'cancelled while it was verified' };
  const broken = verify.filter(({ outcome }) => outcome !== 'passed');
  if (broken.length > 0)
    return failed(
      'verify_failed',
      broken
        .map(({ key, outcome, exit }) => `${key}: ${outcome}${exit === null ? '' : ` (exit ${exit})`}`)
        .join('; '),
    );
  return { status: 'completed', cause: null, detail: null };
}

/**
 * What process and envelope say together: both have to say that it went well. Only of one whose conversation was over and
 * that had to be sent away the exit says nothing: many agents of ACP stay when their standard input ends.
 */
function endedBadly({ exit, end }: Extract<EngineerRun, { kind: 'ended' }>): Classified | undefined {
  const how = howOf(exit);
  if (end.kind === 'failure') return failed(end.cause, `${end.detail} (${how})`);
  if (exit.kind === 'signalled') return failed('crashed', `the engineer was ended by ${how}`);
  const code = exit.kind === 'exited' ? exit.code : 0;
  if (end.kind === 'none')
    return code === 0
      ? {
          status: 'malformed',
          cause: 'no_result',
          detail: `the engineer never said how it ended (${how})`,
        }
      : failed('crashed', `the engineer ended with ${how} and never said how`);
  if (code !== 0) return failed('crashed', `the engineer says success and ended with ${how}`);
  return undefined;
}

function howOf(exit: EngineerExit): string {
  switch (exit.kind) {
    case 'exited':
      return `exit ${exit.code}`;
    case 'signalled':
      return exit.signal;
    case 'dismissed':
      return 'sent away after its conversation';
  }
}

function failed(cause: ResultCause, detail: string): Classified {
  return { status: 'failed', cause, detail };
}
