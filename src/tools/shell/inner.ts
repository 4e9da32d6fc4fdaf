/**
 * What a command runs besides itself: `env rm x`, `sh -c 'rm x'`, `find -exec rm {} +`, `eval`, `xargs`. The commands
 * that can be seen are taken out and looked at like those of the line; where the words do not tell what would run, that
 * is said, and the line counts as Destructive. Pure.
 *
 * Options of wrappers are not known here one by one: every word of a wrapper that could be a program is taken for one.
 * That finds too much at times, and nothing too little.
 */

import { gitRuns } from './git-runs.js';
import type { ReadShell, ShellCommand, ShellLine, ShellWord } from './line.js';
import { knownText, knownTexts, programOf } from './line.js';

/** Programs that start the one that a later word of theirs names. */
const STARTERS =
  /^(env|nohup|nice|ionice|chrt|taskset|time|timeout|exec|command|builtin|xargs|parallel|setsid|stdbuf|watch|fd|fdfind|busybox|toybox|sudo|doas|su|runuser|chroot|unshare|nsenter|flock|script|strace|ltrace|systemd-run|entr|ssh|docker|podman|kubectl|npx|bunx|caffeinate|unbuffer)$/;

/** Programs that take a line of shell as a word. */
const TAKE_TEXT = /^(watch|ssh|su|runuser|script|flock|parallel|entr|at)$/;

/** They give words to what they start that nobody has seen. */
const FEEDERS = /^(xargs|parallel|fd|fdfind|entr)$/;

const SHELLS = /^(sh|bash|rbash|dash|zsh|ksh|mksh|ash|fish)$/;

/** They run what comes on their input when no file is named. */
const INTERPRETERS = /^(python[\d.]*|perl|ruby|node|deno|bun|php|lua|tclsh|osascript)$/;

/** What one command has inside. */
interface Inside {
  readonly commands: readonly ShellCommand[];
  /** Lines of shell that it is given as words or as its input. */
  readonly texts: readonly string[];
  /** Why it cannot be told what it runs, in words that follow the name of the program. */
  readonly unseen?: string;
}

const NOTHING: Inside = { commands: [], texts: [] };

function unseen(why: string): Inside {
  return { ...NOTHING, unseen: why };
}

export interface Unfolded {
  /** The commands of the line, and all that they run inside as far as it can be seen. */
  readonly commands: readonly ShellCommand[];
  /** Why not all that would run can be seen; undefined: it can. */
  readonly unseen: string | undefined;
}

/** More than anybody writes, and a bound for lines that nest wrappers in wrappers: in words of commands inside. */
const MOST_WORDS = 20_000;

/** Of one wrapper, or one `find`. */
const MOST_STARTED = 40;

/** Of the words of a wrapper so many are taken for programs whatever they are called. */
const CANDIDATES = 16;

/** Everything a line runs. */
export function unfold(line: ShellLine, read: ReadShell): Unfolded {
  const commands: ShellCommand[] = [...line.commands];
  let why: string | undefined;
  let words = 0;
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    if (command === undefined) break;
    const inside = insideOf(command);
    words += inside.commands.reduce((sum, one) => sum + one.words.length, 1);
    words += inside.texts.reduce((sum, text) => sum + text.length / 8, 0);
    if (words > MOST_WORDS || inside.commands.length > MOST_STARTED) {
      return { commands, unseen: 'it runs too many commands inside of others' };
    }
    if (inside.unseen !== undefined) why ??= `${programOf(command) || 'a program'} ${inside.unseen}`;
    commands.push(...inside.commands);
    for (const text of inside.texts) {
      const reading = read(text);
      if (reading.kind === 'unclear') why ??= `a text for a shell in it ${reading.reason}`;
      else
        commands.push(...reading.line.commands.map((one) => ({ ...one, piped: one.piped || command.piped })));
    }
  }
  return { commands, unseen: why };
}

