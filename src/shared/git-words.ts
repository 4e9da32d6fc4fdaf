/** What is said of a git command that gave no output to show: the same words to members, in findings and in refusals. */

import { assertNever } from './assert-never.js';
import type { GitOutcome } from './git.js';

/** @param timeoutMs how long it was given */
export function gitFailureText(outcome: Exclude<GitOutcome, { kind: 'done' }>, timeoutMs: number): string {
  switch (outcome.kind) {
    case 'failed':
      return `git says: ${outcome.message}`;
    case 'timeout':
      return `git took longer than ${timeoutMs / 1000} s and was ended`;
    case 'cancelled':
      return 'git was cancelled';
    case 'missing':
      return 'there is no git on this machine';
    default:
      return assertNever(outcome, 'outcome of git');
  }
}
