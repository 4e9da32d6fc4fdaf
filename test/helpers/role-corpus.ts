/**
 * The role files of strangers, and what the specification says becomes of each: written from spec/team.md §1, §2 and
 * spec/skills.md §2 alone, on the `yaml` package, without anything of `src`. What our readers say must be the same.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMap, parseDocument } from 'yaml';

const FOLDER = '../shared/corpus';

/** Whether the corpus is here. */
export const hasCorpus = existsSync(FOLDER);

/** Paths of the role files, as the list of sources names them. */
export function corpusFiles(): string[] {
  const [, ...rows] = readFileSync(join(FOLDER, 'SOURCES.tsv'), 'utf8').trim().split('\n');
  const paths = rows.map((row) => row.split('\t')[3] ?? '');
  return paths
    .filter((path) => path.startsWith('roles/') && path.endsWith('.md'))
    .map((path) => join(FOLDER, path));
}

export type Expected =
  | {
      readonly kind: 'loaded' | 'repaired';
      readonly name: string;
      readonly description: string;
      readonly body: string;
    }
  | { readonly kind: 'refused'; readonly why: 'no-frontmatter' | 'unclosed' | 'yaml' | 'shape' | 'no-tools' };

/** The outcome of a file. `tools`: whether its tools count as well as its shape. */
export function expectedOutcome(path: string, tools: 'with-tools' | 'shape-only'): Expected {
  const lines = readFileSync(path, 'utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  if (lines[0] !== '---') return { kind: 'refused', why: 'no-frontmatter' };
  const close = lines.indexOf('---', 1);
  if (close === -1) return { kind: 'refused', why: 'unclosed' };
  const head = lines.slice(1, close);
  const strict = mapping(head.join('\n'));
  const fields = strict ?? literally(head);
  if (fields === undefined) return { kind: 'refused', why: 'yaml' };
  if (!isRole(fields)) return { kind: 'refused', why: 'shape' };
  if (tools === 'with-tools' && !resolves(fields)) return { kind: 'refused', why: 'no-tools' };
  return {
    kind: strict === undefined ? 'repaired' : 'loaded',
    name: String(fields['name'] ?? basename(path, '.md')).trim(),
    description: String(fields['description'] ?? '').trim(),
    body: lines
      .slice(close + 1)
      .join('\n')
      .replace(/^\n/, '')
      .trimEnd(),
  };
}

type Fields = Record<string, unknown>;

/** A YAML mapping without a single complaint of the parser. */
function mapping(text: string): Fields | undefined {
  const document = parseDocument(text, { version: '1.2', schema: 'core' });
  if (document.errors.length + document.warnings.length > 0) return undefined;
  if (document.contents === null) return {};
  return isMap(document.contents) ? (document.toJS() as Fields) : undefined;
}

/** Fields that say what a member may do are never guessed. */
const NOT_PROSE =
  /^(tools|disallowedTools|permissionMode|skills|model|maxTurns|base|grants|approver|delegate|engineer_skills|workspace)$/;

/** `key: rest of line`, where that alone is no YAML; everything else as YAML, each key on its own. */
function literally(head: readonly string[]): Fields | undefined {
  const fields: Fields = {};
  for (let at = 0; at < head.length; ) {
    const [, key, rest = ''] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(head[at] ?? '') ?? [];
    if (key === undefined) {
      if (!/^(#.*|\s*)$/.test(head[at] ?? '')) return undefined;
      at++;
      continue;
    }
    let end = at + 1;
    while (end < head.length && /^(\s|- |-$|#|$)/.test(head[end] ?? '')) end++;
    const below = head.slice(at + 1, end).filter((line) => !/^(#.*|\s*)$/.test(line));
    const alone = mapping(head.slice(at, end).join('\n'));
    if (key in fields) return undefined;
    if (alone !== undefined) fields[key] = alone[key];
    else if (below.length > 0 || NOT_PROSE.test(key) || /^(["'[{])(?!.*["'\]}])/.test(rest)) return undefined;
    else fields[key] = rest.trim();
    at = end;
  }
  return fields;
}

function isRole(fields: Fields): boolean {
  const absent = (key: string): boolean => fields[key] === undefined || fields[key] === null;
  const word = (key: string): boolean =>
    absent(key) || (typeof fields[key] === 'string' && fields[key].trim() !== '');
  const names = (key: string): boolean => {
    const value = fields[key];
    return (
      absent(key) ||
      typeof value === 'string' ||
      (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    );
  };
  const turns = fields['maxTurns'];
  const oneOf = (key: string, ...allowed: unknown[]): boolean => absent(key) || allowed.includes(fields[key]);
  return (
    ['name', 'model', 'permissionMode'].every(word) &&
    (absent('description') || typeof fields['description'] === 'string') &&
    ['tools', 'disallowedTools', 'skills', 'grants', 'engineer_skills'].every(names) &&
    (absent('maxTurns') || (Number.isInteger(turns) && Number(turns) > 0)) &&
    oneOf('base', 'read', 'write', 'none') &&
    oneOf('approver', 'lead', 'operator') &&
    oneOf('delegate', true, false) &&
    oneOf('workspace', 'shared', 'exclusive')
  );
}

/** Names that come to a tool here, work or coordination. */
const RESOLVING =
  /^(Read|NotebookRead|LS|Glob|Grep|Write|Edit|MultiEdit|NotebookEdit|Bash|WebFetch|web_fetch|AskUserQuestion|SendMessage|Todo(Read|Write)|Task(Create|Get|List|Update)|fs_\w+|git_\w+|shell_exec|team_\w+|ask_question)$/;

/** Tools absent or empty are fine; else one name has to be left. */
function resolves(fields: Fields): boolean {
  if (!('tools' in fields)) return true;
  const listed = (key: string): string[] =>
    [fields[key] ?? []]
      .flat()
      .flatMap((text) => String(text).split(/,(?![^(]*\))/))
      .map((name) => name.trim())
      .filter((name) => name !== '');
  const tools = listed('tools');
  const disallowed = listed('disallowedTools');
  return tools.length === 0 || tools.some((name) => RESOLVING.test(name) && !disallowed.includes(name));
}
