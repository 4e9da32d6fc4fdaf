/**
 * Patterns of roles, `Bash(git diff:*)` or `Read(src/**)`: which tools can have one, how one is written, and whether it
 * speaks of a call (spec/team.md §2). They narrow one member; what they mean is Claude Code's, not that of rules:
 *
 *  command  `git diff:*` and `git diff *`: `git diff` alone or with more words, never `git diffx`; any other `*`: any
 *           run of characters
 *  path     a glob on the path in the workspace: `*` within one name, `**` across directories
 *  host     `domain:example.org`
 *
 * Always true: what is unclear matches no allow and every deny. An allow takes only a simple command that begins as
 * written; a deny also finds its words behind another command, a wrapper, a path or quotes, on paths in another case,
 * at any depth where it names no directory, and below what it names.
 */

import type { PermissionRule } from '../../events/facts/frozen.js';
import { matchesWildcard } from '../../shared/wildcard.js';
import type { CallMatter } from './permission-match.js';
import { folded, isSimpleCommand, oneBlank, rawParts } from './permission-match.js';

/** `folder`: a call on a directory may reach every file below it. */
export type PatternKind = 'command' | 'path' | 'folder' | 'host';

const KINDS: ReadonlyMap<string, PatternKind> = new Map([
  ['shell_exec', 'command'],
  ['git_status', 'command'],
  ['git_diff', 'command'],
  ['git_log', 'command'],
  ['git_show', 'command'],
  ['git_blame', 'command'],
  ['git_commit', 'command'],
  ['fs_read_file', 'path'],
  ['fs_write_file', 'path'],
  ['fs_edit_file', 'path'],
  ['fs_delete', 'path'],
  ['fs_grep', 'folder'],
  ['web_fetch', 'host'],
]);

/** What a pattern about a tool is matched on; undefined: the tool takes none. */
export function patternKind(tool: string): PatternKind | undefined {
  return KINDS.get(tool);
}