function insideOf(command: ShellCommand): Inside {
  if (command.words.length === 0) return NOTHING;
  const program = programOf(command);
  if (program === undefined || program === '') return unseen('is not told before the line runs');
  const rest = command.words.slice(1);
  if (program === 'eval') return textOf(rest);
  if (program === 'trap') return rest.length < 2 ? NOTHING : textOf(rest.slice(0, 1));
  if (program === 'alias') return aliases(rest);
  if (program === 'find') return found(rest);
  if (program === 'git') return gitInside(rest, command);
  if (SHELLS.test(program)) return shellInside(command, rest);
  if (STARTERS.test(program)) return started(program, rest, command);
  if (/^[gm]?awk$|^nawk$/.test(program)) return awkInside(rest);
  if (/^(bsd|g)?tar$/.test(program)) return tarInside(rest);
  if (INTERPRETERS.test(program)) return interpreted(command, rest);
  if (/^(\.|source)$/.test(program) && command.piped) return unseen('reads commands from a pipe');
  return NOTHING;
}

/** `eval` and its like: the words together are a line. */
function textOf(words: readonly ShellWord[]): Inside {
  const texts = knownTexts(words);
  return texts === undefined
    ? unseen('is given a text that is not told before the line runs')
    : { ...NOTHING, texts: [texts.join(' ')] };
}

/** `alias ls='rm -rf'` makes `rm -rf` of every `ls` to come. */
function aliases(words: readonly ShellWord[]): Inside {
  const texts = knownTexts(words);
  if (texts === undefined) return unseen('makes a name of what is not told before the line runs');
  return {
    ...NOTHING,
    texts: texts.flatMap((text) => (text.includes('=') ? [text.slice(text.indexOf('=') + 1)] : [])),
  };
}

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
    why ??= fed(inner, '{}');
  }
  return { ...NOTHING, commands, ...(why === undefined ? {} : { unseen: why }) };
}

function gitInside(rest: readonly ShellWord[], { piped }: ShellCommand): Inside {
  const runs = gitRuns(rest);
  return {
    commands: runs.commands.map((words) => ({ ...commandOf(words), piped })),
    texts: runs.texts,
    ...(runs.unseen === undefined ? {} : { unseen: runs.unseen }),
  };
}

/** A shell: the text behind `-c`, a file, or what comes on its input. */
function shellInside(command: ShellCommand, rest: readonly ShellWord[]): Inside {
  const script = scriptOf(rest);
  switch (script.kind) {
    case 'text':
      return { ...NOTHING, texts: [script.text] };
    case 'file':
      return NOTHING;
    case 'unknown':
      return unseen('is given a script that is not told before the line runs');
    case 'input': {
      const documents = command.redirections.filter(({ kind }) => kind === 'here-document');
      const texts = documents.map((one) => (one.kind === 'here-document' ? one.text : null));
      if (texts.includes(null)) return unseen('is given a script that is not told before the line runs');
      if (texts.length > 0) return { ...NOTHING, texts: texts.filter((text) => text !== null) };
      return command.piped ? unseen('runs what comes out of a pipe') : NOTHING;
    }
  }
}

type Script =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file' }
  | { readonly kind: 'input' }
  | { readonly kind: 'unknown' };

/** What the words of a shell say about its script. */
function scriptOf(words: readonly ShellWord[]): Script {
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
    else return { kind: input ? 'input' : 'file' };
  }
  return { kind: text ? 'unknown' : 'input' };
}

