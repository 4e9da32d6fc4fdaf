/** Shells and other programs that run a text: where the text comes from, as far as their words tell. Pure. */

import { posix } from 'node:path';
import type { Inside } from './inside.js';
import { NOTHING, textsOf, unseen } from './inside.js';
import type { ShellCommand, ShellRedirection, ShellWord } from './line.js';
import { knownText } from './line.js';
import { isLong } from './options.js';

const SHELLS = /^(sh|r?bash|dash|zsh|[lmop]?ksh|oksh|ash|hush|posh|yash|osh|t?csh|fish)$/;

/** They run what comes on their input when no file is named. */
const INTERPRETERS =
  /^(python[\d.]*|pypy[\d.]*|perl|ruby|irb|node|deno|bun|tsx|ts-node|php|lua|tclsh|osascript|pwsh|powershell|r|rscript|julia|expect)$/;

/** They read their program from the file behind `-f`. */
const FROM_FILE = /^(g?make|[gm]?awk|nawk|g?sed)$/;

export function isShell(program: string): boolean {
  return SHELLS.test(program);
}

export function isInterpreter(program: string): boolean {
  return INTERPRETERS.test(program);
}

/** What a shell, an interpreter or the like runs; undefined: the program is none. */
export function scriptInside(program: string, command: ShellCommand): Inside | undefined {
  const rest = command.words.slice(1);
  if (SHELLS.test(program)) return shellInside(command, rest);
  if (/^(\.|source)$/.test(program)) return isInput(rest[0]) ? inputInside(command) : NOTHING;
  if (/^(at|batch)$/.test(program)) return inputInside(command);
  // What it opens is the input, or a descriptor, of all that follows.
  if (program === 'exec' && rest.length === 0) return inputInside({ ...command, piped: false });
  if (INTERPRETERS.test(program)) return readsInput(rest) && readsPipe(command) ? PIPE : NOTHING;
  if (/^g?make$/.test(program) && rest.some(isEval)) return unseen('runs commands');
  if (!FROM_FILE.test(program) || !readsPipe(command)) return undefined;
  return rest.some((_, at) => isFileOption(rest, at)) ? PIPE : undefined;
}

/** Whether the input is that of a pipe, and not of a file or a text of the line. */
function readsPipe({ piped, redirections }: ShellCommand): boolean {
  return piped && !redirections.some((one) => one.kind === 'here-document' || isInputFile(one));
}

function isInputFile(one: ShellRedirection): boolean {
  return one.kind === 'file' && one.operator === '<' && (one.descriptor ?? 0) === 0;
}

const PIPE = unseen('runs what comes out of a pipe');

/** A shell: the text behind `-c`, a file, or what comes on its input. */
function shellInside(command: ShellCommand, rest: readonly ShellWord[]): Inside {
  const script = scriptOf(rest);
  switch (script.kind) {
    case 'text':
      return textsOf([script.text]);
    case 'file':
      return NOTHING;
    case 'unknown':
      return unseen('is given a script that is not told before the line runs');
    case 'input':
      return inputInside(command);
  }
}

/** What comes on the input of a command that runs it as shell. */
export function inputInside(command: ShellCommand): Inside {
  const texts = command.redirections.flatMap((one) => (one.kind === 'here-document' ? [one.text] : []));
  if (texts.includes(null)) return unseen('is given a script that is not told before the line runs');
  if (texts.length > 0) return textsOf(texts.filter((text) => text !== null));
  return readsPipe(command) ? PIPE : NOTHING;
}

type Script =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file' }
  | { readonly kind: 'input' }
  | { readonly kind: 'unknown' };

/** What the words of a shell say about its script. */
export function scriptOf(words: readonly ShellWord[]): Script {
  let text = false;
  let input = false;
  for (let at = 0; at < words.length; at++) {
    const word = knownText(words[at]);
    if (word === undefined) return { kind: 'unknown' };
    if (/^--(rcfile|init-file)$/.test(word)) at++;
    else if (/^--./.test(word) || word === '--' || word === '-') continue;
    else if (/^[-+]/.test(word)) {
      text ||= /^-[A-Za-z]*c/.test(word);
      input ||= /^-[A-Za-z]*s/.test(word);
      if (/[oO]/.test(word)) at++;
    } else if (text) return { kind: 'text', text: word };
    else return { kind: input || isInput(words[at]) ? 'input' : 'file' };
  }
  return { kind: text ? 'unknown' : 'input' };
}

/** Whether an interpreter with these words is told its program by none of them. */
export function readsInput(words: readonly ShellWord[]): boolean {
  if (words.some(isInput)) return true;
  return !words.some(
    (word) => knownText(word) === undefined || /^[^-]|^-[A-Za-z]*[ecm]/.test(knownText(word) ?? ''),
  );
}

/** `--eval` of make, whose text is a makefile. */
function isEval(word: ShellWord): boolean {
  return isLong(knownText(word) ?? '', 'ev|al') || /^-[A-Za-z]*E/.test(knownText(word) ?? '');
}

/** A name of the input, or of what the shell has opened: `-`, `/dev/stdin`, `/dev/fd/3`. */
function isInput(word: ShellWord | undefined): boolean {
  return namesInput(knownText(word) ?? '');
}

function namesInput(text: string): boolean {
  return /^(-|\/dev\/(stdin|fd\/\d+)|\/proc\/[^/]+\/(task\/\d+\/)?fd\/\d+)$/.test(
    text.startsWith('/') ? posix.normalize(text) : text,
  );
}

function isFileOption(words: readonly ShellWord[], at: number): boolean {
  const text = knownText(words[at]) ?? '';
  if (/^(-[A-Za-z]*f|--(file|makefile))$/.test(text)) return isInput(words[at + 1]);
  return namesInput(/^(?:-f|--(?:file|makefile)=)(.+)$/s.exec(text)?.[1] ?? '');
}
