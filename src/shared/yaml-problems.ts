/** What the YAML parser objects to, in words that say what to change. */

import type { YAMLParseError, YAMLWarning } from 'yaml';
import type { Finding } from './findings.js';
import type { YamlRefusal } from './yaml-document.js';

/** A file is mended from the top; more than this many lines of it at once help nobody. */
const MAX_LINES = 10;

/** What to do about YAML that cannot be read, where nothing better is known. */
export const YAML_REMEDY =
  'mend the YAML; put text in quotes that holds ": " or " #" or begins with one of [ ] { } & * ! | > % @ `';

/**
 * One error for each line with a problem: what the parser says further about a line follows from the first.
 * @param lineOf the line of the file at an offset of the YAML text
 */
export function yamlFindings(
  path: string,
  problems: readonly (YAMLParseError | YAMLWarning)[],
  lineOf: (offset: number) => number,
): Finding[] {
  const byLine = new Map<number, Finding>();
  for (const problem of problems) {
    const line = lineOf(problem.pos[0]);
    if (!byLine.has(line)) byLine.set(line, { severity: 'error', path, line, ...wordsFor(problem) });
  }
  const findings = [...byLine.values()].sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
  return findings.slice(0, MAX_LINES);
}

/** The error of a text that was refused before or after parsing. */
export function refusalFinding(path: string, reason: YamlRefusal, line: number): Finding {
  return { code: 'yaml-error', severity: 'error', path, line, ...REFUSALS[reason] };
}

const REFUSALS: Readonly<Record<YamlRefusal, Pick<Finding, 'message' | 'remedy'>>> = {
  'too-deep': {
    message: 'YAML: lists and mappings stand inside each other too deep; at most 32 levels are read',
    remedy: 'flatten them, or put text that begins with brackets in quotes',
  },
  'too-many-aliases': {
    message: 'YAML: more than 100 aliases (words that begin with "*")',
    remedy: 'write the values out, or put text that begins with "*" in quotes',
  },
  'too-many-items': {
    message: 'YAML: more keys and list items than are read in a frontmatter',
    remedy: 'move text into the body',
  },
  directive: {
    message: 'YAML: a directive (a line that begins with "%") may not stand here',
    remedy: 'remove the line',
  },
  'second-document': {
    message: 'YAML: a line that begins with "---" or "..." ends the mapping above it',
    remedy: 'remove that line; a closing fence is exactly "---"',
  },
};

function wordsFor(problem: YAMLParseError | YAMLWarning): Pick<Finding, 'code' | 'message' | 'remedy'> {
  switch (problem.code) {
    case 'BLOCK_AS_IMPLICIT_KEY': {
      const message = 'YAML: the value holds ": ", which begins another key in text without quotes';
      return { code: 'yaml-error', message, remedy: 'put the value in quotes' };
    }
    case 'MULTILINE_IMPLICIT_KEY': {
      const message = 'YAML: text goes on over lines that are no "key: value" lines';
      const remedy = 'write "key: >-" and indent every line of the text below it by two blanks';
      return { code: 'yaml-error', message, remedy };
    }
    case 'DUPLICATE_KEY': {
      const message = 'YAML: this key stands twice in one mapping';
      return { code: 'duplicate-key', message, remedy: 'remove one of them' };
    }
    case 'TAG_RESOLVE_FAILED': {
      const message = 'YAML: a tag (a word that begins with "!") is not known here';
      return { code: 'yaml-error', message, remedy: 'remove the tag, or put the text in quotes' };
    }
    default: {
      const message = `YAML: ${problem.message.replaceAll(/\s+/g, ' ').trim()}`;
      return { code: 'yaml-error', message, remedy: YAML_REMEDY };
    }
  }
}
