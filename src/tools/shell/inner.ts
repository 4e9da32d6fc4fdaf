/**
 * What a command runs besides itself: `env rm x`, `sh -c 'rm x'`, `find -exec rm {} +`, `eval`, `xargs`. The commands
 * that can be seen are taken out and looked at like those of the line; where the words do not tell what would run, that
 * is said, and the line counts as Destructive. Pure. The map of the folder:
 *
 *   inner      all that a line runs                scripts    shells, interpreters, and what comes on their input
 *   starters   env, xargs, npm exec                git-runs   pagers, aliases, `rebase --exec`
 *   variables  PAGER, GIT_EDITOR                   inside     what one command has inside
 */

import { gitRuns } from './git-runs.js';
import { commandOf, type Inside, NOTHING, textsOf, unseen } from './inside.js';
import type { ReadShell, ShellCommand, ShellLine, ShellWord } from './line.js';
import { knownText, knownTexts, programOf } from './line.js';
import { isLong } from './options.js';
import { scriptInside } from './scripts.js';
import { fed, MOST_STARTED, startedInside } from './starters.js';
import { variablesRun } from './variables.js';

export interface Unfolded {
  /** The commands of the line, and all that they run inside as far as it can be seen. */
  readonly commands: readonly ShellCommand[];
  /** Why not all that would run can be seen; undefined: it can. */
  readonly unseen: string | undefined;
}

/** More than anybody writes, and a bound for lines that nest wrappers in wrappers: in words of commands inside. */
const MOST_WORDS = 20_000;

/** Everything a line runs. */
export function unfold(line: ShellLine, read: ReadShell): Unfolded {
  const commands: ShellCommand[] = [...line.commands];
  /** Texts that were read, with the input of their commands. */
  const known = new Set<string>();
  let why: string | undefined;
  let words = 0;
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    if (command === undefined) break;
    const variables = variablesRun([...command.assignments, ...command.words.slice(1)]);
    const own = insideOf(command);
    const inside = { ...own, texts: [...own.texts, ...variables.texts] };
    words += inside.commands.reduce((sum, one) => sum + one.words.length, 1);
    words += inside.texts.reduce((sum, text) => sum + text.length / 8, 0);
    if (words > MOST_WORDS || inside.commands.length > MOST_STARTED) {
      return { commands, unseen: 'it runs too many commands inside of others' };
    }
    const dark = inside.unseen ?? variables.unseen;
    if (dark !== undefined) why ??= `${programOf(command) || 'a program'} ${dark}`;
    commands.push(...inside.commands.map((one) => withInput(one, command)));
    for (const text of inside.texts) {
      // A text that is the input leaves what is behind a command of it to that command, and it is looked at here.
      const outer = isInput(text, command) ? { ...command, redirections: [] } : command;
      const key = JSON.stringify([text, outer.piped, outer.redirections]);
      if (known.has(key)) continue;
      known.add(key);
      const reading = read(text);
      if (reading.kind === 'unclear') why ??= `a text for a shell in it ${reading.reason}`;
      else commands.push(...reading.line.commands.map((one) => withInput(one, outer)));
    }
  }
  return { commands, unseen: why };
}

function isInput(text: string, { redirections }: ShellCommand): boolean {
  return redirections.some((one) => one.kind === 'here-document' && one.text === text);
}

/** What runs inside of a command has the command's input. */
function withInput(inner: ShellCommand, { piped, redirections }: ShellCommand): ShellCommand {
  const documents = redirections.filter(({ kind }) => kind === 'here-document');
  return { ...inner, piped: inner.piped || piped, redirections: [...inner.redirections, ...documents] };
}

