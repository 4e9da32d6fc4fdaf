/** `bnerd help [topic…]`. */

import { type Call, wordsOf } from '../call.js';
import { findCommand } from '../find-command.js';
import { commandText, environmentText, exitCodesText, overviewText } from '../help-text.js';
import { refuse } from '../refusal.js';
import { unknownCommand } from '../usage.js';

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const words = wordsOf(call, 'topic');
  const text = helpOn(words);
  if (text === undefined) return refuse(program, [unknownCommand(words.join(' '))]);
  program.output.results.write(text);
  return 0;
}

/** The help on a topic, undefined when there is no such topic. */
function helpOn(words: readonly string[]): string | undefined {
  const topic = words.join(' ');
  if (topic === 'exit-codes') return exitCodesText();
  if (topic === 'environment') return environmentText();
  const found = findCommand(words);
  if (found.kind === 'overview') return overviewText(found.group);
  return found.kind === 'command' && found.rest.length === 0 ? commandText(found.row) : undefined;
}
