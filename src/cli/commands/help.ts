/** `bnerd help [topic…]`. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../catalog/package-root.js';
import { type Call, wordsOf } from '../call.js';
import { findCommand } from '../find-command.js';
import { commandText, environmentText, exitCodesText, overviewText } from '../help-text.js';
import { refuse } from '../refusal.js';
import { pageText } from '../texts/page-text.js';
import { TOPICS, type TopicRow } from '../topics.js';
import { unknownTopic } from '../usage.js';

/** The topics that are made from the table. */
const MADE: Readonly<Record<string, () => string>> = {
  'exit-codes': exitCodesText,
  environment: environmentText,
};

export async function run(call: Call): Promise<number> {
  const { program } = call;
  const words = wordsOf(call, 'topic');
  const name = words.join(' ');
  const topic = TOPICS.find((row) => row.name === name);
  // A word may be a topic and the first word of commands; what is typed then stands last, where it is seen.
  const texts = [...(topic === undefined ? [] : [await topicText(topic)]), ...commandHelp(words)];
  if (texts.length === 0)
    return refuse(program, [
      unknownTopic(
        name,
        TOPICS.map((row) => row.name),
      ),
    ]);
  program.output.results.write(texts.join('\n'));
  return 0;
}

async function topicText({ name, from }: TopicRow): Promise<string> {
  const made = MADE[name];
  if (from === 'table' && made !== undefined) return made();
  return pageText(await readFile(join(PACKAGE_ROOT, 'docs', `${name}.md`), 'utf8'));
}

/** The help on commands of these words: one text, or none. */
function commandHelp(words: readonly string[]): string[] {
  const found = findCommand(words);
  if (found.kind === 'overview') return [overviewText(found.group)];
  return found.kind === 'command' && found.rest.length === 0 ? [commandText(found.row)] : [];
}
