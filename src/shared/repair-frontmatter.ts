/**
 * The second reading of a frontmatter that is no YAML (spec/skills.md §2): lines of the top level that cannot be read
 * alone are taken literally, `key: rest of line`, and written anew in quotes. What comes out is for the strict parser
 * again, which has the last word on everything else.
 *
 * Always true, so that a repair never lets in more than its author wrote:
 *  M1 only keys that the caller calls text are read literally; a list, a mode or a switch is never guessed;
 *  M2 a line is changed on its own or not at all: what belongs to it on other lines, stands twice or fits nowhere is
 *     left for the parser to refuse;
 *  M3 line numbers stay, and a line that is YAML keeps its meaning.
 */

import { oneLineValue } from './one-line-value.js';
import { readYaml } from './yaml-document.js';
import { yamlFindings } from './yaml-problems.js';

/** A line that was taken literally. */
export interface MendedLine {
  /** 1-based, within the frontmatter. */
  readonly line: number;
  readonly key: string;
  /** What keeps the line from being YAML, in words. */
  readonly cause: string;
}

export interface MendedFrontmatter {
  /** For the strict parser; the same as before when `lines` is empty. */
  readonly text: string;
  readonly lines: readonly MendedLine[];
}

const TOP_LEVEL_PAIR = /^([A-Za-z][A-Za-z0-9_-]*):[ \t]+(\S.*)$/;

/**
 * Mends what can be mended.
 * @param frontmatter the lines between the fences, with LF
 * @param isText whether the value of a key is prose that decides nothing
 */
export function mendFrontmatter(frontmatter: string, isText: (key: string) => boolean): MendedFrontmatter {
  const lines: MendedLine[] = [];
  const mended = frontmatter.split('\n').map((written, at) => {
    const [, key = '', value = ''] = TOP_LEVEL_PAIR.exec(written) ?? [];
    if (value === '' || !isText(key) || opensMore(value)) return written;
    if (isSurelyYaml(value.trimEnd())) return written; // as the parser would say, but sooner
    const cause = problemOf(written) ?? (frontmatter.includes('&') ? undefined : danglingAlias(value));
    if (cause === undefined) return written;
    lines.push({ line: at + 1, key, cause });
    // A JSON string is a YAML scalar in double quotes.
    return `${key}: ${JSON.stringify(value.trimEnd())}`;
  });
  return { text: mended.join('\n'), lines };
}

/** Plain and quoted text, and the header of a block below. */
function isSurelyYaml(value: string): boolean {
  return oneLineValue(value) !== undefined || /^[|>][+-]?$/.test(value);
}

/** Why a line alone is no YAML; undefined when it is. */
function problemOf(line: string): string | undefined {
  const read = readYaml(line);
  if (read.kind === 'refused') return 'YAML: it nests too deep';
  return yamlFindings('', read.problems, () => 1)[0]?.message;
}

/** Text in asterisks is an alias to the parser, which asks for its anchor only when values are made. */
function danglingAlias(value: string): string | undefined {
  return value.startsWith('*') ? 'YAML: "*" begins an alias, and nothing here has its name' : undefined;
}

/** Whether a value begins a quote or bracket that its own line does not close: its end cannot be told. */
function opensMore(value: string): boolean {
  const [first = ''] = value;
  const count = (character: string): number => value.split(character).length - 1;
  if (first === '"' || first === "'") return count(first) % 2 === 1;
  if (first === '[') return count('[') > count(']');
  return first === '{' && count('{') > count('}');
}
