/**
 * A shell line as we look at it: its simple commands, each with words of which we know the text or know that we do not.
 * Small on purpose, and our own: the parser stays behind `parse.ts`.
 *
 * L1 a known word is exactly what the program would get; whatever a shell would still expand is unknown;
 * L2 a line is a `list` only when it is nothing but known words, pipes, `&&`, `||`, `;` and redirections that write no
 *    file. Written down again (`listText`) it means the same to every shell, so what was judged is what runs.
 */

import { shellWord } from '../../shared/shell-word.js';

export type ShellWord =
  | { readonly kind: 'known'; readonly text: string }
  /** `source`: as it is written. */
  | { readonly kind: 'unknown'; readonly source: string };

export type ShellRedirection =
  | {
      readonly kind: 'file';
      readonly operator: '<' | '>' | '>>' | '>|' | '<>';
      /** Null: the one that the operator has by itself. */
      readonly descriptor: number | null;
      readonly target: ShellWord;
    }
  /** `>&2`, `<&-`. */
  | {
      readonly kind: 'duplicate';
      readonly operator: '<&' | '>&';
      readonly descriptor: number | null;
      readonly target: string;
    }
  /** `text`: what stands in it, null when a shell would expand it. */
  | { readonly kind: 'here-document'; readonly text: string | null };

export interface ShellCommand {
  /** The program and its words; none: only assignments or redirections. */
  readonly words: readonly ShellWord[];
  /** In front of it, or all there is: each as the word `NAME=value`. */
  readonly assignments: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
  /** Its input is that of a pipe, or of a group that has one. */
  readonly piped: boolean;
}

export interface ShellStep {
  /** What stands between it and the one before. */
  readonly joined: '' | '|' | '&&' | '||' | ';';
  readonly command: ShellCommand;
}

export interface ShellLine {
  /** Every simple command, wherever in the line it stands, in the order of writing. */
  readonly commands: readonly ShellCommand[];
  /** See L2; undefined: the line is more. */
  readonly list: readonly ShellStep[] | undefined;
}

export type ShellReading =
  | { readonly kind: 'line'; readonly line: ShellLine }
  /** It cannot be parsed, or two shells would read it as two things; `reason` follows "the line". */
  | { readonly kind: 'unclear'; readonly reason: string };

/** Reads a line of shell. Pure. */
export type ReadShell = (text: string) => ShellReading;

/** The text of a known word. */
export function knownText(word: ShellWord | undefined): string | undefined {
  return word?.kind === 'known' ? word.text : undefined;
}

/** The texts of words when all of them are known. */
export function knownTexts(words: readonly ShellWord[]): readonly string[] | undefined {
  const texts = words.map(knownText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/** `/bin/rm`, `\rm` and `rm` are one program, on disks that fold names `RM` as well; undefined when it cannot be told. */
export function programOf({ words: [first] }: Pick<ShellCommand, 'words'>): string | undefined {
  return knownText(first)?.replace(/^.*\//s, '').toLowerCase();
}

/** Longer rows of options are not looked through. */
const MOST_OPTIONS = 16;

/**
 * The words behind the program, and again without those in front that are options or may be their values: `-C sub push`,
 * `sub push` and `push`. One of them begins with what the program is told to do.
 */
export function withoutOptions(rest: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const found = [rest];
  for (const [at, word] of rest.slice(0, MOST_OPTIONS).entries()) {
    if (!isOption(word) && !(at > 0 && isOption(rest[at - 1]))) break;
    found.push(rest.slice(at + 1));
  }
  return found;
}

/** `+nightly` is one of Cargo's. */
function isOption(word: ShellWord | undefined): boolean {
  return /^[-+]./s.test(knownText(word) ?? '');
}

/** The command as a person would write it, one blank between words: what rules match on. */
export function commandText({ words }: Pick<ShellCommand, 'words'>): string {
  return words.map((word) => (word.kind === 'known' ? shellWord(word.text) : word.source)).join(' ');
}

/** The same with the files that are its input, `psql db < drop.sql`: what runs is in them, or depends on them. */
export function inputText(command: ShellCommand): string {
  const inputs = command.redirections.flatMap((one) =>
    one.kind === 'file' && one.operator === '<' && knownText(one.target) !== '/dev/null'
      ? [`< ${commandText({ words: [one.target] })}`]
      : [],
  );
  return [commandText(command), ...inputs].join(' ');
}

/** A list, written down again so that a shell has nothing left to expand or to take for a word of its own (L2). */
export function listText(list: readonly ShellStep[]): string {
  return list
    .map(({ joined, command }) => {
      const words = command.words.map((word, at) =>
        at === 0 ? quoted(knownText(word) ?? '') : shellWord(knownText(word) ?? ''),
      );
      return [joined, ...words, ...command.redirections.map(redirectionText)].filter(Boolean).join(' ');
    })
    .join(' ');
}

/** Quoted even when it is plain: it could be a word of the shell, or look like an assignment. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function redirectionText(redirection: ShellRedirection): string {
  if (redirection.kind === 'here-document') return ''; // never in a list
  const { descriptor, operator, target } = redirection;
  const text = typeof target === 'string' ? target : quoted(knownText(target) ?? '');
  return `${descriptor ?? ''}${operator}${text}`;
}

/** Whether a redirection leaves every file as it is: input, another descriptor, or what takes all and keeps nothing. */
export function writesNoFile(redirection: ShellRedirection): boolean {
  switch (redirection.kind) {
    case 'here-document':
    case 'duplicate':
      return true;
    case 'file':
      return (
        redirection.operator === '<' ||
        (/^>/.test(redirection.operator) && knownText(redirection.target) === '/dev/null')
      );
  }
}
