/**
 * The five kinds of thrown error, named by what the catcher can do (style 15).
 *
 * Expected outcomes are values, findings or refusals; these are for what the caller did not ask for.
 * Every error has a stable kebab-case `code`, and keeps the original as `cause`.
 */

import type { Finding } from './findings.js';

/** What all five share. `code` is stable and may be compared; `message` is for people. */
export abstract class CodedError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.name = new.target.name;
  }
}

/** Wrong input: the person who gave it can mend it. Carries findings where a file or flag is at fault. */
export class UserError extends CodedError {
  readonly findings: readonly Finding[];

  constructor(code: string, message: string, options?: { cause?: unknown; findings?: readonly Finding[] }) {
    super(code, message, options);
    this.findings = options?.findings ?? [];
  }
}

/** The same call may work later. `retryAfterMs` is the far side's own word, when it gave one. */
export class RetryableError extends CodedError {
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, options?: { cause?: unknown; retryAfterMs?: number }) {
    super(code, message, options);
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** The same call will fail again; nobody here can mend it (disk full, corrupt record). */
export class FatalError extends CodedError {}

/** The work was called off: by a signal, a deadline, or because its owner went away. */
export class CancelledError extends CodedError {}

/** A promise this program made to itself does not hold. */
export class BugError extends CodedError {}

/**
 * The text of any thrown thing, for a message; never empty, and never a throw of its own. A bundle of errors
 * without a message (Node gives one when no address of a host answers) is told by what it holds.
 */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0) {
    return error.errors.map(errorText).join('; ');
  }
  try {
    const text = error instanceof Error ? error.message || error.name : String(error);
    return text === '' ? 'an error without a text' : text;
  } catch {
    return 'an error without a text'; // thrown things may have no prototype, or a toString that throws
  }
}

/** The system's error code (`ENOENT`, `ENOSPC`, …) of a thrown thing, when it has one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether it says that nothing more fits on the disk, or that this user may have no more of it. */
export function isDiskFull(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
