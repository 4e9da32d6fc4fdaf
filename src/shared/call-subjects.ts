/**
 * What permission rules match a call of `shell_exec` on, as plain data: the simple commands of its line, taken apart by
 * whoever prepared the call (spec/team.md §3). Rules need no parser.
 */

export interface CallSubjects {
  /**
   * The simple commands of a line that is nothing but a list of them: an allow rule answers only when each of them
   * matches one. Empty when the line is more than that: then no allow rule with a pattern answers.
   */
  readonly every: readonly string[];
  /** All that the line runs as far as it can be seen, inside of substitutions, wrappers and texts for a shell as well. */
  readonly some: readonly string[];
  /** Not all that it runs can be seen: no allow rule answers, and a rule with a pattern that denies or asks may be meant. */
  readonly unclear: boolean;
}
