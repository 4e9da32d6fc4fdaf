/**
 * Whether permission rules speak of a call (spec/team.md §3).
 *
 * A pattern is literal text in which `*` stands for any run of characters; ` *` at its end stands for any further words,
 * also none: `git diff *` is about `git diff` as well. Of `shell_exec` it is matched on the commands that whoever prepared
 * the call took out of the line (`CallSubjects`):
 *
 *  M1 an allow rule has to match every simple command of a line that is nothing but a list of them; several rules may do
 *     it together. It never answers for a line that is more, or that cannot be seen through;
 *  M2 a deny or ask rule holds when it matches any command that the line runs, or the line itself; about a path or a host
 *     in any spelling that a file system, or a name server, takes for the same;
 *  M3 of a line that cannot be seen through every deny and ask rule with a pattern may be meant: it is asked at least.
 */

import type { PermissionRule } from '../../events/facts/frozen.js';
import type { CallSubjects } from '../../shared/call-subjects.js';
import { matchesWildcard } from '../../shared/wildcard.js';

/** What a rule is held against. */
export interface CallMatter {
  readonly tool: string;
  /** The command line, the path, the host. */
  readonly subject: string;
  /** Of a shell line; without it nothing is known of its commands. */
  readonly subjects?: CallSubjects | undefined;
}

const UNKNOWN: CallSubjects = { every: [], some: [], unclear: true };

/** Anything by which a line is more than one simple command. */
const NOT_SIMPLE = /[;&|<>()`$\\\n\r\u0000{}]/;

/** Where a line may begin another command. */
const PARTS = /[;&|()`\n\r{}]|\$\(/;

/** Whether a rule that denies or asks speaks of the call (M2). */
export function ruleHits(rule: PermissionRule, { tool, subject, subjects }: CallMatter): boolean {
  if (!speaksOf(rule, tool)) return false;
  const { match } = rule;
  if (match === null) return true;
  if (tool !== 'shell_exec') return matchesPattern(folded(match), folded(subject));
  const line = subject.trim();
  const seen = [line, ...commandParts(line), ...(subjects?.some ?? [])];
  return seen.some((text) => matchesPattern(match, text));
}

/** Whether a rule that denies or asks may speak of a line that cannot be seen through (M3). */
export function ruleMayHit(rule: PermissionRule, { tool, subjects = UNKNOWN }: CallMatter): boolean {
  return tool === 'shell_exec' && speaksOf(rule, tool) && rule.match !== null && subjects.unclear;
}

/** The allow rules that together answer for the call, one of them for each command (M1); undefined: they do not. */
export function allowingRules(
  rules: readonly PermissionRule[],
  { tool, subject, subjects = UNKNOWN }: CallMatter,
): readonly PermissionRule[] | undefined {
  const allow = rules.filter((rule) => rule.decision === 'allow' && speaksOf(rule, tool));
  if (tool !== 'shell_exec') {
    const found = allow.find(({ match }) => match === null || matchesSubject(match, tool, subject));
    return found === undefined ? undefined : [found];
  }
  if (subjects.unclear) return undefined;
  const whole = allow.find(({ match }) => match === null);
  if (whole !== undefined) return [whole];
  const found = subjects.every.map((command) =>
    allow.find(({ match }) => match !== null && matchesPattern(match, command)),
  );
  const all = found.filter((rule) => rule !== undefined);
  return all.length === found.length && all.length > 0 ? [...new Set(all)] : undefined;
}

/** Whether what was allowed a member for good is this call: of a shell the very line that was approved, in one piece. */
export function grantMatches(rule: PermissionRule, { tool, subject }: CallMatter): boolean {
  if (rule.tool !== tool) return false;
  if (tool === 'shell_exec') return rule.match === subject;
  return rule.match === null || matchesWildcard(rule.match, subject);
}

/** One spelling for names that some file systems take for the same. */
export function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function speaksOf({ tool }: PermissionRule, called: string): boolean {
  return tool === called || tool === '*';
}

/** Hosts have no case: the subject of a fetch is in small letters. */
function matchesSubject(match: string, tool: string, subject: string): boolean {
  return matchesPattern(tool === 'web_fetch' ? match.toLowerCase() : match, subject);
}

function matchesPattern(match: string, text: string): boolean {
  return matchesWildcard(match, text) || (match.endsWith(' *') && text === match.slice(0, -2));
}

/** Whether the text of a command, or of a pattern about one, is one command without anything a shell expands. */
export function isSimpleCommand(line: string): boolean {
  return !NOT_SIMPLE.test(line);
}

/** The line in one piece and cut wherever another command may begin, blanks narrowed. */
export function commandParts(line: string): string[] {
  return rawParts(line).map(oneBlank);
}

/** The same with the blanks as they stand. */
export function rawParts(line: string): string[] {
  return [line, ...line.split(PARTS)].map((part) => part.trim());
}

/** Every run of blanks as one. */
export function oneBlank(text: string): string {
  return text.replace(/[ \t]+/g, ' ');
}
