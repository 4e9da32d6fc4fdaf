/**
 * Plain command lines: words of harmless characters and nothing that a shell would do anything with. What is
 * plain means the same with a shell and without one, so it can be judged, and is run, word by word.
 */

/** No quote, variable, wildcard, brace, tilde, redirection, separator, comment, escape or line break. */
const PLAIN_WORD = /^[A-Za-z0-9_.,/:@%+=-]+$/;

/** Revisions of git have a few more, of which a shell takes none for its own inside a word: `HEAD~2`, `v1^{}`. */
const PLAIN_GIT_WORD = /^[A-Za-z0-9_.,/:@%+=-][A-Za-z0-9_.,/:@%+=~^{}-]*$/;

/** The words of a plain line; undefined when it is not plain. Blanks and tabs separate. */
export function plainWords(command: string): readonly string[] | undefined {
  const words = command.split(/[ \t]+/).filter((word) => word !== '');
  const [program = ''] = words;
  if (program.includes('=')) return undefined; // an assignment, not a program
  const form = program === 'git' ? PLAIN_GIT_WORD : PLAIN_WORD;
  return words.every((word) => form.test(word)) ? words : undefined;
}
