/**
 * The words behind a command → its arguments and flags, by a parser that is built from the command's row. Values
 * are not looked at here: what a flag may say is the configuration's business.
 */

import { Command, CommanderError, Option } from 'commander';
import type { CommandRow, FlagRow } from './command-row.js';

export type Parsed =
  | { readonly kind: 'parsed'; readonly words: ParsedWords }
  | { readonly kind: 'refused'; readonly problem: WordProblem };

/** What is wrong with the words; `usage.ts` makes the finding of it, with the file that knows what was meant. */
export type WordProblem =
  | { readonly kind: 'unknown-flag'; readonly flag: string }
  /** In words, on one line. */
  | { readonly kind: 'wrong-use'; readonly message: string };

export interface ParsedWords {
  /** By the argument's name; empty for an optional one that is not there. */
  readonly arguments: ReadonlyMap<string, readonly string[]>;
  /** By the flag's name, in the order given; a flag that takes no value has the text `yes`. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

/** Total: every list of words gives a reading or a problem. */
export function parseWords(row: CommandRow, rest: readonly string[]): Parsed {
  const flags = new Map<string, string[]>();
  const command = build(row, flags);
  try {
    command.parse(withBareValues(row, withoutSign(row, rest)), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return { kind: 'refused', problem: problemOf(row, error) };
    throw error;
  }
  const twice = row.flags.find(
    (flag) => flag.repeats !== true && new Set(flags.get(flag.name) ?? []).size > 1,
  );
  if (twice !== undefined) {
    const values = (flags.get(twice.name) ?? []).map((value) => JSON.stringify(value)).join(' and ');
    const message = `--${twice.name} is given twice: ${values}; allowed: once`;
    return { kind: 'refused', problem: { kind: 'wrong-use', message } };
  }
  return { kind: 'parsed', words: { arguments: argumentsOf(row, command.args), flags } };
}

function build(row: CommandRow, flags: Map<string, string[]>): Command {
  const command = new Command(row.name)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .helpOption(false)
    .showSuggestionAfterError(false)
    .allowExcessArguments(false)
    .action(() => {}); // without one the parser would print help
  if (row.freeText === true) command.passThroughOptions();
  for (const { name, count } of row.arguments) {
    const shown = count === 'any' || count === 'some' ? `${name}...` : name;
    command.argument(count === 'one' || count === 'some' ? `<${shown}>` : `[${shown}]`);
  }
  for (const flag of row.flags) {
    const option = new Option(flag.value === null ? `--${flag.name}` : `--${flag.name} <value>`);
    command.addOption(option);
    command.on(`option:${flag.name}`, (value: string | null | undefined) => {
      flags.set(flag.name, [...(flags.get(flag.name) ?? []), value ?? 'yes']);
    });
  }
  return command;
}

/** Before free text a `--` is the sign that text begins, and no part of it. */
function withoutSign(row: CommandRow, rest: readonly string[]): readonly string[] {
  const sign = row.freeText === true ? rest.indexOf('--') : -1;
  return sign === -1 || sign >= row.arguments.length ? rest : rest.filter((_, place) => place !== sign);
}

/** `--json-events` alone means one of its values; the next word is never taken for it. */
function withBareValues(row: CommandRow, rest: readonly string[]): string[] {
  const end = rest.indexOf('--');
  return rest.map((word, place) => {
    if (end !== -1 && place > end) return word;
    const flag = row.flags.find(({ name, bare }) => bare !== undefined && word === `--${name}`);
    return flag === undefined ? word : `${word}=${flag.bare}`;
  });
}

function argumentsOf(row: CommandRow, words: readonly string[]): Map<string, readonly string[]> {
  return new Map(
    row.arguments.map(({ name, count }, place) => [
      name,
      count === 'any' || count === 'some' ? words.slice(place) : words.slice(place, place + 1),
    ]),
  );
}

function problemOf(row: CommandRow, error: CommanderError): WordProblem {
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const wrongUse = (message: string): WordProblem => ({ kind: 'wrong-use', message });
  switch (error.code) {
    case 'commander.unknownOption':
      return { kind: 'unknown-flag', flag: quoted };
    case 'commander.missingArgument':
      return wrongUse(`the argument <${quoted}> is missing: ${argumentHelp(row, quoted)}`);
    case 'commander.optionMissingArgument':
      return wrongUse(`${flagText(row, quoted)} needs a value`);
    case 'commander.excessArguments':
      return wrongUse(tooMany(row));
    default:
      return wrongUse(error.message.replace(/^error: /, ''));
  }
}

function argumentHelp(row: CommandRow, name: string): string {
  return row.arguments.find((argument) => argument.name === name)?.help ?? 'see the help';
}

function flagText(row: CommandRow, shown: string): string {
  const name = /^--([a-z-]+)/.exec(shown)?.[1] ?? shown;
  const flag: FlagRow | undefined = row.flags.find((candidate) => candidate.name === name);
  return flag === undefined ? shown : `--${flag.name} ${flag.value ?? ''}`.trim();
}

function tooMany({ arguments: taken }: CommandRow): string {
  if (taken.length === 0) return 'too many words: none is taken beside the flags';
  const names = taken.map(({ name, count }) => (count === 'one' ? `<${name}>` : `[${name}]`)).join(' ');
  return `too many words: at most ${taken.length} ${taken.length === 1 ? 'is' : 'are'} taken, ${names}`;
}
