/**
 * Which regular expressions may say what a secret looks like. They are run over everything that is recorded, also over
 * texts that a stranger made to be slow to match, and nothing in the language can stop one.
 *
 * So only forms are taken whose time grows with the text and no faster: no repetition of what repeats, no look to the
 * side, no reference back, one part of variable length, bounded unless it is the last.
 */

/** Longest repetition that is taken before the end of a pattern. */
const MOST = 512;

/** What a pattern matches has at least so many characters, or it would find parts of ordinary words. */
const LEAST = 8;

/** What is wrong with a pattern, as the end of "a regular expression …"; undefined: nothing is. */
export function patternProblem(source: string): string | undefined {
  if (source.length > 500) return 'of at most 500 characters';
  try {
    new RegExp(source, 'g');
  } catch (error) {
    return `that can be read (${error instanceof Error ? error.message : String(error)})`;
  }
  return branchesOf(source)
    .map(branchProblem)
    .find((problem) => problem !== undefined);
}

/** The alternatives of the whole pattern. */
function branchesOf(source: string): string[] {
  const branches = [''];
  let depth = 0;
  for (const piece of piecesOf(source)) {
    if (piece === '(' || piece.startsWith('(?')) depth++;
    if (piece === ')') depth--;
    if (piece === '|' && depth === 0) branches.push('');
    else branches[branches.length - 1] += piece;
  }
  return branches;
}

/** Atoms, quantifiers, parentheses and bars. */
function piecesOf(source: string): string[] {
  return (
    source.match(
      /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])|\[(?:\\[\s\S]|[^\]\\])*\]|\(\?(?:<?[=!]|:|<[^>]*>)|\{\d+(?:,\d*)?\}\??|[*+?]\??|[\s\S]/g,
    ) ?? []
  );
}

function branchProblem(branch: string): string | undefined {
  const pieces = piecesOf(branch);
  let variable = 0;
  let least = 0;
  let last = 0;
  for (const [at, piece] of pieces.entries()) {
    if (/^\(\?<?[=!]/.test(piece)) return `without a look to the side (${piece})`;
    if (/^\\[1-9kBpP]/.test(piece)) return `without ${piece}`;
    if (piece === '^' || piece === '$') return `without ${piece}: it is looked for within longer texts`;
    if (piece === '(' || piece === '(?:' || piece.startsWith('(?<') || piece === '|') {
      last = 0;
      continue;
    }
    const bounds = boundsOf(piece);
    if (bounds === undefined) {
      if (piece === ')' || piece === '\\b') {
        last = 0;
        continue;
      }
      if (new RegExp(`^(?:${piece})$`).test('\n')) return `that matches no line end: ${piece} does`;
      last = 1;
      least += 1;
      continue;
    }
    if (pieces[at - 1] === ')') return `without a group that repeats (…)${piece}`;
    const [from, to] = bounds;
    least += last * (from - 1);
    if (from === to) continue;
    const isLast = pieces.slice(at + 1).every((rest) => rest === '\\b' || rest === ')');
    if (++variable > 1) return 'with one part of variable length; give the others as {n}';
    if (to > MOST && !isLast)
      return `whose repetition ${piece} before its end is bounded: write {${from},${MOST}}`;
  }
  // Alternatives within a group are counted together: more than one of them matches, never less than is there.
  if (!branch.includes('|') && least < LEAST)
    return `that matches at least ${LEAST} characters; this one ${least}`;
  return undefined;
}

function boundsOf(piece: string): readonly [number, number] | undefined {
  switch (piece.replace(/(?<=.)\?$/, '')) {
    case '*':
      return [0, Number.POSITIVE_INFINITY];
    case '+':
      return [1, Number.POSITIVE_INFINITY];
    case '?':
      return [0, 1];
    default: {
      const found = /^\{(\d+)(,(\d*))?\}/.exec(piece);
      if (found === null) return undefined;
      const from = Number(found[1]);
      if (found[2] === undefined) return [from, from];
      return [from, found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3])];
    }
  }
}
