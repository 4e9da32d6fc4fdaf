/** A member's memory for people: a heading an entry, its text behind a left mark. Pure; controls stripped. */

import type { TranscriptEntry } from '../../events/transcript-entry.js';
import { oneLine, stripControls } from '../../shared/terminal-text.js';

/** Oldest first. */
export function transcriptText(entries: readonly TranscriptEntry[]): string {
  return entries.map((entry) => `${linesOf(entry).join('\n')}\n`).join('');
}

function linesOf(entry: TranscriptEntry): string[] {
  switch (entry.kind) {
    case 'opened':
      return [`${entry.id} turn of ${entry.member}`];
    case 'input':
      return [`${entry.id} input ${entry.messages.join(', ')}`, ...marked(entry.text)];
    case 'reply':
      return [
        `${entry.id} reply of ${oneLine(entry.model)} (${entry.input_tokens} + ${entry.output_tokens} tokens, ${oneLine(entry.stop)})`,
        ...marked(entry.text),
        ...entry.calls.flatMap(({ place, tool, arguments: args }) => [
          `  call ${place} ${oneLine(tool)}`,
          ...marked(JSON.stringify(args, null, 2) ?? ''),
        ]),
      ];
    case 'result':
      return [`${entry.id} result of ${entry.place} (${entry.outcome})`, ...marked(entry.text)];
    case 'compacted': {
      const by = entry.model === null ? 'without a model' : `by ${oneLine(entry.model)}`;
      return [
        `${entry.id} compacted ${by} up to ${entry.upto}, ${entry.kept} messages kept (${entry.trust})`,
        ...marked(entry.text),
      ];
    }
  }
}

/** A text behind a left mark: no line of it is taken for one of ours. */
export function marked(text: string): string[] {
  return text === ''
    ? []
    : stripControls(text)
        .split('\n')
        .map((line) => `  │ ${line}`);
}
