/**
 * The class of a shell line, by its text alone (spec/team.md §2; the full parser comes later, and until then
 * class Read is narrow on purpose).
 *
 *  read         a plain command on the read list; the caller still has to check its paths
 *  git          a plain git command that only reads; it is answered by the git tools
 *  destructive  something on the destructive list
 *  write        everything else
 *  refused      no command at all
 */

import type { GitRequest } from './git-request.js';
import { destructiveReason } from './shell-destructive.js';
import type { IsPath } from './shell-git.js';
import { gitRequest } from './shell-git.js';
import { readPaths } from './shell-read-list.js';
import { plainWords } from './shell-words.js';

export type ShellClass =
  | { readonly kind: 'read'; readonly words: readonly string[]; readonly paths: readonly string[] }
  | { readonly kind: 'git'; readonly request: GitRequest }
  | { readonly kind: 'destructive'; readonly reason: string }
  | { readonly kind: 'write' }
  | { readonly kind: 'refused'; readonly text: string };

/** Far below what a system takes for one argument (128 KiB on Linux). */
export const LONGEST_COMMAND = 32 * 1024;

/** Classes a line. `isPath` tells paths from revisions in git commands without `--`. */
export function shellClass(command: string, isPath: IsPath): ShellClass {
  if (command.includes('\0')) return { kind: 'refused', text: 'the command holds a NUL character' };
  if (command.trim() === '') return { kind: 'refused', text: 'the command is empty' };
  if (command.length > LONGEST_COMMAND) {
    return {
      kind: 'refused',
      text: `the command is longer than ${LONGEST_COMMAND} characters; write a file`,
    };
  }
  const words = plainWords(command);
  if (words?.[0] === 'git') {
    const request = gitRequest(words.slice(1), isPath);
    if (request !== undefined) return { kind: 'git', request };
  } else if (words !== undefined) {
    const paths = readPaths(words);
    if (paths !== undefined) return { kind: 'read', words, paths };
  }
  const reason = destructiveReason(command);
  return reason === undefined ? { kind: 'write' } : { kind: 'destructive', reason };
}
