/**
 * The destructive list: what ends, deletes or sends away something that no later command brings back. A short
 * look for programs in the places where a line starts one, not a parser: a line that hides its program is still
 * class Write, which asks too.
 */

/** Programs, by the last part of their path. */
const PROGRAMS =
  /^(rm|rmdir|unlink|shred|srm|dd|mkfs(\..+)?|mke2fs|wipefs|fdisk|parted|kill|pkill|killall|shutdown|reboot|halt|poweroff|sudo|doas|su)$/;

/** Programs that start the one that a later word of theirs names. */
const STARTERS =
  /^(env|nohup|nice|ionice|time|timeout|exec|command|builtin|xargs|parallel|setsid|stdbuf|watch|find|fd|busybox)$/;

/** Programs that take a line of shell as a word. */
const SHELLS = /^(sh|bash|dash|zsh|ksh|ash|eval)$/;

/** Words of the shell that stand before a command. */
const KEYWORDS = /^(if|then|elif|else|while|until|do|!|\{|time)$/;

/** Writing straight to a disk. */
const DISK = />\s*\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md)/;

/** Words inside words inside words: deeper is not looked at. */
const MAX_DEPTH = 4;

/** Why a line is destructive, in words; undefined when it is not on the list. */
export function destructiveReason(command: string): string | undefined {
  if (DISK.test(command)) return 'writes to a disk device';
  return lineReason(command, 0);
}

function lineReason(line: string, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { commands, balanced } = simpleCommands(line, true);
  // A quote that never closes (an apostrophe in a here-document) hides what follows: then look without quotes.
  const all = balanced ? commands : [...commands, ...simpleCommands(line, false).commands];
  for (const words of all) {
    const reason = commandReason(words, depth);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function commandReason(words: readonly string[], depth: number): string | undefined {
  const start = words.findIndex((word) => !KEYWORDS.test(word) && !/^[A-Za-z_]\w*=/.test(word));
  if (start === -1) return undefined;
  const name = programName(words[start] ?? '');
  const rest = words.slice(start + 1);
  if (PROGRAMS.test(name)) return `runs ${name}`;
  if (name === 'git') return gitReason(rest);
  if (name === 'find' && rest.includes('-delete')) return 'runs find -delete';
  if (SHELLS.test(name)) return firstReason([...rest, rest.join(' ')], (word) => lineReason(word, depth + 1));
  if (!STARTERS.test(name)) return undefined;
  return firstReason([...rest.keys()], (at) => {
    const inner = programName(rest[at] ?? '');
    if (PROGRAMS.test(inner)) return `runs ${inner}`;
    return SHELLS.test(inner) || inner === 'git' ? commandReason(rest.slice(at), depth + 1) : undefined;
  });
}

function gitReason(words: readonly string[]): string | undefined {
  let at = 0;
  while ((words[at] ?? '').startsWith('-')) at += /^-[Cc]$/.test(words[at] ?? '') ? 2 : 1;
  const [name, ...rest] = words.slice(at);
  const has = (form: RegExp): boolean => rest.some((word) => form.test(word));
  const destructive =
    name === 'push' ||
    name === 'clean' ||
    name === 'rm' ||
    name === 'filter-branch' ||
    (name === 'reset' && has(/^--hard$/)) ||
    (name === 'checkout' && has(/^(-f|--force|--|\.)$/)) ||
    (name === 'restore' && !has(/^--staged$/)) ||
    (name === 'branch' && has(/^(-D|--delete|-d)$/)) ||
    (name === 'tag' && has(/^(-d|--delete)$/)) ||
    (name === 'stash' && has(/^(drop|clear)$/)) ||
    (name === 'worktree' && has(/^(remove|prune)$/)) ||
    (name === 'update-ref' && has(/^-d$/)) ||
    (name === 'reflog' && has(/^(expire|delete)$/));
  return destructive ? `runs git ${name}` : undefined;
}

function firstReason<T>(items: readonly T[], reason: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = reason(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `/bin/rm`, `\rm` and `rm` are one program. */
function programName(word: string): string {
  return word.replace(/^.*\//, '');
}

/** Splits a line where a shell would begin another command. Quotes are taken off, what they hold is kept. */
function simpleCommands(line: string, quotes: boolean): { commands: readonly string[][]; balanced: boolean } {
  const commands: string[][] = [];
  let words: string[] = [];
  let word = '';
  let quote = '';
  const endWord = (): void => {
    if (word !== '') words.push(word);
    word = '';
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    const substitution = quote !== "'" && (character === '`' || line.startsWith('$(', at));
    if (substitution) {
      endCommand();
      quote = ''; // inside double quotes a shell runs it all the same; the quotes then count as not balanced
    } else if (quote !== '' && character === quote) quote = '';
    else if (quote !== '') word += character;
    else if (character === '\\') word += line.charAt(++at);
    else if (character === "'" || character === '"') quote = quotes ? character : '';
    else if (/[;&|()\n\r]/.test(character)) endCommand();
    else if (/\s/.test(character)) endWord();
    else word += character;
  }
  endCommand();
  return { commands, balanced: quote === '' };
}
