/**
 * What a glob of `engineer.protect` may be. One that can match nothing would protect nothing and say nothing, so it is no
 * glob: the gate would be told of no change.
 */

/** In words that follow "expected". */
export const PROTECT_RULE =
  'a glob of paths from the root of the repository, as in "test/**" or "**/*.sql": every bracket closed, no "..", no empty name, no backslash and no "!" in front';

/** The longest glob that a brief carries. */
const LONGEST = 1_024;

const CLOSES: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' };

/** Whether a glob can match a path. */
export function isProtectGlob(written: string): boolean {
  const path = written.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  if (path === '' || path.startsWith('!') || written.length > LONGEST) return false;
  if (/[\\\p{Cc}\u2028\u2029]/u.test(path)) return false;
  if (path.split('/').some((name) => name === '' || name === '.' || name === '..')) return false;
  return hasClosedBrackets(path);
}

function hasClosedBrackets(glob: string): boolean {
  const open: string[] = [];
  for (const letter of glob) {
    const top = open.at(-1);
    if (letter === top) open.pop();
    // Between square brackets the others stand for themselves.
    else if (top === ']') continue;
    else if (letter in CLOSES) open.push(CLOSES[letter] ?? '');
    else if (')}]'.includes(letter)) return false;
  }
  return open.length === 0 && !glob.includes('[]') && rangesRise(glob);
}

/** A range that falls, as in `[z-a]`, holds no letter. */
function rangesRise(glob: string): boolean {
  const sets = glob.match(/\[[^\]]*\]/g) ?? [];
  return sets.every((set) =>
    [...set.slice(1, -1).matchAll(/(.)-(.)/gu)].every(([, from = '', to = '']) => from <= to),
  );
}
