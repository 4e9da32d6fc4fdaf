/**
 * What a failed command means for who sent it: it may be sent again, or it will never do.
 *
 * A server that refuses by name has done nothing. Where the connection broke, nobody knows: that is for the sender to look
 * into, and is no trouble of its own.
 */

import { CodedError, errorText, FatalError } from '../../shared/errors.js';

/** Under which name a record gives up whose server stayed away, or took no writes, for too long. */
export type PassingCode = 'record-unreachable' | 'redis-misconf' | 'redis-full' | 'not-replicated';

export type Trouble =
  /** Looked into and tried again, for as long as the record waits for its server. */
  | { readonly kind: 'passing'; readonly code: PassingCode }
  | { readonly kind: 'final'; readonly error: Error };

/** No replica has said within its moment that it has what was written. */
export class NotReplicatedError extends Error {
  constructor() {
    super('no replica has what allows an effect, and durability is strict: the effect waits for one');
  }
}

/** Refusals that end by themselves: it loads, it is no longer the primary, it waits for replicas or for a script. */
const PASSING = /^(LOADING|READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY)\b/;

/** Sorts what a command was rejected with. Total. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof CodedError) return { kind: 'final', error };
  if (error instanceof NotReplicatedError) return { kind: 'passing', code: 'not-replicated' };
  if (!isReply(error)) return { kind: 'passing', code: 'record-unreachable' };
  const words = ownWords(errorText(error));
  if (PASSING.test(words)) return { kind: 'passing', code: 'record-unreachable' };
  // It has no room, on its disk or in its memory: that may end as well, and is named when it does not.
  if (words.startsWith('MISCONF')) return { kind: 'passing', code: 'redis-misconf' };
  if (words.startsWith('OOM')) return { kind: 'passing', code: 'redis-full' };
  return { kind: 'final', error: finalError(words, error) };
}

/** Whether a server refuses who asks, not what is asked. */
export function isDenial(words: string): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM)\b/.test(words);
}

/** The error of a record whose server stayed away, or refused, for too long. */
export function gaveUp(code: PassingCode, where: string, cause: unknown): FatalError {
  const { what, remedy } = GAVE_UP[code];
  return new FatalError(code, `${what(where)}: ${errorText(cause)}; ${remedy}`, { cause });
}

const LOOK =
  'what was not acknowledged may or may not be in it; look at the server, then go on from the record';

const GAVE_UP: Readonly<Record<PassingCode, { what: (where: string) => string; remedy: string }>> = {
  'record-unreachable': { what: (where) => `the record at ${where} cannot be reached`, remedy: LOOK },
  'redis-misconf': {
    what: (where) => `Redis at ${where} takes no writes since it cannot write its own disk`,
    remedy: LOOK,
  },
  'not-replicated': {
    what: (where) => `no replica of Redis at ${where} has what was recorded, and nothing was done`,
    remedy: 'bring a replica back, or do without (BNERD_DURABILITY=server); then go on from the record',
  },
  'redis-full': {
    what: (where) => `the memory of Redis at ${where} is full and nothing of this was written`,
    remedy: 'give it more, or remove old teams; then go on from the record',
  },
};

function finalError(words: string, cause: unknown): FatalError {
  if (isDenial(words)) {
    return new FatalError('redis-denied', `Redis does not allow this user to write the record: ${words}`, {
      cause,
    });
  }
  return new FatalError('log-failed', `Redis refused to write or read the record: ${words}`, { cause });
}

/** Before version 7 what is refused inside of a script comes wrapped. */
function ownWords(text: string): string {
  return (
    /^ERR Error running script .*: -?((?:OOM|MISCONF|READONLY|NOREPLICAS|MASTERDOWN)\b.*)$/.exec(text)?.[1] ??
    text
  );
}

/** What the server itself has said; everything else is about the connection. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}
