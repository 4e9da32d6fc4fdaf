/**
 * The read list: programs that only read, with the options that keep them so. An option that is not listed takes a
 * command off the list; so does anything that names a file in a way this table does not see.
 */

/** What a command of the list reads. */
export interface ReadUse {
  /** Files and directories that it opens or names; it does not go below them. */
  readonly paths: readonly string[];
  /** Files that it opens; of a directory in the place of one it would open what lies in it. */
  readonly files: readonly string[];
  /** Directories that it searches with all that lies below. */
  readonly trees: readonly string[];
}

const NOTHING: ReadUse = { paths: [], files: [], trees: [] };

interface ReadProgram {
  /** Whole options that take no value, e.g. clusters of letters. */
  readonly options?: RegExp;
  /** Options whose value is the next word, and what values may be. */
  readonly valued?: readonly (readonly [option: RegExp, value: RegExp])[];
  /** What its other words are. `text`: nothing that is opened; a program that takes options there as text has none. */
  readonly words: 'paths' | 'files' | 'text' | 'none' | 'search' | 'script';
  /** At most so many paths: a further one would be written. */
  readonly most?: number;
  /** What a word that is no option has to look like. */
  readonly form?: RegExp;
  /** Options that make it go below directories; `always`. */
  readonly below?: RegExp | 'always';
  /** An option that gives the pattern, so that no plain word is one. */
  readonly pattern?: RegExp;
}

const ANY = /^/;
const NUMBER = /^[+-]?\d{1,12}[bkKMG]?$/;
const LIST = /^[\d,-]{1,200}$/;

const LINES: ReadProgram = {
  options: /^-([qv]+|\d{1,9}|[nc][+-]?\d{1,12})$/,
  valued: [[/^-[nc]$/, NUMBER]],
  words: 'paths',
};

const GREP: ReadProgram = {
  options:
    /^(-[rniIlLcvwxhHoEFGPqsabzZT]+|-[ABCm]\d{1,9}|-\d{1,9}|--(colou?r(=(never|auto|always))?|(include|exclude|exclude-dir)=.+|(after-context|before-context|context|max-count)=\d{1,9}|recursive|line-number|ignore-case|files-with-matches|files-without-match|count|invert-match|word-regexp|line-regexp|only-matching|extended-regexp|fixed-strings|perl-regexp|no-messages|no-filename|with-filename|text|null))$/,
  valued: [
    [/^-[rniIlLcvwxhHoEFGPqsab]*[ABCm]$/, NUMBER],
    [/^-[rniIlLcvwxhHoEFGPqsab]*e$/, ANY],
    [/^--regexp$/, ANY],
  ],
  words: 'search',
  below: /^(-[A-Za-z]*r[A-Za-z]*|--recursive)$/,
  pattern: /^(-[rniIlLcvwxhHoEFGPqsab]*e|--regexp)$/,
};

/** It leaves hidden names out, but for those that a type, a glob or any ignore file (`!.env`) takes in again. */
const RIPGREP: ReadProgram = {
  options:
    /^(-[nNilcvwxoSsFHIP]+|-[ABCm]\d{1,9}|-[tTg].+|--(no-heading|heading|line-number|no-line-number|ignore-case|smart-case|case-sensitive|files-with-matches|files-without-match|count|count-matches|invert-match|word-regexp|line-regexp|only-matching|fixed-strings|multiline|pcre2|no-filename|with-filename|column|vimgrep|json|stats|trim|files|colou?r=(never|auto|always)|(glob|iglob|type|type-not|sort|max-count|max-depth|after-context|before-context|context)=.+))$/,
  valued: [
    [/^(-[ABCm]|--(max-count|max-depth|after-context|before-context|context))$/, NUMBER],
    [/^(-[etTg]|--(regexp|glob|iglob|type|type-not|sort))$/, ANY],
  ],
  words: 'search',
  below: 'always',
  pattern: /^(-e|--regexp|--files)$/,
};

const CHECKSUM: ReadProgram = { options: /^-[bt]$/, words: 'paths' };

const PROGRAMS: ReadonlyMap<string, ReadProgram> = new Map<string, ReadProgram>([
  ['pwd', { options: /^-[LP]$/, words: 'none' }],
  ['ls', { options: /^(-[1aAlhFtrSRdinps]+|--colou?r=(never|auto))$/, words: 'paths' }],
  ['cat', { options: /^-[AbeEnstTuv]+$/, words: 'paths' }],
  ['head', LINES],
  ['tail', LINES],
  ['wc', { options: /^-[clmwL]+$/, words: 'paths' }],
  ['file', { options: /^-([bi]+|-mime-type|-brief)$/, words: 'paths' }],
  ['stat', { options: /^-t$/, words: 'paths' }],
  [
    'du',
    { options: /^(-[shackm]+|-d\d{1,3}|--max-depth=\d{1,3})$/, valued: [[/^-d$/, NUMBER]], words: 'paths' },
  ],
  ['nl', { options: /^-b[at]$/, words: 'paths' }],
  ['tac', { words: 'paths' }],
  ['rev', { words: 'paths' }],
  [
    'sort',
    {
      options: /^(-[nrufhVbdsgM]+|-k[\d.,a-zA-Z]{1,40}|-t.{1,2}|-c)$/,
      valued: [
        [/^-k$/, /^[\d.,a-zA-Z]{1,40}$/],
        [/^-t$/, /^.{1,2}$/],
      ],
      words: 'paths',
    },
  ],
  ['uniq', { options: /^-[cduiz]+$/, valued: [[/^-[fsw]$/, NUMBER]], words: 'paths', most: 1 }],
  [
    'cut',
    {
      options: /^(-s|-d.{1,2}|-[fcb][\d,-]{1,200}|--complement)$/,
      valued: [
        [/^-d$/, /^.{1,2}$/],
        [/^-[fcb]$/, LIST],
      ],
      words: 'paths',
    },
  ],
  ['tr', { options: /^-[dscC]+$/, words: 'text' }],
  ['diff', { options: /^-([uqwbBiaEZN]+|U\d{1,6})$/, valued: [[/^-U$/, NUMBER]], words: 'files' }],
  ['cmp', { options: /^-[bls]+$/, words: 'paths' }],
  ['comm', { options: /^-[123]+$/, words: 'paths' }],
  ['md5sum', CHECKSUM],
  ['sha1sum', CHECKSUM],
  ['sha256sum', CHECKSUM],
  ['basename', { words: 'text' }],
  ['dirname', { words: 'text' }],
  ['echo', { options: ANY, words: 'text' }],
  ['true', { words: 'none' }],
  ['false', { words: 'none' }],
  ['date', { options: /^-(u|I|-utc)$/, words: 'text', form: /^\+/ }],
  ['uname', { options: /^-[asnrvmo]+$/, words: 'none' }],
  ['whoami', { words: 'none' }],
  ['grep', GREP],
  ['egrep', GREP],
  ['fgrep', GREP],
  ['rg', RIPGREP],
  // Only the command `p` on lines by number: others write and run.
  [
    'sed',
    { options: /^-[nsE]+$/, words: 'script', form: /^(\d+|\$)(,(\+?\d+|\$))?p(;(\d+|\$)(,(\+?\d+|\$))?p)*$/ },
  ],
]);

