/** Paths that an engineer chose, for lists that people and models read. */

import picomatch from 'picomatch';
import { boundedMatcher } from '../../shared/bounded-match.js';

/** A path in which everything can be seen: what prints nothing or breaks a line is escaped, and so is a backslash. */
export function shownPath(path: string): string {
  return path.replace(/[\\\p{C}\p{Zl}\p{Zp}]/gu, (found) =>
    found === '\\' ? '\\\\' : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The first of some items: at most so many, and so many bytes as they stand in JSON. */
export function firstOf<Item>(
  items: readonly Item[],
  most: { readonly items: number; readonly bytes: number },
): Item[] {
  const first: Item[] = [];
  let bytes = 0;
  for (const item of items.slice(0, most.items)) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (bytes > most.bytes) break;
    first.push(item);
  }
  return first;
}

/** Paths in one piece of work with a bound on its time. */
const AT_ONCE = 500;

/**
 * The paths that one of the globs matches; one that ends in a plain name means all below it as well. A name with a leading dot
 * or a line break in it matches like others, and what cannot be judged, or not in time, counts as matched: the globs say what
 * a gate must see.
 */
export function pathsUnder(globs: readonly string[], paths: readonly string[]): string[] {
  const expressions = globs.flatMap(expressionsOf);
  const found: string[] = [];
  for (let start = 0; start < paths.length; start += AT_ONCE) {
    const some = paths.slice(start, start + AT_ONCE);
    const matched = new Set<number>();
    for (const expression of expressions) {
      const matches = boundedMatcher(expression)(some);
      for (const at of matches === 'too-slow' ? some.keys() : matches) matched.add(at);
    }
    found.push(...some.filter((_, at) => matched.has(at)));
  }
  return found;
}

/** Of a glob that cannot be read one that matches everything. */
function expressionsOf(glob: string): readonly RegExp[] {
  const path = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
  try {
    // `s`: to an expression without it a line break in a name ends what `**` reaches.
    const isName = !/[*?[{(][^/]*$/.test(path);
    const made = [path, ...(isName ? [`${path}/**`] : [])].map((one) =>
      picomatch.makeRe(one, { dot: true, nonegate: true, flags: 's' }),
    );
    return made.some(({ source }) => source === NEVER) ? [EVERYTHING] : made;
  } catch {
    return [EVERYTHING]; // an empty one, and whatever else the library does not take
  }
}

const EVERYTHING = /^/;

/** What the library makes of a glob that it cannot read. */
const NEVER = '$^';
