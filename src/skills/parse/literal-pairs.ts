/**
 * The last reading of a frontmatter that is no YAML (spec/skills.md §2): only its `key: rest of line` pairs at the top
 * level count. What its author meant by anything else cannot be told, so it is left out, and that is said.
 *
 * Always true: a line that is YAML on its own stays as it is, with what belongs to it; line numbers stay; nothing is
 * taken from half a quote or bracket; a line that looks like a fence is never left out. What stays and fits nowhere is
 * for the strict parser to refuse.
 */

import { readYaml } from '../../shared/yaml-document.js';

export interface LiteralPairs {
  /** For the strict parser. */
  readonly text: string;
  /** What was left out: 1-based lines within the frontmatter. */
  readonly leftOut: readonly { readonly line: number; readonly why: 'no pair' | 'half open' }[];
}

/**
 * Reads the pairs.
 * @param frontmatter with LF; pairs that can be taken literally are mended already
 * @param mayMiss whether an entry can do without a key
 */
export function readPairs(frontmatter: string, mayMiss: (key: string) => boolean): LiteralPairs {
  const leftOut: LiteralPairs['leftOut'][number][] = [];
  let above: 'kept' | 'left out' = 'kept';
  const lines = frontmatter.split('\n').map((written, at) => {
    if (SAYS_NOTHING.test(written) || LIKE_A_FENCE.test(written)) return written;
    const [, key] = PAIR.exec(written) ?? [];
    if (!BELONGS.test(written)) {
      above = key !== undefined && (isYaml(written) || !mayMiss(key)) ? 'kept' : 'left out';
    }
    if (above === 'kept') return written;
    leftOut.push({ line: at + 1, why: key === undefined ? 'no pair' : 'half open' });
    return '';
  });
  return { text: lines.join('\n'), leftOut };
}

const PAIR = /^([^\s#:][^:]*):(?:[ \t]|$)/;

/** Blank lines and comments. */
const SAYS_NOTHING = /^\s*(?:#|$)/;

/** What stands further in than the key above it, or in its list. */
const BELONGS = /^(?:\s|- |-$)/;

/** What a writer may have meant as the end of the frontmatter, or as a directive. */
const LIKE_A_FENCE = /^(?:---|\.\.\.|%)/;

function isYaml(line: string): boolean {
  const read = readYaml(line);
  return read.kind === 'parsed' && read.problems.length === 0;
}
