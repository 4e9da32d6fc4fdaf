/**
 * From a command line to an exit code: find the command, read its words, run it. Loads only what that takes: no
 * parser for a command without words, no help text unless it is asked for. This is the map of the folder.
 *
 *   table, topics, rows/, find-command, parse, usage, help-text     what can be typed, and what it meant
 *   commands, commands/       one file a command: flags → call → print
 *   call, build-house, look-around, model-settings, skill-settings     what a command is given
 *   live/        a team that runs before somebody's eyes: progress, questions, events, the last lines, the watch of it
 *   chat/        the conversation of `bnerd chat`: lines, notes, confirmations
 *   trust/       the forms of `bnerd trust`
 *   texts/       what people read of recipes, teams, prompts and findings; pure
 *   findings/    reports of the lints, for people and for programs
 *   output, refusal, system-finding, operated, terminal-input, confirm    the streams, what is said and asked on them
 *   interruptible, tool-process                           a command that is called off; one that a tool may not run
 */

import { resolveOutputConfig } from '../config/output-config.js';
import type { Program } from './call.js';
import type { CommandRow } from './command-row.js';
import { loadCommand } from './commands.js';
import { asksForHelp, findCommand } from './find-command.js';
import type { ParsedWords } from './parse.js';
import { REFUSED, refuse } from './refusal.js';
import { systemFinding } from './system-finding.js';

/** Runs the program. Rejects only for what nobody asked for. */
export async function main(argv: readonly string[], program: Program): Promise<number> {
  const found = findCommand(argv);
  switch (found.kind) {
    case 'command':
      return runCommand(found.row, found.rest, program);
    case 'overview': {
      const { overviewText } = await import('./help-text.js');
      const { results, notes } = program.output;
      (found.asked ? results : notes).write(overviewText(found.group));
      return found.asked ? 0 : REFUSED;
    }
    case 'unknown-flag': {
      const { unknownFlag } = await import('./usage.js');
      return refuse(program, [unknownFlag(found.flag, null)]);
    }
    case 'unknown-command': {
      const { unknownCommand } = await import('./usage.js');
      return refuse(program, [unknownCommand(found.typed, found.next)]);
    }
  }
}

/** The exit code of what was begun and could not be done. */
const FAILED = 1;

/** Why nothing more can be written that is no loss to anybody. */
const READER_LEFT: readonly string[] = ['EPIPE', 'ECONNRESET', 'closed', 'abandoned'];

const NO_WORDS: ParsedWords = { arguments: new Map(), flags: new Map() };

async function runCommand(row: CommandRow, rest: readonly string[], program: Program): Promise<number> {
  if (asksForHelp(row, rest)) {
    const { commandText } = await import('./help-text.js');
    program.output.results.write(commandText(row));
    return 0;
  }
  let words = NO_WORDS;
  if (rest.length > 0 || row.arguments.some(({ count }) => count === 'one' || count === 'some')) {
    const { parseWords } = await import('./parse.js');
    const parsed = parseWords(row, rest);
    if (parsed.kind === 'refused') {
      const { wordFinding } = await import('./usage.js');
      return refuse(program, [wordFinding(row, parsed.problem)], formOf(row, rest, program));
    }
    words = parsed.words;
  }
  const command = await loadCommand(row.name);
  const { environment } = program;
  try {
    const layers = { flags: words.flags, environment };
    const exit = await command.run({ program, arguments: words.arguments, layers });
    return row.exits === 'answer' ? await answered(row, exit, program) : exit;
  } catch (error) {
    const finding = systemFinding(error, `bnerd ${row.name}`);
    if (finding === undefined) throw error;
    return refuse(program, [finding], 'text', FAILED);
  }
}

/**
 * The exit code of an answer. What a full disk has swallowed is none; a reader that has gone away wanted no more. A run
 * tells by itself where its result is.
 */
async function answered(row: CommandRow, exit: number, program: Program): Promise<number> {
  const { results } = program.output;
  await results.flushed();
  if (exit !== 0 || results.failure === null || READER_LEFT.includes(results.failure)) return exit;
  const message = `the answer could not be written to stdout (${results.failure})`;
  const remedy = 'make room, or write it elsewhere';
  const finding = {
    code: 'not-written',
    severity: 'error',
    path: `bnerd ${row.name}`,
    message,
    remedy,
  } as const;
  return refuse(program, [finding], 'text', FAILED);
}

/** The form in which words that cannot be read are refused: that which they seem to ask for. */
function formOf(row: CommandRow, rest: readonly string[], { environment }: Program): 'text' | 'events' {
  const flag = row.flags.find(({ bare }) => bare !== undefined);
  if (flag === undefined) return 'text';
  const end = rest.indexOf('--');
  const asked = rest.slice(0, end === -1 ? rest.length : end).flatMap((word) => {
    if (word === `--${flag.name}`) return [flag.bare ?? ''];
    return word.startsWith(`--${flag.name}=`) ? [word.slice(flag.name.length + 3)] : [];
  });
  const flags = asked.length === 0 ? new Map() : new Map([[flag.name, asked]]);
  const config = resolveOutputConfig({ flags, environment });
  return config.kind === 'resolved' && config.value.events !== 'text' ? 'events' : 'text';
}