/** A wrapper: what it starts is one of its words, and so is everything of note that any of them names. */
function started(program: string, words: readonly ShellWord[], command: ShellCommand): Inside {
  const commands: ShellCommand[] = [];
  const token = FEEDERS.test(program) ? replaced(words) : undefined;
  let why: string | undefined;
  let plausible = 0;
  for (const [at, word] of words.entries()) {
    const text = knownText(word);
    if (text === undefined) {
      if (plausible === 0) why ??= 'starts a program that is not told before the line runs';
      continue;
    }
    if (token !== undefined && text === token && plausible === 0 && at > 0 && !endsInOption(words[at - 1])) {
      why ??= 'starts what comes out of a pipe';
    }
    if (!/^[A-Za-z_./\\[]/.test(text) || text.includes('=')) continue;
    plausible++;
    const inner = { ...commandOf(words.slice(at)), piped: command.piped, redirections: command.redirections };
    const name = programOf(inner) ?? '';
    if (commands.length > MOST_STARTED) break; // too many, which is said where they are taken up
    if (plausible <= CANDIDATES || isOfNote(name)) commands.push(inner);
    if (token !== undefined && isOfNote(name)) why ??= fed(inner, token);
  }
  const texts =
    TAKE_TEXT.test(program) ||
    (program === 'env' && words.some((word) => /^(-\w*S|--split)/.test(knownText(word) ?? '')))
      ? words.flatMap((word) => (/[\s;]/.test(knownText(word) ?? '') ? [knownText(word) ?? ''] : []))
      : [];
  return { commands, texts, ...(why === undefined ? {} : { unseen: why }) };
}

function endsInOption(word: ShellWord | undefined): boolean {
  return /^(-[A-Za-z]|--replace)$/.test(knownText(word) ?? '');
}

/** What `xargs` puts its lines in the place of. */
function replaced(words: readonly ShellWord[]): string {
  for (const [at, word] of words.entries()) {
    const text = knownText(word) ?? '';
    const joined = /^(?:-I|--replace=)(.+)$/s.exec(text)?.[1];
    if (joined !== undefined) return joined;
    if (text === '-I') return knownText(words[at + 1]) ?? '{}';
  }
  return '{}';
}

/** Whether a program is of note inside of a wrapper however late its name comes. */
function isOfNote(name: string): boolean {
  return (
    SHELLS.test(name) || STARTERS.test(name) || /^(eval|find|git)$/.test(name) || !/^[\w.+-]+$/.test(name)
  );
}

/** Why a command that is given further words cannot be told; undefined: it can. */
function fed(inner: ShellCommand, token: string): string | undefined {
  const program = programOf(inner);
  if (program === undefined || program.includes(token)) return 'starts what comes out of a pipe';
  const rest = inner.words.slice(1);
  if (SHELLS.test(program)) {
    const script = scriptOf(rest);
    if (script.kind === 'file') return undefined;
    return script.kind === 'text' && !script.text.includes(token)
      ? undefined
      : 'starts a shell with what comes out of a pipe';
  }
  if (!STARTERS.test(program)) return undefined;
  const named = rest.some((word) => /^[A-Za-z_./]/.test(knownText(word) ?? '') && knownText(word) !== token);
  return named ? undefined : 'starts what comes out of a pipe';
}

function awkInside(words: readonly ShellWord[]): Inside {
  const runs = words.some((word) => /\bsystem\s*\(|\|\s*&?\s*(getline|["\w(])/.test(knownText(word) ?? ''));
  return runs ? unseen('runs commands') : NOTHING;
}

function tarInside(words: readonly ShellWord[]): Inside {
  const form =
    /^(--to-command|--checkpoint-action|--use-compress-program|--info-script|--new-volume-script|--rsh-command)(=|$)|^-[A-Za-z]*[IF]/;
  return words.some((word) => form.test(knownText(word) ?? '')) ? unseen('runs commands') : NOTHING;
}

function interpreted(command: ShellCommand, words: readonly ShellWord[]): Inside {
  const named = words.some(
    (word) => knownText(word) === undefined || /^[^-]|^-[A-Za-z]*[ecm]/.test(knownText(word) ?? ''),
  );
  return command.piped && !named ? unseen('runs what comes out of a pipe') : NOTHING;
}

function commandOf(words: readonly ShellWord[]): ShellCommand {
  return { words, assignments: false, redirections: [], piped: false };
}