/** Tests and actions of `find` that look and print, and how many words they take. */
const FIND_PLAIN =
  /^(-(print|print0|ls|empty|not|a|and|o|or|prune|true|false|depth|mount|xdev|readable|writable|executable|daystart)|!|\(|\)|,)$/;
const FIND_VALUED =
  /^-(name|iname|path|ipath|wholename|regex|iregex|regextype|type|maxdepth|mindepth|size|mtime|mmin|atime|amin|ctime|cmin|perm|user|group|links|inum|printf)$/;

/**
 * What a command reads when its program is on the list and its options are known; undefined when it is not.
 * @param piped its input comes from another command, so that a search without a path reads that
 */
export function readUse(words: readonly string[], piped: boolean): ReadUse | undefined {
  const [name = '', ...rest] = words;
  if (name === 'find') return findUse(rest);
  const program = PROGRAMS.get(name);
  const taken = program === undefined ? undefined : takeOptions(program, rest);
  if (program === undefined || taken === undefined) return undefined;
  const { options, plain, late } = taken;
  if (
    program.form !== undefined &&
    program.words === 'text' &&
    !plain.every((word) => program.form?.test(word))
  )
    return undefined;
  switch (program.words) {
    case 'none':
      return plain.length === 0 ? NOTHING : undefined;
    case 'text':
      return NOTHING;
    case 'paths':
    case 'files': {
      const named = [...plain, ...late];
      if (named.length > (program.most ?? Number.POSITIVE_INFINITY)) return undefined;
      return { ...NOTHING, [program.words]: named };
    }
    case 'script': {
      const [script = '', ...paths] = plain;
      return options.some((option) => option.includes('n')) && program.form?.test(script) === true
        ? { ...NOTHING, paths: [...paths, ...late] }
        : undefined;
    }
    case 'search':
      return searchUse(program, taken, piped);
  }
}

function searchUse(
  program: ReadProgram,
  { options, plain, late }: Taken,
  piped: boolean,
): ReadUse | undefined {
  const given = options.some((option) => program.pattern?.test(option));
  if (!given && plain.length === 0) return undefined;
  const paths = given ? plain : plain.slice(1);
  const { below } = program;
  const down = below === 'always' || options.some((option) => below?.test(option));
  if (!down) return { ...NOTHING, paths: [...paths, ...late] };
  // Without a path: the directory; of ripgrep its input, when it has one.
  const here = piped && below === 'always' ? [] : ['.'];
  return { ...NOTHING, paths: late, trees: paths.length === 0 ? here : paths };
}

interface Taken {
  readonly options: readonly string[];
  readonly plain: readonly string[];
  /** Options behind a plain word, and their values: files to a program whose options end at the first plain word. */
  readonly late: readonly string[];
}

/** Options and the other words apart; undefined: one is not understood. */
function takeOptions(program: ReadProgram, words: readonly string[]): Taken | undefined {
  const options: string[] = [];
  const plain: string[] = [];
  const late: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '-') return undefined; // its input, or a file of that name
    if (word === '--') {
      const after = words.slice(at + 1);
      return after.includes('-') ? undefined : { options, plain: [...plain, ...after], late };
    }
    if (!word.startsWith('-')) {
      plain.push(word);
      continue;
    }
    const from = at;
    const value = program.valued?.find(([option]) => option.test(word))?.[1];
    const next = words[at + 1];
    if (next !== undefined && value?.test(next) === true) at++;
    else if (program.options?.test(word) !== true) return undefined;
    options.push(word);
    if (plain.length > 0) late.push(...words.slice(from, at + 1));
  }
  return { options, plain, late };
}

function findUse(words: readonly string[]): ReadUse | undefined {
  const first = words.findIndex((word) => /^[-!(]/.test(word));
  const paths = first === -1 ? words : words.slice(0, first);
  const tests = first === -1 ? [] : words.slice(first);
  for (let at = 0; at < tests.length; at++) {
    const word = tests[at] ?? '';
    if (FIND_VALUED.test(word) && at + 1 < tests.length) at++;
    else if (!FIND_PLAIN.test(word)) return undefined;
  }
  return { ...NOTHING, paths };
}
