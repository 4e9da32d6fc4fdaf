/**
 * Programs that start the one that a later word of theirs names: `env rm x`, `xargs rm`, `npm exec rm`. Pure.
 *
 * Their options are not known here one by one: every word that could be a program is taken for one. That finds too much
 * at times, and nothing too little.
 */

import { isToldByWord } from './destructive.js';
import type { Inside } from './inside.js';
import { commandOf, NOTHING } from './inside.js';
import type { ShellCommand, ShellWord } from './line.js';
import { knownText, programOf, withoutOptions } from './line.js';
import { inputInside, isInterpreter, isShell, readsInput, scriptOf } from './scripts.js';

const STARTERS = new RegExp(
  `^(${[
    'env|hash|nohup|nice|ionice|chrt|taskset|time|timeout|exec|command|builtin|setsid|stdbuf|unbuffer|caffeinate|chronic|ifne',
    'setpriv|prlimit|choom|numactl|cgexec|cpulimit|softlimit|chpst|setarch|linux32|linux64|faketime|eatmydata|catchsegv',
    'xargs|parallel|sem|watch|watchexec|entr|nodemon|concurrently|hyperfine|fd|fdfind|flock|script|rlwrap',
    'busybox|toybox|sudo|doas|su|runuser|sg|pkexec|run0|su-exec|gosu|chroot|unshare|nsenter|systemd-run|start-stop-daemon',
    'daemonize|bwrap|firejail|proot|fakeroot|fakechroot|distrobox|toolbox|docker|podman|nerdctl|kubectl|lxc|incus|machinectl',
    'strace|ltrace|gdb|lldb|perf|valgrind|ssh|mosh|sshpass|autossh|ssh-agent|dbus-run-session|xvfb-run|tmux|screen|torsocks',
    'npx|bunx|uvx|pipx|nix-shell|dotenv|direnv|ld-(linux|musl)[\\w.-]*|ld\\.so[\\w.]*',
  ].join('|')})$`,
);

/** They start something behind one word of theirs. */
const RUNNERS: ReadonlyMap<string, RegExp> = new Map([
  ['npm', /^(exec|x)$/],
  ['pnpm', /^(exec|dlx)$/],
  ['yarn', /^(exec|dlx)$/],
  ['bun', /^x$/],
  ['bundle', /^exec$/],
  ['poetry', /^run$/],
  ['uv', /^run$/],
  ['pipenv', /^run$/],
  ['pdm', /^run$/],
  ['hatch', /^run$/],
  ['rye', /^run$/],
  ['conda', /^run$/],
  ['mise', /^(exec|x)$/],
  ['asdf', /^exec$/],
  ['rbenv', /^exec$/],
  ['pyenv', /^exec$/],
  ['volta', /^run$/],
  ['flatpak', /^run$/],
  ['nix', /^(develop|shell|run)$/],
]);

/** Programs that take a line of shell as a word. */
const TAKE_TEXT =
  /^(watch|watchexec|ssh|mosh|su|sg|runuser|script|flock|parallel|sem|entr|concurrently|hyperfine|tmux|screen|npm|nix|nix-shell)$/;

/** They give words to what they start that nobody has seen. */
const FEEDERS = /^(xargs|parallel|sem|fd|fdfind|entr)$/;

/** Of one wrapper, or one `find`. */
export const MOST_STARTED = 40;

/** Of the words of a wrapper so many are taken for programs whatever they are called. */
const CANDIDATES = 16;

/** What a wrapper starts, and everything of note that any of its words names; undefined: the program is none. */
export function startedInside(program: string, command: ShellCommand): Inside | undefined {
  const words = command.words.slice(1);
  if (STARTERS.test(program)) return started(program, words, command);
  const runs = RUNNERS.get(program);
  if (runs === undefined) return undefined;
  const behind = withoutOptions(words).find(([first]) => runs.test(knownText(first) ?? ''));
  return behind === undefined ? undefined : started(program, behind.slice(1), command);
}

