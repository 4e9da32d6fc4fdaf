/**
 * The read list: programs that only read, with the options that keep them so. An option that is not listed takes
 * a command off the list; so does anything that names a file in a way this table does not see.
 */

interface ReadProgram {
  /** Whole options that take no value, e.g. clusters of letters. */
  readonly options: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** What its other words are. */
  readonly words: 'paths' | 'text' | 'none';
}

const NUMBER = /^[+-]?\d{1,12}[bkKMG]?$/;

const PROGRAMS: ReadonlyMap<string, ReadProgram> = new Map([
  ['pwd', { options: /^-[LP]$/, words: 'none' }],
  ['ls', { options: /^-[1aAlhFtrSRdinps]+$/, words: 'paths' }],
  ['cat', { options: /^-[AbeEnstTuv]+$/, words: 'paths' }],
  ['head', { options: /^-([qv]+|\d{1,9}|[nc][+-]?\d{1,12})$/, valued: /^-[nc]$/, words: 'paths' }],
  ['tail', { options: /^-([qv]+|\d{1,9}|[nc][+-]?\d{1,12})$/, valued: /^-[nc]$/, words: 'paths' }],
  ['wc', { options: /^-[clmwL]+$/, words: 'paths' }],
  ['file', { options: /^-([bi]+|-mime-type|-brief)$/, words: 'paths' }],
  ['stat', { options: /^-t$/, words: 'paths' }],
  ['basename', { options: /^$/, words: 'text' }],
  ['dirname', { options: /^$/, words: 'text' }],
]);

/**
 * The paths that a plain command reads, when its program is on the list and its options are known; undefined
 * when it is not. A command without paths reads its directory or nothing.
 */
export function readPaths(words: readonly string[]): readonly string[] | undefined {
  const [name = '', ...rest] = words;
  const program = PROGRAMS.get(name);
  if (program === undefined) return undefined;
  const plain: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    if (!word.startsWith('-')) plain.push(word);
    else if (program.valued?.test(word) === true && NUMBER.test(rest[at + 1] ?? '')) at++;
    else if (!program.options.test(word)) return undefined;
  }
  if (program.words === 'paths') return plain;
  return program.words === 'text' || plain.length === 0 ? [] : undefined;
}
