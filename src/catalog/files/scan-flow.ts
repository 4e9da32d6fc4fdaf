/**
 * Reads a value in braces or brackets that is JSON on one line, as programs put it into frontmatter. YAML reads such a
 * value alike as long as its keys are all different and plain, and nothing in it is escaped.
 */

/** Whoever notes where things stand and how they are written. */
export interface FlowNotes {
  /** A key or an item, by its path below the value. */
  found(path: readonly string[]): void;
  /** What is no text, in the words it is written in. */
  spelled(path: readonly string[], words: string): void;
}

/** The value; undefined when the parser has to judge. Notes are complete only when there is a value. */
export function scanFlow(written: string, notes: FlowNotes): object | undefined {
  if (!/^[[{]"?.*[\]}]$/.test(written) || !SAFE.test(written)) return undefined;
  const value = parsed(written);
  if (typeof value !== 'object' || value === null) return undefined;
  // The same text again: no key twice, no key that moves, no number in another form.
  if (JSON.stringify(value) !== written.replace(TEXT_OR_BLANKS, '$1')) return undefined;
  const state = { left: MOST_ITEMS };
  return walk(value, [], notes, state) ? value : undefined;
}

const SAFE = /^[^\\\u0000-\u001f\u007f-\u009f\u2028\u2029\uFEFF]*$/;
const TEXT_OR_BLANKS = /("[^"]*")| +/g;

/** Far below what the parser refuses. */
const MOST_ITEMS = 200;
const DEEPEST = 8;

const PLAIN_KEY = /^(?!constructor$|prototype$)[A-Za-z][\w .-]{0,99}$/;

function walk(value: unknown, path: readonly string[], notes: FlowNotes, state: { left: number }): boolean {
  if (typeof value === 'string') return true;
  if (typeof value !== 'object' || value === null) {
    notes.spelled(path, String(value));
    return true;
  }
  if (path.length >= DEEPEST) return false;
  for (const [key, inner] of Object.entries(value)) {
    if (state.left-- <= 0 || !(Array.isArray(value) || PLAIN_KEY.test(key))) return false;
    const here = [...path, key];
    notes.found(here);
    if (!walk(inner, here, notes, state)) return false;
  }
  return true;
}

function parsed(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined; // no JSON: for the parser
  }
}
