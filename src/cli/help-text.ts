/** Help texts, all made from the table; pure. */

import type { ArgumentRow, CommandRow, FlagRow } from './command-row.js';
import { COMMANDS, EXIT_CODES, VARIABLES } from './table.js';
import { TOPICS } from './topics.js';

/** Every command and topic with one line; the commands of one group only when `group` is their first word. */
export function overviewText(group: string | null): string {
  const rows = COMMANDS.filter(({ name }) => group === null || name.startsWith(`${group} `));
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2;
  return lines([
    `usage: bnerd ${group ?? '<command>'} …`,
    '',
    ...rows.map((row) => `  ${row.name.padEnd(width)}${row.summary}`),
    '',
    ...(group === null ? [`  ${'--version'.padEnd(width)}print the version`, '', ...topicLines(width)] : []),
    'bnerd help <command>      flags, variables and examples of one command',
    'bnerd help <topic>        a page on one of the topics' +
      (group === null ? '' : '; "bnerd help" lists them'),
  ]);
}

/** What there are pages on, one line each. */
function topicLines(width: number): string[] {
  return ['topics:', '', ...TOPICS.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`), ''];
}

/** All about one command. */
export function commandText(row: CommandRow): string {
  const usage = [
    'bnerd',
    row.name,
    ...row.arguments.map(argumentText),
    ...(row.flags.length > 0 ? ['[flags]'] : []),
  ];
  const names = [...row.arguments.map(({ name }) => name), ...row.flags.map(flagText)];
  const width = Math.max(0, ...names.map((name) => name.length)) + 2;
  const entry = (name: string, help: string): string => `  ${name.padEnd(width)}${help}`;
  return lines([
    `usage: ${usage.join(' ')}`,
    '',
    `${row.summary}${row.json ? ' (JSON on request)' : ''}`,
    ...section(
      'arguments:',
      row.arguments.map(({ name, help }) => entry(name, help)),
    ),
    ...section(
      'flags (a flag beats its variable):',
      row.flags.flatMap((flag) => [entry(flagText(flag), flag.help), ...flagNotes(flag, width)]),
    ),
    ...section(
      'examples:',
      row.examples.flatMap(({ line, says }) => [`  # ${says}`, `  ${line}`]),
    ),
    '',
    EXITS[row.exits],
  ]);
}

const EXITS: Readonly<Record<CommandRow['exits'], string>> = {
  run: 'exit code: as the run ended; 2 when it was refused (bnerd help exit-codes)',
  answer: 'exit code: 0 yes, 1 no, 2 wrong use',
  brief:
    'exit code: 0 the result was taken, 1 it could not be written, 2 wrong use or no brief that may be given here, ' +
    '3 the result lies in the outbox, 4 the offer is at work elsewhere or had its end before; 129, 130, 143 stopped by ' +
    'HUP, INT, TERM with the result in the outbox',
};

/** The numbers a run ends with. */
export function exitCodesText(): string {
  return lines([
    'exit codes of "bnerd team run" and "bnerd team resume"; other commands use the first three',
    '',
    ...EXIT_CODES.map(({ code, name, says }) => `  ${String(code).padStart(3)}  ${name.padEnd(13)}${says}`),
  ]);
}

/** Every variable with the flag that beats it. */
export function environmentText(): string {
  const byVariable = new Map<string, FlagRow>();
  for (const flag of COMMANDS.flatMap(({ flags }) => flags)) {
    if (flag.env !== null) byVariable.set(flag.env, flag);
  }
  const width = Math.max(
    ...[...byVariable.keys(), ...VARIABLES.map(({ name }) => name)].map((name) => name.length),
  );
  return lines([
    'order: flag, variable, ~/.bnerd.yaml, default; an empty variable counts as not set; of a flag that may be',
    'given several times the variable has one value a line; yes and no are also written true, false, 1, 0, on, off',
    '',
    ...[...byVariable].map(([name, flag]) => `  ${name.padEnd(width + 2)}--${flag.name}: ${flag.help}`),
    ...VARIABLES.map(({ name, says }) => `  ${name.padEnd(width + 2)}${says}`),
  ]);
}

function section(title: string, body: readonly string[]): string[] {
  return body.length === 0 ? [] : ['', title, ...body];
}

function argumentText({ name, count }: ArgumentRow): string {
  const shown = count === 'any' || count === 'some' ? `${name}…` : name;
  return count === 'one' || count === 'some' ? `<${shown}>` : `[${shown}]`;
}

function flagText({ name, value, bare }: FlagRow): string {
  if (value === null) return `--${name}`;
  return bare === undefined ? `--${name} ${value}` : `--${name}${value}`;
}

function flagNotes(flag: FlagRow, width: number): string[] {
  const notes = [
    ...(flag.default === null ? [] : [`default: ${flag.default}`]),
    ...(flag.env === null ? [] : [`variable: ${flag.env}`]),
    ...(flag.repeats === true ? ['may be repeated'] : []),
  ];
  return notes.length === 0 ? [] : [`  ${''.padEnd(width)}${notes.join('; ')}`];
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
