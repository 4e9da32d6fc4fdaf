/**
 * Tool names as role files write them, ours and those of Claude Code, turned into ours (spec/team.md §2). A name
 * never becomes more than it was: one that cannot be expressed here is dropped and said so.
 */

import { nameRemedy } from '../shared/did-you-mean.js';
import type { Finding } from '../shared/findings.js';
import { TOOLS } from './catalogue.js';

export interface TranslatedNames {
  /** Names of the catalogue, in the order written, each once. */
  readonly names: readonly string[];
  readonly findings: readonly Finding[];
}

/** Where the names stand, for findings. */
export interface NamePlace {
  readonly path: string;
  readonly line?: number;
  /** `tools` or `disallowedTools`: a name that is dropped means the opposite there. */
  readonly key: 'tools' | 'disallowedTools';
}

const SHELL = ['shell_exec', 'git_status', 'git_diff', 'git_log', 'git_show', 'git_blame'];

/** Empty: coordination, which every member has anyway. */
const CLAUDE_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Read', ['fs_read_file']],
  ['NotebookRead', ['fs_read_file']],
  ['LS', ['fs_list']],
  ['Glob', ['fs_glob']],
  ['Grep', ['fs_grep']],
  ['Write', ['fs_write_file']],
  ['Edit', ['fs_edit_file']],
  ['MultiEdit', ['fs_edit_file']],
  ['NotebookEdit', ['fs_edit_file']],
  ['Bash', SHELL],
  ['AskUserQuestion', ['ask_question']],
  ['ExitPlanMode', ['team_plan_submit']],
  ['SendMessage', []],
  ['TodoRead', []],
  ['TodoWrite', []],
  ['TaskCreate', []],
  ['TaskGet', []],
  ['TaskList', []],
  ['TaskUpdate', []],
]);

/** Known, and not here: one warning each. */
const ABSENT = /^(Agent|Task|Skill|WebSearch|WebFetch|web_fetch|BashOutput|KillBash|KillShell|mcp__.*)$/;

/** Ours to grant by other fields of a role, or later. */
const OTHER = /^(delegate_(engineer|status|cancel)|skill)$/;

const KNOWN: ReadonlySet<string> = new Set(TOOLS.map((row) => row.name));

/** Translates the names of one field. */
export function translateToolNames(written: readonly string[], place: NamePlace): TranslatedNames {
  const names = new Set<string>();
  const findings: Finding[] = [];
  for (const name of written) {
    const one = translate(name, place);
    for (const found of one.names) names.add(found);
    findings.push(...one.findings);
  }
  return { names: [...names], findings };
}

function translate(written: string, place: NamePlace): TranslatedNames {
  const pattern = /^([^(]+)\(.*\)$/s.exec(written.trim());
  const name = (pattern?.[1] ?? written).trim();
  if (KNOWN.has(name) || CLAUDE_NAMES.has(name)) {
    const names = CLAUDE_NAMES.get(name) ?? [name];
    return pattern === null ? { names, findings: [] } : patternNames(written, names, place);
  }
  if (ABSENT.test(name) || OTHER.test(name)) {
    return dropped(place, 'warning', 'tool-not-in-effect', `"${written}" is not in effect here`, 'remove it');
  }
  const known = [...KNOWN, ...CLAUDE_NAMES.keys()];
  return dropped(place, 'error', 'unknown-tool', `unknown tool "${written}"`, nameRemedy(name, known));
}

/**
 * A pattern narrows a tool, and the policy has no rule yet that denies the rest of one. So an allowed pattern
 * gives nothing, and a disallowed one takes the whole tool: neither widens.
 */
function patternNames(written: string, names: readonly string[], place: NamePlace): TranslatedNames {
  const allowed = place.key === 'tools';
  const { findings } = dropped(
    place,
    'warning',
    'tool-pattern',
    `the pattern "${written}" cannot be expressed; ${allowed ? 'the tool is left out' : 'all of the tool is removed'}`,
    'name the tool without a pattern, and use permissions for the rest',
  );
  return { names: allowed ? [] : names, findings };
}

function dropped(
  place: NamePlace,
  severity: Finding['severity'],
  code: string,
  message: string,
  remedy: string,
): TranslatedNames {
  const { path, line } = place;
  const at = line === undefined ? { path } : { path, line };
  const finding = { code, severity, ...at, message: `${place.key}: ${message}`, remedy };
  return { names: [], findings: [finding] };
}
