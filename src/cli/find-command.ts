/** Which command a command line begins with. */

import type { CommandRow } from './command-row.js';
import { COMMANDS } from './table.js';

export type FoundCommand =
  | { readonly kind: 'command'; readonly row: CommandRow; readonly rest: readonly string[] }
  /** Nothing, or the name of a group and no more. `asked`: by `--help`, so it is no mistake. */
  | { readonly kind: 'overview'; readonly group: string | null; readonly asked: boolean }
  | { readonly kind: 'unknown-flag'; readonly flag: string }
  /** `typed` is as much as was meant to name a command; `next`: the word behind it, which may have been as well. */
  | { readonly kind: 'unknown-command'; readonly typed: string; readonly next?: string };

const HELP_FLAGS: readonly string[] = ['--help', '-h'];

/** Total: every command line is one of these. */
export function findCommand(argv: readonly string[]): FoundCommand {
  for (const length of [2, 1]) {
    const row = COMMANDS.find(({ name }) => name === argv.slice(0, length).join(' '));
    if (row !== undefined) return { kind: 'command', row, rest: argv.slice(length) };
  }
  const [first, second] = argv;
  if (first === undefined) return { kind: 'overview', group: null, asked: false };
  if (HELP_FLAGS.includes(first)) return { kind: 'overview', group: null, asked: true };
  if (first.startsWith('-')) return { kind: 'unknown-flag', flag: first };
  if (COMMANDS.some(({ name }) => name.startsWith(`${first} `))) {
    if (second === undefined) return { kind: 'overview', group: first, asked: false };
    if (HELP_FLAGS.includes(second)) return { kind: 'overview', group: first, asked: true };
    if (second.startsWith('-')) return { kind: 'unknown-flag', flag: second };
    return { kind: 'unknown-command', typed: `${first} ${second}` };
  }
  const next = second === undefined || second.startsWith('-') ? {} : { next: second };
  return { kind: 'unknown-command', typed: first, ...next };
}

/** Whether a command's own help is asked for. */
export function asksForHelp(row: CommandRow, rest: readonly string[]): boolean {
  // In free text the word may be part of the message.
  if (row.freeText === true) return rest[0] !== undefined && HELP_FLAGS.includes(rest[0]);
  const end = rest.indexOf('--');
  return rest.slice(0, end === -1 ? rest.length : end).some((word) => HELP_FLAGS.includes(word));
}
