/** A word of a command line that a person may copy into a shell. */

/** Nothing in it means anything to a shell; `~` in front would. */
const PLAIN = /^[A-Za-z0-9_.,/:@%+=-]+$/;

/** The word as it is when it is plain, else in single quotes, in which a shell expands nothing. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
