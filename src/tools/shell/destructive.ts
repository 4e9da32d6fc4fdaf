/**
 * The destructive list: what ends, deletes or sends away something that no later command brings back. A look at one
 * command and its words; what it runs inside is unfolded before (`inner.ts`).
 */

import type { ShellCommand, ShellWord } from './line.js';
import { knownText, programOf, writesNoFile } from './line.js';

/** Programs, by the last part of their path. */
const PROGRAMS =
  /^(rm|rmdir|unlink|shred|srm|rimraf|trash|dd|truncate|mkfs(\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|parted|kill|pkill|killall|skill|shutdown|reboot|halt|poweroff|init|telinit|sudo|doas|su|runuser|dropdb)$/;

/** Subcommands of programs that do other things as well; on the words after the program, joined by blanks. */
const SUBCOMMANDS: ReadonlyMap<string, RegExp> = new Map([
  ['npm', /^(un)?publish\b|^deprecate\b|^dist-tag\b/],
  ['pnpm', /^publish\b/],
  ['yarn', /^(npm )?publish\b/],
  ['cargo', /^(publish|yank)\b/],
  ['gh', /^\S+ (delete|close|merge)\b/],
  ['systemctl', /(^| )(stop|disable|mask|kill|poweroff|reboot|halt)\b/],
  ['docker', /^(rm|rmi|kill|stop)\b|^\S+ (rm|prune|kill|stop)\b/],
  ['podman', /^(rm|rmi|kill|stop)\b|^\S+ (rm|prune|kill|stop)\b/],
  ['kubectl', /(^| )(delete|drain)\b/],
  ['helm', /^(uninstall|delete)\b/],
  ['terraform', /(^| )(destroy|apply)\b/],
  ['crontab', /^(?!-l$)/],
  ['rsync', /(^| )--(delete|remove-source-files)/],
]);

/** A disk, seen from the shell. */
const DISK = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|rdisk|loop)/;

/** Why a command is destructive, in words that follow "the line"; undefined when it is not on the list. */
export function destructiveReason(command: ShellCommand): string | undefined {
  for (const redirection of command.redirections) {
    if (writesNoFile(redirection) || redirection.kind !== 'file') continue;
    if (DISK.test(knownText(redirection.target) ?? '')) return 'writes to a disk device';
  }
  const name = programOf(command);
  if (name === undefined) return undefined;
  const rest = command.words.slice(1);
  if (PROGRAMS.test(name)) return `runs ${name}`;
  const has = (form: RegExp): boolean => rest.some((word) => form.test(knownText(word) ?? ''));
  if (name === 'git') return gitReason(rest);
  if (name === 'find' && has(/^-delete$/)) return 'runs find -delete';
  if (/^(chmod|chown|chgrp)$/.test(name) && has(/^(-[A-Za-z]*R|--recursive$)/))
    return `runs ${name} on a whole tree`;
  const form = SUBCOMMANDS.get(name);
  if (form !== undefined) {
    const words = rest.map((word) => knownText(word) ?? '?').join(' ');
    const told = form.exec(words);
    if (told !== null) return `runs ${name} ${told[0].trim()}`.trimEnd();
  }
  return /^(cp|mv|tee|install|cat|ln)$/.test(name) && name !== 'cat' && has(DISK)
    ? 'writes to a disk device'
    : undefined;
}

function gitReason(words: readonly ShellWord[]): string | undefined {
  let at = 0;
  while ((knownText(words[at]) ?? '').startsWith('-')) {
    at += /^(-[Cc]|--(git-dir|work-tree|namespace))$/.test(knownText(words[at]) ?? '') ? 2 : 1;
  }
  const name = knownText(words[at]);
  const rest = words.slice(at + 1).map((word) => knownText(word) ?? '');
  const has = (form: RegExp): boolean => rest.some((word) => form.test(word));
  const destructive =
    name === 'push' ||
    name === 'send-pack' ||
    name === 'send-email' ||
    name === 'clean' ||
    name === 'rm' ||
    name === 'filter-branch' ||
    name === 'filter-repo' ||
    name === 'prune' ||
    (name === 'gc' && has(/^--prune/)) ||
    (name === 'reset' && has(/^--(hard|merge|keep)$/)) ||
    (name === 'checkout' && has(/^(-f|--force|--|\.)$/)) ||
    (name === 'switch' && has(/^(-f|--force|--discard-changes)$/)) ||
    (name === 'restore' && (!has(/^(-S|--staged)$/) || has(/^(-W|--worktree)$/))) ||
    (name === 'branch' && has(/^(-[A-Za-z]*[dDM]|--delete)$/)) ||
    (name === 'tag' && has(/^(-d|--delete)$/)) ||
    (name === 'remote' && has(/^(remove|rm|prune)$/)) ||
    (name === 'stash' && has(/^(drop|clear)$/)) ||
    (name === 'worktree' && has(/^(remove|prune)$/)) ||
    (name === 'update-ref' && has(/^(-d|--stdin)$/)) ||
    (name === 'reflog' && has(/^(expire|delete)$/));
  return destructive ? `runs git ${name}` : undefined;
}
