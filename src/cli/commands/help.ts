/** `bnerd help [topic…]`. */

import { type Call, wordsOf } from '../call.js';
import { findCommand } from '../find-command.js';
import { commandText, environmentText, exitCodesText, overviewText } from '../help-text.js';
import { refuse } from '../refusal.js';
import { unknownTopic } from '../usage.js';

/** What there is help on beside the commands. */
const TOPICS: Readonly<Record<string, () => string>> = {
  'exit-codes': exitCodesText,
  environment: environmentText,
};

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const words = wordsOf(call, 'topic');
  const text = helpOn(words);
  if (text === undefined) return refuse(program, [unknownTopic(words.join(' '), Object.keys(TOPICS))]);
  program.output.results.write(text);
  return 0;
}

/** The help on a topic, undefined when there is no such topic. */
function helpOn(words: readonly string[]): string | undefined {
  const topic = words.join(' ');
  const text = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  if (text !== undefined) return text();
  const found = findCommand(words);
  if (found.kind === 'overview') return overviewText(found.group);
  return found.kind === 'command' && found.rest.length === 0 ? commandText(found.row) : undefined;
}