function insideOf(command: ShellCommand): Inside {
  if (command.words.length === 0) return NOTHING;
  const program = programOf(command);
  if (program === undefined || program === '') return unseen('is not told before the line runs');
  const rest = command.words.slice(1);
  if (program === 'eval') return textOf(behindDashes(rest));
  if (program === 'trap') {
    const [text, ...signals] = behindDashes(rest);
    return text === undefined || signals.length === 0 ? NOTHING : textOf([text]);
  }
  if (program === 'alias') return aliases(rest);
  if (program === 'find') return found(rest);
  if (program === 'git') return gitRuns(rest);
  if (/^([gm]?awk|nawk)$/.test(program) && rest.some(runsInAwk)) return unseen('runs commands');
  if (/^((bsd|g)?tar|zip)$/.test(program) && rest.some(runsInArchive)) return unseen('runs commands');
  if (/^(n?vim?|vimdiff|ex|ed|emacs)$/.test(program)) return textsOf(rest.flatMap(editorText));
  if (/^(scp|sftp|rsync|ssh)$/.test(program)) {
    const own = textsOf(rest.flatMap((_, at) => connectText(rest, at)));
    const started = startedInside(program, command) ?? NOTHING;
    return { ...started, texts: [...started.texts, ...own.texts] };
  }
  return scriptInside(program, command) ?? startedInside(program, command) ?? NOTHING;
}

function behindDashes(words: readonly ShellWord[]): readonly ShellWord[] {
  return knownText(words[0]) === '--' ? words.slice(1) : words;
}

/** `eval` and its like: the words together are a line. */
function textOf(words: readonly ShellWord[]): Inside {
  const texts = knownTexts(words);
  return texts === undefined
    ? unseen('is given a text that is not told before the line runs')
    : textsOf([texts.join(' ')]);
}

/** `alias ls='rm -rf'` makes `rm -rf` of every `ls` to come. */
function aliases(words: readonly ShellWord[]): Inside {
  const texts = knownTexts(words);
  if (texts === undefined) return unseen('makes a name of what is not told before the line runs');
  return textsOf(texts.flatMap((text) => (text.includes('=') ? [text.slice(text.indexOf('=') + 1)] : [])));
}

const FOUND: ReadonlySet<string> = new Set(['{}']);

/** The commands behind `-exec` and its like. */
function found(words: readonly ShellWord[]): Inside {
  const commands: ShellCommand[] = [];
  let why: string | undefined;
  for (const [at, word] of words.entries()) {
    if (!/^-(exec|execdir|ok|okdir)$/.test(knownText(word) ?? '')) continue;
    const after = words.slice(at + 1);
    const end = after.findIndex((one) => /^[;+]$/.test(knownText(one) ?? ''));
    const inner = commandOf(end === -1 ? after : after.slice(0, end));
    commands.push(inner);
    if (commands.length > MOST_STARTED) break;
    if (programOf(inner) !== 'find') why ??= fed(inner, FOUND);
  }
  return { ...NOTHING, commands, ...(why === undefined ? {} : { unseen: why }) };
}

function runsInAwk(word: ShellWord): boolean {
  return /\bsystem\s*\(|@\s*\w+\s*\(|\|\s*&?\s*(getline|["\w(])/.test(knownText(word) ?? '');
}

function runsInArchive(word: ShellWord): boolean {
  const text = knownText(word) ?? '';
  return (
    isLong(text, 'to-c|ommand', 'checkpoint-|action', 'use|-compress-program', 'inf|o-script') ||
    isLong(text, 'new-|volume-script', 'rs|h-command', 'rm|t-command', 'unzip-c|ommand') ||
    /^-[A-Za-z]*[IF]|^-TT/.test(text)
  );
}

/** `:!rm x` and `+!rm x`: an editor gives it to a shell. */
function editorText(word: ShellWord): string[] {
  return /^[+:]*!(.+)$/s.exec(knownText(word) ?? '')?.slice(1) ?? [];
}

/** The programs that ssh, and what goes over it, connects through. */
function connectText(words: readonly ShellWord[], at: number): string[] {
  const text = knownText(words[at]) ?? '';
  if (/^(-[A-Za-z]*e|--rsh|-S)$/.test(text)) return [knownText(words[at + 1]) ?? ''];
  return /^(?:--rsh=|.*(?:Proxy|Local|KnownHosts)Command[= ])(.+)$/is.exec(text)?.slice(1) ?? [];
}
