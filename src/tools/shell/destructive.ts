/**
 * The destructive list: what ends, deletes or sends away something that no later command brings back. A look at one
 * command and its words; what it runs inside is unfolded before (`inner.ts`).
 */

import { posix } from 'node:path';
import type { ShellCommand, ShellWord } from './line.js';
import { knownText, programOf, withoutOptions, writesNoFile } from './line.js';
import { isLong } from './options.js';

/** Programs, by the last part of their path. */
const PROGRAMS = new RegExp(
  `^(${[
    'rm|rmdir|unlink|shred|srm|rimraf|trash|dd|truncate|mkfs(\\..+)?|mke2fs|mkswap|wipefs|blkdiscard',
    's?fdisk|cfdisk|s?gdisk|parted|lvremove|lvreduce|vgremove|pvremove|dropdb|userdel|groupdel|deluser',
    'kill|pkill|killall|skill|xkill|shutdown|reboot|halt|poweroff|init|telinit',
    'sudo|doas|su|runuser|pkexec|run0|su-exec|gosu',
  ].join('|')})$`,
);

/** Subcommands of programs that do other things as well; on the words after the program, joined by blanks. */
const SUBCOMMANDS: ReadonlyMap<string, RegExp> = new Map([
  ['npm', /^(unp\w*|pub\w*|deprecate|dist-tags?)\b/],
  ['pnpm', /^(un)?publish\b/],
  ['yarn', /^(npm )?publish\b/],
  ['cargo', /^(publish|yank)\b/],
  ['poetry', /^publish\b/],
  ['uv', /^publish\b/],
  ['hatch', /^publish\b/],
  ['twine', /^upload\b/],
  ['gem', /^(push|yank)\b/],
  ['gh', /^\S+( -\S+( \S+)?)*? (delete|close|merge|archive)\b|^api\b.*\bdelete\b/i],
  ['glab', /^\S+( -\S+( \S+)?)*? (delete|close|merge)\b/],
  ['aws', /(^| )(rm|rb|delete-\S+|terminate-\S+)\b/],
  ['gcloud', /(^| )delete\b/],
  ['az', /(^| )(delete|purge)\b/],
  ['gsutil', /(^| )(rm|rb)\b/],
  ['rclone', /^(delete|deletefile|purge|sync|rmdirs?|move|moveto|cleanup)\b/],
  ['vagrant', /^destroy\b/],
  ['pulumi', /^destroy\b/],
  ['cdk', /^destroy\b/],
  ['virsh', /^(destroy|undefine)\b/],
  ['redis-cli', /(^| )flush(all|db)\b/i],
  ['mysqladmin', /(^| )drop\b/],
  ['systemctl', /(^| )(stop|disable|mask|kill|poweroff|reboot|halt)\b/],
  ['service', /^\S+ stop\b/],
  ['launchctl', /^(unload|bootout|kill|remove|stop)\b/],
  ['docker', /^(rm|rmi|kill|stop|push)\b|^\S+ (rm|prune|kill|stop)\b|^compose\b.* (rm|down|kill|stop)\b/],
  ['podman', /^(rm|rmi|kill|stop|push)\b|^\S+ (rm|prune|kill|stop)\b|^compose\b.* (rm|down|kill|stop)\b/],
  ['docker-compose', /(^| )(rm|down|kill|stop)\b/],
  ['kubectl', /(^| )(delete|drain)\b/],
  ['helm', /^(uninstall|delete)\b/],
  ['terraform', /(^| )(destroy|apply)\b/],
  ['tofu', /(^| )(destroy|apply)\b/],
  ['zfs', /^(destroy|rollback)\b/],
  ['zpool', /^destroy\b/],
  ['btrfs', /^\S+ delete\b/],
  ['cryptsetup', /^(luks(format|erase|killslot|removekey)|erase)\b/i],
  ['tmux', /^kill-/],
  ['fuser', /(^| )-\w*k/],
  ['rsync', /(^| )--(del|remove-source-files)/],
  ['zip', /(^| )(-[A-Za-z]*m|--move)\b/],
]);

/** Whether it is a word that tells what a program does, which others may give it. */
export function isToldByWord(program: string): boolean {
  return SUBCOMMANDS.has(program);
}

/** A disk, seen from the shell. */
const DISK = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|rdisk|loop)/;

function isDisk(word: ShellWord): boolean {
  return DISK.test(posix.normalize(knownText(word) ?? ''));
}

