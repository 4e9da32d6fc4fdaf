/** The words for a record that cannot be loaded: which file, which line, what is wrong, what to do. */

import { FatalError } from '../shared/errors.js';
import type { Finding } from '../shared/findings.js';
import type { BrokenCode } from './log-envelope.js';

export interface BrokenPlace {
  readonly code: BrokenCode | 'transcript-broken';
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** The end of the sentence "line n …". */
  readonly reason: string;
}

/** For who opens a record to write: it is refused, and nothing of it was touched. */
export function brokenError(place: BrokenPlace): FatalError {
  return new FatalError(
    place.code,
    `${place.path}:${place.line}: line ${place.line} ${place.reason}; ${remedy(place)} (nothing was changed)`,
  );
}

/** For who only looks: the line is left out, and said to be. */
export function brokenFinding(place: BrokenPlace): Finding {
  return {
    code: place.code,
    severity: 'warning',
    path: place.path,
    line: place.line,
    message: `line ${place.line} ${place.reason} and was left out; later lines were read`,
    remedy: remedy(place),
  };
}

function remedy({ code }: BrokenPlace): string {
  return code === 'record-too-new'
    ? 'use the newer bnerd that wrote it'
    : 'restore it from a copy: a line that was once acknowledged is never guessed at or skipped';
}
