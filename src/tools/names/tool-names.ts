/**
 * Tool names as role files write them, ours and those of Claude Code, turned into ours (spec/team.md §2). A name
 * never becomes more than it was: one that cannot be expressed here is dropped and said so.
 *
 * Names are told apart by case, as Claude Code does. In `tools` a name that nobody knows narrows and is a warning; in
 * `disallowedTools` it forbids nothing, so one that looks like a slip for a tool there is, is an error.
 */

import { didYouMean } from '../../shared/did-you-mean.js';
import type { Finding, FindingPlace, Severity } from '../../shared/findings.js';
import { TOOLS } from '../catalogue.js';
import { ABSENT_NAMES, CLAUDE_NAMES, isAbsent } from './foreign-names.js';
import { readToolPattern, type ToolPattern } from './tool-patterns.js';

export interface TranslatedNames {
  /** Names of the catalogue, in the order written, each once: the tools that were named whole. */
  readonly names: readonly string[];
  /** Patterns about tools; in `tools` never about one that stands in `names` as well. */
  readonly patterns: readonly ToolPattern[];
  readonly findings: readonly Finding[];
}

/** Where the names stand, for findings. */
export interface NamePlace extends FindingPlace {
  /** `tools` or `disallowedTools`: a name that is dropped means the opposite there. */
  readonly key: 'tools' | 'disallowedTools';
}

/** Files made for other programs hold dozens of such names: all that there is would be said as often. */
const UNHEARD_OF =
  'remove it; tools are named as bnerd or Claude Code names them, as in fs_read_file or Read, shell_exec or Bash';

const KNOWN: ReadonlySet<string> = new Set(TOOLS.map((row) => row.name));

/** Translates the names of one field. */
export function translateToolNames(written: readonly string[], place: NamePlace): TranslatedNames {
  const each = [...new Set(written)].map((name) => ({ written: name, ...translate(name, place) }));
  const names = new Set(each.flatMap((one) => one.names));
  const wholeWins = place.key === 'tools';
  const findings = each.flatMap((one) => {
    const idle = wholeWins && one.patterns.some(({ tool }) => names.has(tool));
    return idle
      ? [...one.findings, remark(place, 'warning', 'tool-pattern', ...idleText(one.written))]
      : one.findings;
  });
  const patterns = each.flatMap((one) => one.patterns).filter(({ tool }) => !(wholeWins && names.has(tool)));
  return { names: [...names], patterns, findings };
}

function translate(written: string, place: NamePlace): TranslatedNames {
  const open = written.indexOf('(');
  const name = (open === -1 ? written : written.slice(0, open)).trim();
  if (open !== -1 && !closes(written)) {
    const message = `the parenthesis of "${written}" does not close at its end, so what it speaks of cannot be told`;
    return dropped(
      place,
      'error',
      'tool-pattern',
      message,
      'write Tool(pattern), and one name after another',
    );
  }
  const ours = CLAUDE_NAMES.get(name) ?? (KNOWN.has(name) ? [name] : undefined);
  if (ours === undefined) return foreign(written, name, place);
  const later = ours.filter((tool) => !KNOWN.has(tool));
  if (later.length > 0) {
    const message = `"${written}" stands for ${later.join(', ')}, which is not in this version`;
    return dropped(place, 'warning', 'tool-not-in-effect', message, absentRemedy(place));
  }
  if (open === -1) return { names: ours, patterns: [], findings: [] };
  return patterned(written, ours, written.slice(open + 1, -1).trim(), place);
}

/** Whether the first parenthesis is closed by the last character, and all between them are paired. */
function closes(written: string): boolean {
  let depth = 0;
  for (const [at, character] of [...written].entries()) {
    if (character === '(') depth++;
    else if (character === ')' && --depth <= 0) return depth === 0 && at === [...written].length - 1;
  }
  return false;
}

function patterned(
  written: string,
  ours: readonly string[],
  match: string,
  place: NamePlace,
): TranslatedNames {
  const tool = ours.includes('shell_exec') ? 'shell_exec' : (ours[0] ?? '');
  const reading = readToolPattern(tool, match, place.key);
  if (reading.kind === 'whole') return { names: ours, patterns: [], findings: [] };
  if (reading.kind === 'rules') return { names: reading.names, patterns: reading.rules, findings: [] };
  const allowed = place.key === 'tools';
  const effect = allowed ? 'the tool is left out' : 'all of the tool is removed';
  const message = `the pattern "${written}" cannot be expressed, since ${reading.why}; ${effect}`;
  const remedy = 'name the tool without a pattern, and use permissions for the rest';
  return { ...dropped(place, 'warning', 'tool-pattern', message, remedy), names: allowed ? [] : ours };
}

/** A name that stands for no tool of ours. */
function foreign(written: string, name: string, place: NamePlace): TranslatedNames {
  if (isAbsent(name)) {
    const message = `"${written}" is not in effect here: members have no such tool`;
    return dropped(place, 'warning', 'tool-not-in-effect', message, absentRemedy(place));
  }
  if (name === '*' && place.key === 'tools') {
    const message = 'unknown tool "*"';
    return dropped(
      place,
      'warning',
      'unknown-tool',
      message,
      'leave `tools` out for the base toolset, or name each',
    );
  }
  const known = [...KNOWN, ...CLAUDE_NAMES.keys()];
  const meant = nearest(name, [...known, ...ABSENT_NAMES]);
  const slip = meant !== undefined && known.includes(meant);
  const severity = slip && place.key === 'disallowedTools' ? 'error' : 'warning';
  const remedy = meant === undefined ? UNHEARD_OF : `did you mean "${meant}"?`;
  return dropped(place, severity, 'unknown-tool', `unknown tool "${written}"`, remedy);
}

/** The name in another case, else one that is a slip away. */
function nearest(name: string, all: readonly string[]): string | undefined {
  return all.find((other) => other.toLowerCase() === name.toLowerCase()) ?? didYouMean(name, all);
}

function idleText(written: string): [message: string, remedy: string] {
  return [
    `the pattern "${written}" narrows nothing: the tool is named without one as well`,
    'keep one of the two',
  ];
}

function absentRemedy({ key }: NamePlace): string {
  return key === 'tools' ? 'remove it' : 'it may stay: there is nothing to forbid';
}

function dropped(
  place: NamePlace,
  severity: Severity,
  code: string,
  message: string,
  remedy: string,
): TranslatedNames {
  return { names: [], patterns: [], findings: [remark(place, severity, code, message, remedy)] };
}

function remark(
  { key, ...place }: NamePlace,
  severity: Severity,
  code: string,
  message: string,
  remedy: string,
): Finding {
  return {
    code,
    severity,
    ...place,
    message: `${key}: ${message}`,
    remedy,
  };
}