/** Why a command is destructive, in words that follow "the line"; undefined when it is not on the list. */
export function destructiveReason(command: ShellCommand): string | undefined {
  for (const redirection of command.redirections) {
    if (writesNoFile(redirection) || redirection.kind !== 'file') continue;
    if (isDisk(redirection.target)) return 'writes to a disk device';
  }
  const name = programOf(command);
  if (name === undefined) return undefined;
  const rest = command.words.slice(1);
  if (PROGRAMS.test(name)) return `runs ${name}`;
  const has = (form: RegExp): boolean => rest.some((word) => form.test(knownText(word) ?? ''));
  if (name === 'git') return gitReason(rest);
  if (name === 'crontab' && !(rest.length === 1 && has(/^-l$/))) return 'runs crontab';
  if (name === 'find' && has(/^-delete$/)) return 'runs find -delete';
  if (/^(chmod|chown|chgrp|chattr|setfacl)$/.test(name) && rest.some(isRecursive))
    return `runs ${name} on a whole tree`;
  if (/^(bsd|g)?tar$/.test(name) && rest.some((word) => isLong(knownText(word) ?? '', 'rem|ove-files')))
    return `runs ${name} --remove-files`;
  const form = SUBCOMMANDS.get(name);
  if (form !== undefined) {
    for (const behind of withoutOptions(rest)) {
      const told = form.exec(behind.map((word) => knownText(word) ?? '?').join(' '));
      if (told !== null) return `runs ${name} ${told[0].trim()}`.trimEnd();
    }
  }
  return /^(cp|mv|tee|install|ln)$/.test(name) && rest.some(isDisk) ? 'writes to a disk device' : undefined;
}

function isRecursive(word: ShellWord): boolean {
  const text = knownText(word) ?? '';
  return /^-[A-Za-z]*R/.test(text) || isLong(text, 'rec|ursive');
}

function gitReason(words: readonly ShellWord[]): string | undefined {
  let at = 0;
  while ((knownText(words[at]) ?? '').startsWith('-')) {
    at += /^(-[Cc]|--(git-dir|work-tree|namespace))$/.test(knownText(words[at]) ?? '') ? 2 : 1;
  }
  const name = knownText(words[at])?.toLowerCase() ?? '';
  const rest = words.slice(at + 1).map((word) => knownText(word) ?? '');
  return isDestructiveGit(name, rest) ? `runs git ${name}` : undefined;
}

const GIT_COMMANDS =
  /^(push|send-pack|http-push|imap-send|send-email|clean|rm|filter-branch|filter-repo|prune|update-ref)$/;

function isDestructiveGit(name: string, rest: readonly string[]): boolean {
  const has = (form: RegExp): boolean => rest.some((word) => form.test(word));
  const long = (...names: readonly string[]): boolean => rest.some((word) => isLong(word, ...names));
  if (GIT_COMMANDS.test(name)) return true;
  switch (name) {
    case 'gc':
      return long('p|rune');
    case 'repack':
      return has(/^-[A-Za-z]*d/);
    case 'reset':
      return long('h|ard', 'm|erge', 'k|eep');
    case 'checkout':
      return has(/^(-[a-z]*f|-[A-Za-z]*B|--)$/) || long('f|orce') || checksOutFiles(rest);
    case 'checkout-index':
      return has(/^-[a-z]*f/) || long('f|orce');
    case 'read-tree':
      return has(/^-[a-z]*u/) || long('res|et');
    case 'switch':
      return has(/^-[a-z]*[fC]/) || long('force|', 'force-c|reate', 'di|scard-changes');
    case 'restore':
      return !(has(/^-[A-Za-z]*S/) || long('sta|ged')) || has(/^-[A-Za-z]*W/) || long('w|orktree');
    case 'branch':
      return has(/^-[A-Za-z]*[dDMCf]/) || long('d|elete', 'forc|e');
    case 'tag':
      return has(/^-[a-z]*[df]/) || long('d|elete', 'forc|e');
    case 'fetch':
    case 'pull':
      return has(/^-[a-z]*p/) || long('pru|ne');
    case 'remote':
      return has(/^(remove|rm|prune|-p)$/) || long('pru|ne');
    case 'lfs':
    case 'subtree':
      return has(/^push$/);
    case 'svn':
    case 'p4':
      return has(/^(dcommit|submit)$/);
    case 'stash':
      return has(/^(drop|clear)$/);
    case 'notes':
    case 'worktree':
      return has(/^(remove|prune)$/);
    case 'submodule':
      return has(/^deinit$/);
    case 'symbolic-ref':
    case 'replace':
      return has(/^-[a-z]*d/) || long('d|elete');
    case 'reflog':
      return has(/^(expire|delete)$/);
    default:
      return false;
  }
}

/** `git checkout HEAD a.ts` and `git checkout src/a.ts` throw changes away; a branch has one name, and no such end. */
function checksOutFiles(rest: readonly string[]): boolean {
  if (rest.some((word) => /^-[A-Za-z]*b$/.test(word) || isLong(word, 'o|rphan', 't|rack'))) return false;
  const plain = rest.filter((word) => !word.startsWith('-'));
  return plain.length > 1 || plain.some((word) => /^\.{1,2}(\/|$)|\/$|\.[A-Za-z]\w{0,9}$|^:/.test(word));
}