/** Why a pattern cannot be expressed as a rule about the tool, in words that follow "since"; undefined when it can. */
export function patternProblem(tool: string, match: string): string | undefined {
  const kind = KINDS.get(tool);
  if (kind === undefined) return 'calls of this tool are not told apart';
  if (match === '') return 'it is empty';
  if (match.length > 300) return 'it is longer than 300 characters';
  switch (kind) {
    case 'command':
      return isSimpleCommand(match)
        ? undefined
        : 'it is more than one simple command, or holds what a shell expands';
    case 'path':
    case 'folder':
      if (/^[/~]/.test(match)) return 'it is no path inside the workspace';
      if (match.split('/').includes('..')) return 'it leads upwards';
      return /[[\]{}()!?\\:"'\u0000-\u001f]/.test(match)
        ? 'it holds a character that means something, and only * and ** are known'
        : undefined;
    case 'host':
      return /^domain:[a-z0-9*.-]+$/i.test(match) ? undefined : 'it is no domain:<host>';
  }
}

/** Whether a pattern names everything there is, so that it says no more than the tool alone. */
export function isEverything(tool: string, match: string): boolean {
  if (KINDS.get(tool) === 'command') return /^\*+$/.test(match.replaceAll(':*', '*').replace(/[ \t]/g, ''));
  if (KINDS.get(tool) === 'host') return /^domain:\*+$/i.test(match);
  const glob = allowedGlob(match);
  const names = glob.filter((name) => name !== '**');
  // Two names in a row would leave out what lies at the top.
  return !/^[/~]/.test(match) && glob.includes('**') && names.length <= 1 && names.every(isWild);
}

function isWild(name: string): boolean {
  return /^\*+$/.test(name);
}

/** Whether an allow pattern on commands holds for this command and for it with any further words. */
export function coversCommand(match: string, command: string): boolean {
  return ['', ' \u0001', ' \u0001 \u0002'].every((more) => allowsCommand(match, command + more));
}

/**
 * The pattern that answers for a call: one that matches it, of a shell line one for each of its commands (the first of
 * them is given). Undefined: they do not.
 */
export function allowingPattern(
  patterns: readonly PermissionRule[],
  matter: CallMatter,
): PermissionRule | undefined {
  const { tool, subjects } = matter;
  if (tool !== 'shell_exec') return patterns.find((pattern) => patternMatches(pattern, matter));
  if (subjects === undefined || subjects.unclear) return undefined;
  // Taken out of the line by a parser: what stands in quotes there starts nothing.
  const found = subjects.every.map((command) =>
    patterns.find(({ match }) => match !== null && matchesForms(match, command)),
  );
  return found.every((pattern) => pattern !== undefined) ? found[0] : undefined;
}

/**
 * Whether the pattern speaks of a call. One that allows looks at the subject alone, which has to be one simple command
 * (`allowingPattern` asks for those of a shell line one by one); one that denies also at all that the line runs.
 */
export function patternMatches(pattern: PermissionRule, matter: CallMatter): boolean {
  const { tool, subject, subjects } = matter;
  const { match, decision } = pattern;
  if (pattern.tool !== tool || match === null) return false;
  const allows = decision === 'allow';
  switch (KINDS.get(tool)) {
    case 'command':
      if (allows) return allowsCommand(match, subject);
      return (
        subjects?.unclear === true ||
        [subject, ...(subjects?.some ?? [])].some((text) => deniesCommand(match, text))
      );
    case 'path':
      return allows ? allowsPath(match, subject) : deniesPath(match, subject);
    case 'folder':
      return allows ? false : deniesFolder(match, subject);
    case 'host':
      return allows ? allowsHost(match, subject) : deniesHost(match, subject);
    case undefined:
      return !allows;
  }
}

function allowsCommand(match: string, subject: string): boolean {
  const line = subject.replace(/^[ \t]+|[ \t\n]+$/g, '');
  return isSimpleCommand(line) && matchesForms(match, line);
}

function matchesForms(match: string, command: string): boolean {
  return commandForms(match).some((form) => matchesWildcard(form, command));
}

/** `x:*` and `x *` as patterns in which `*` is any run: `x` alone, or followed by a blank and more. */
function commandForms(match: string): string[] {
  const words = match.trim();
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(words)?.[1]?.trimEnd();
  return prefix === undefined ? [words] : [prefix, `${prefix} *`, `${prefix}\t*`];
}

/**
 * A deny is looked for from every word on, in the line and in each part, without quotes and escapes and without the
 * path of the program: `sudo -n /bin/rm x`, `sh -c "rm x"` and `find . -exec rm {} +` are all about `rm`.
 */
function deniesCommand(match: string, subject: string): boolean {
  const bare = subject
    .replaceAll('\\\n', '')
    .replace(/["'\\$]/g, '')
    .replaceAll(',', ' ');
  const parts = [subject, bare].flatMap(rawParts).map((part) => part.toLowerCase());
  const pattern = match.toLowerCase();
  // As they stand as well: a `*` between two blanks may be nothing.
  return speaksOf(oneBlank(pattern), parts.map(oneBlank)) || speaksOf(pattern, parts);
}

function speaksOf(pattern: string, parts: readonly string[]): boolean {
  const forms = commandForms(pattern);
  // A name may go on after a colon, as scripts of npm do: `npm run deploy:*` is about `npm run deploy:prod` as well.
  const wider = forms.length === 1 ? forms : [...forms, `${forms[0]}:*`];
  return parts.some((words) => {
    const starts = [0, ...[...words.matchAll(/[ /]/g)].map(({ index }) => index + 1)];
    return starts.some((start) => wider.some((form) => matchesWildcard(form, words.slice(start))));
  });
}

function allowsPath(match: string, subject: string): boolean {
  const path = segmentsOf(subject);
  return path !== undefined && matchesSegments(allowedGlob(match), path);
}

/** A directory is not below itself: `src/**` is about the files of `src`, not about a file of that name. */
function allowedGlob(match: string): string[] {
  const glob = globOf(match);
  return glob.at(-1) === '**' ? [...glob, '*'] : glob;
}

function deniesPath(match: string, subject: string): boolean {
  const path = segmentsOf(subject.replace(/^reads:\d+(?:\/|$)/, ''));
  if (path === undefined) return true;
  return matchesSegments(deniedGlob(match), path.map(folded));
}

/** A directory on the way to what is denied, or below it. */
function deniesFolder(match: string, subject: string): boolean {
  const path = segmentsOf(subject.replace(/^reads:\d+(?:\/|$)/, ''));
  if (path === undefined) return true;
  const glob = deniedGlob(match);
  const inside = path.map(folded);
  return matchesSegments(glob, inside) || glob.some((_, end) => matchesSegments(glob.slice(0, end), inside));
}

function allowsHost(match: string, subject: string): boolean {
  return matchesWildcard(hostOf(match), subject.toLowerCase());
}

function deniesHost(match: string, subject: string): boolean {
  const host = subject.toLowerCase().replace(/\.$/, '');
  return matchesWildcard(hostOf(match), host) || matchesWildcard(`*.${hostOf(match)}`, host);
}

function hostOf(match: string): string {
  return match.replace(/^domain:/i, '').toLowerCase();
}

/** The names of a path inside a root; undefined when it leads out or cannot be told. */
function segmentsOf(path: string): string[] | undefined {
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0')) return undefined;
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.includes('..') ? undefined : names;
}

function globOf(match: string): string[] {
  const names = match.split('/').filter((name) => name !== '' && name !== '.');
  return match.endsWith('/') ? [...names, '**'] : names;
}

/** As `.gitignore` has it: without a directory at any depth, and everything below what is named. */
function deniedGlob(match: string): string[] {
  const anchored = match.replace(/^\.\/|\/$/g, '').includes('/');
  return [...(anchored ? [] : ['**']), ...globOf(match).map(folded), '**'];
}

/** `**` is any number of names; in a name `*` is any run of characters. */
function matchesSegments(glob: readonly string[], path: readonly string[]): boolean {
  let at = 0;
  let next = 0;
  let restart: { glob: number; path: number } | undefined;
  while (next < path.length) {
    const pattern = glob[at];
    if (pattern === '**') {
      restart = { glob: at + 1, path: next };
      at++;
    } else if (pattern !== undefined && matchesWildcard(pattern, path[next] ?? '')) {
      at++;
      next++;
    } else if (restart !== undefined) {
      restart = { ...restart, path: restart.path + 1 };
      at = restart.glob;
      next = restart.path;
    } else {
      return false;
    }
  }
  return glob.slice(at).every((pattern) => pattern === '**');
}