function started(program: string, words: readonly ShellWord[], command: ShellCommand): Inside {
  const commands: ShellCommand[] = [];
  const feeds = FEEDERS.test(program);
  const tokens = new Set(['{}']);
  let why: string | undefined;
  let plausible = 0;
  for (const [at, word] of words.entries()) {
    const text = knownText(word);
    if (text === undefined) {
      if (plausible === 0) why ??= 'starts a program that is not told before the line runs';
      continue;
    }
    if (feeds) for (const token of tokensOf(text, words[at + 1])) tokens.add(token);
    if (feeds && tokens.has(text) && plausible === 0 && at > 0 && !takesToken(words[at - 1])) {
      why ??= 'starts what comes out of a pipe';
    }
    const named = joinedProgram(program, text) ?? text;
    if (!/^[A-Za-z_./\\[].*[^/]$|^[\w.]$/s.test(named) || named.includes('=') || named === 'KILL') continue; // `-s KILL`
    plausible++;
    const inner = commandOf([{ kind: 'known', text: named }, ...words.slice(at + 1)]);
    const name = programOf(inner) ?? '';
    if (commands.length > MOST_STARTED) break; // too many, which is said where they are taken up
    if (plausible <= CANDIDATES || isOfNote(name)) commands.push(inner);
    if (feeds && isOfNote(name)) why ??= fed(inner, tokens);
  }
  const texts = TAKE_TEXT.test(program) || splitsText(program, words) ? textWords(words) : [];
  const input = runsInput(program, plausible, texts) ? inputInside(command) : NOTHING;
  why ??= input.unseen;
  return { commands, texts: [...texts, ...input.texts], ...(why === undefined ? {} : { unseen: why }) };
}

function splitsText(program: string, words: readonly ShellWord[]): boolean {
  return program === 'env' && words.some((word) => /^(-\w*S|--split)/.test(knownText(word) ?? ''));
}

/** `-c'rm x'` and `--command='rm x'`: the option is no part of the text. */
function textWords(words: readonly ShellWord[]): string[] {
  return words.flatMap((word) => {
    const text = (knownText(word) ?? '').replace(/^(--[\w-]+=|-[A-Za-z]*?[cSx])/, '');
    return /[\s;]/.test(text) ? [text] : [];
  });
}

/** `--exec=rm`, and `-xrm` of fd. */
function joinedProgram(program: string, text: string): string | undefined {
  const long = /^--(?:exec|exec-batch|startas|command|run)=(.+)$/s.exec(text)?.[1];
  return long ?? (/^fd/.test(program) ? /^-[xX](.+)$/s.exec(text)?.[1] : undefined);
}

/** Without a command they run each line of their input; ssh gives it to the shell over there. */
function runsInput(program: string, plausible: number, texts: readonly string[]): boolean {
  if (/^(parallel|sem)$/.test(program)) return plausible === 0 && texts.length === 0;
  return program === 'ssh' && plausible <= 1 && texts.length === 0;
}

/** What a feeder puts its lines in the place of, as one of its options says. */
function tokensOf(text: string, next: ShellWord | undefined): string[] {
  const found = /^(?:-[A-Za-z0-9]*[IiJ]|--r[a-z]*=)(.*)$/s.exec(text)?.[1];
  if (found === undefined) return [];
  return found === '' ? [knownText(next) ?? ''].filter(Boolean) : [found];
}

function takesToken(word: ShellWord | undefined): boolean {
  return /^(-[A-Za-z]|-[A-Za-z0-9]*[IJ]|--r[a-z]*)$/.test(knownText(word) ?? '');
}

/** Whether a program is of note inside of a wrapper however late its name comes. */
function isOfNote(name: string): boolean {
  return (
    isShell(name) ||
    isInterpreter(name) ||
    STARTERS.test(name) ||
    /^(eval|find|git)$/.test(name) ||
    isToldByWord(name) ||
    !/^[\w.+-]+$/.test(name)
  );
}

/** Why a command that is given further words cannot be told; undefined: it can. */
export function fed(inner: ShellCommand, tokens: ReadonlySet<string>): string | undefined {
  const program = programOf(inner);
  if (program === undefined || holds(program, tokens)) return 'starts what comes out of a pipe';
  const rest = inner.words.slice(1);
  if (isShell(program)) {
    const script = scriptOf(rest);
    if (script.kind === 'file') return undefined;
    return script.kind === 'text' && !holds(script.text, tokens)
      ? undefined
      : 'starts a shell with what comes out of a pipe';
  }
  if (program === 'find') return 'gives find what comes out of a pipe';
  if (isInterpreter(program)) return readsInput(rest) ? 'starts what comes out of a pipe' : undefined;
  if (!STARTERS.test(program) && program !== 'git' && !isToldByWord(program)) return undefined;
  const named = rest.some(
    (word) => /^[A-Za-z_./]/.test(knownText(word) ?? '') && !tokens.has(knownText(word) ?? ''),
  );
  return named ? undefined : 'starts what comes out of a pipe';
}

function holds(text: string, tokens: ReadonlySet<string>): boolean {
  return [...tokens].some((token) => text.includes(token)) || /\{[\d./#%:]*\}/.test(text);
}
