/** What is said when a command line cannot be understood: where, what was found, what is allowed. */

import { didYouMean, nameRemedy } from '../shared/did-you-mean.js';
import type { Finding } from '../shared/findings.js';
import { oneLine } from '../shared/terminal-text.js';
import type { CommandRow } from './command-row.js';
import type { WordProblem } from './parse.js';
import { COMMANDS } from './table.js';

/**
 * A word that names no command. A second word alone (`run`) is understood as meant, and so are two with a slip in them.
 * @param next the word behind it
 */
export function unknownCommand(typed: string, next?: string): Finding {
  const names = COMMANDS.map(({ name }) => name);
  const nearest =
    (next === undefined ? undefined : didYouMean(`${typed} ${next}`, names)) ??
    names.find((name) => name.endsWith(` ${typed}`)) ??
    didYouMean(typed, names) ??
    nearestSecondWord(typed, names);
  const remedy =
    nearest === undefined ? '"bnerd --help" lists the commands' : `did you mean "bnerd ${nearest}"?`;
  return usage('unknown-command', 'bnerd', `there is no command "${oneLine(typed, 60)}"`, remedy);
}

/** What `bnerd help` has nothing on. @param topics those that are no commands */
export function unknownTopic(typed: string, topics: readonly string[]): Finding {
  const nearest = didYouMean(typed, topics);
  if (nearest === undefined) return unknownCommand(typed);
  const remedy = `did you mean "bnerd help ${nearest}"?`;
  return usage('unknown-command', 'bnerd', `there is no help on "${oneLine(typed, 60)}"`, remedy);
}

/** A flag that a command does not have; null: it stands before any command. */
export function unknownFlag(typed: string, row: CommandRow | null): Finding {
  const flag = oneLine(typed.split('=')[0] ?? typed, 60);
  const names =
    row === null ? ['--help', '--version'] : ['--help', ...row.flags.map(({ name }) => `--${name}`)];
  const where = row === null ? 'bnerd' : `bnerd ${row.name}`;
  const text = row?.arguments.some(({ count }) => count === 'any' || count === 'some') === true;
  const remedy = `${nameRemedy(flag, names)}${text ? '; put "--" before a text that begins with "-"' : ''}`;
  return usage('unknown-flag', flag, `"${where}" has no flag ${flag}`, remedy);
}

/** The finding about words that a command cannot read. */
export function wordFinding(row: CommandRow, problem: WordProblem): Finding {
  if (problem.kind === 'unknown-flag') return unknownFlag(problem.flag, row);
  const remedy = `"bnerd ${row.name} --help" shows how it is used`;
  return usage('wrong-use', `bnerd ${row.name}`, oneLine(problem.message, 300), remedy);
}

/** A flag that a command cannot do without. */
export function missingFlag(name: string, command: string): Finding {
  const remedy = `"bnerd ${command} --help" shows how it is used`;
  return usage('missing-flag', `--${name}`, `it is not given, and "bnerd ${command}" needs it`, remedy);
}

/** Two that exclude each other. @param one the flag that the finding is on */
export function oneOfTwo(one: string, other: string): Finding {
  const message = `${one} and ${other} are given; allowed: one of them`;
  return usage('wrong-use', one, message, 'leave one of the two out');
}

function nearestSecondWord(typed: string, names: readonly string[]): string | undefined {
  const seconds = new Map(names.map((name) => [name.split(' ').at(-1) ?? name, name]));
  const nearest = didYouMean(typed.split(' ').at(-1) ?? typed, [...seconds.keys()]);
  return nearest === undefined ? undefined : seconds.get(nearest);
}

function usage(code: string, path: string, message: string, remedy: string): Finding {
  return { code, severity: 'error', path, message, remedy };
}
