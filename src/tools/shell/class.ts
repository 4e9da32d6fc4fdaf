/**
 * The class of a shell line, from what the parser read of it (spec/team.md §2). Pure.
 *
 *  read         a list of commands of the read list; the caller still has to check its paths
 *  git          a plain git command that only reads; it is answered by the git tools
 *  destructive  something on the destructive list, or a line of which nobody can tell what it would run
 *  write        everything else
 *  refused      no command at all
 */

import type { CallSubjects } from '../../shared/call-subjects.js';
import type { GitRequest } from '../git/request.js';
import { destructiveReason } from './destructive.js';
import type { IsPath } from './git.js';
import { gitRequest } from './git.js';
import { unfold } from './inner.js';
import type { ReadShell, ShellCommand, ShellLine, ShellStep } from './line.js';
import { commandText, inputText, knownText, knownTexts, programOf, withoutOptions } from './line.js';
import type { ReadUse } from './read-list.js';
import { readUse } from './read-list.js';

export type ShellClass =
  | { readonly kind: 'read'; readonly list: readonly ShellStep[]; readonly use: ReadUse }
  | { readonly kind: 'git'; readonly request: GitRequest }
  | { readonly kind: 'destructive'; readonly reason: string }
  /** `list`: the line when it is a plain list of commands. */
  | { readonly kind: 'write'; readonly list: readonly ShellStep[] | undefined }
  | { readonly kind: 'refused'; readonly text: string };

export interface ClassedLine {
  readonly class: ShellClass;
  readonly subjects: CallSubjects;
}

/** Far below what a system takes for one argument (128 KiB on Linux). */
export const LONGEST_COMMAND = 32 * 1024;

const NO_SUBJECTS: CallSubjects = { every: [], some: [], unclear: true };

/** Classes a line. `isPath` tells paths from revisions in git commands without `--`. */
export function shellClass(command: string, read: ReadShell, isPath: IsPath): ClassedLine {
  const problem = lineProblem(command);
  if (problem !== undefined) return { class: { kind: 'refused', text: problem }, subjects: NO_SUBJECTS };
  const reading = read(command);
  if (reading.kind === 'unclear') {
    return { class: { kind: 'destructive', reason: reading.reason }, subjects: NO_SUBJECTS };
  }
  const { line } = reading;
  const { commands, unseen } = unfold(line, read);
  const subjects = subjectsOf(line, commands, unseen !== undefined);
  const use = readingUse(line, isPath);
  if (use !== undefined) return { class: use, subjects };
  const reason = commands.map(destructiveReason).find((each) => each !== undefined);
  const why = reason ?? (unseen === undefined ? undefined : `cannot be judged: ${unseen}`);
  return {
    class: why === undefined ? { kind: 'write', list: line.list } : { kind: 'destructive', reason: why },
    subjects,
  };
}

function lineProblem(command: string): string | undefined {
  if (command.includes('\0')) return 'the command holds a NUL character';
  if (command.trim() === '') return 'the command is empty';
  if (command.length <= LONGEST_COMMAND) return undefined;
  return `the command is longer than ${LONGEST_COMMAND} characters; write a file`;
}

/** The words of a line that is one plain git command; undefined: it is none. */
export function gitWords({ list }: ShellLine): readonly string[] | undefined {
  const [step, ...others] = list ?? [];
  if (step === undefined || others.length > 0 || step.command.redirections.length > 0) return undefined;
  const [program, ...words] = knownTexts(step.command.words) ?? [];
  return program === 'git' ? words : undefined;
}

function readingUse(line: ShellLine, isPath: IsPath): ShellClass | undefined {
  const git = gitWords(line);
  if (git !== undefined) {
    const request = gitRequest(git, isPath);
    return request === undefined ? undefined : { kind: 'git', request };
  }
  const { list } = line;
  if (list === undefined) return undefined;
  const uses: ReadUse[] = [];
  for (const { command } of list) {
    const use = readUse(knownTexts(command.words) ?? [], command.piped);
    if (use === undefined) return undefined;
    uses.push({ ...use, paths: [...use.paths, ...inputs(command)] });
  }
  const use = {
    paths: uses.flatMap(({ paths }) => paths),
    files: uses.flatMap(({ files }) => files),
    trees: uses.flatMap(({ trees }) => trees),
  };
  return { kind: 'read', list, use };
}

/** Files that a command has as its input. */
function inputs({ redirections }: ShellCommand): string[] {
  return redirections.flatMap((one) =>
    one.kind === 'file' && one.operator === '<' ? [knownText(one.target) ?? ''] : [],
  );
}

function subjectsOf(line: ShellLine, commands: readonly ShellCommand[], unclear: boolean): CallSubjects {
  const some = new Set<string>();
  for (const command of commands) {
    if (command.words.length === 0) continue;
    some.add(commandText(command));
    const program = programOf(command);
    if (program === undefined) continue;
    // `/bin/rm x` is about `rm` as well, and `git -C sub push` about `git push`.
    for (const rest of withoutOptions(command.words.slice(1)))
      some.add(commandText({ words: [{ kind: 'known', text: program }, ...rest] }));
  }
  return { every: (line.list ?? []).map(({ command }) => inputText(command)), some: [...some], unclear };
}
