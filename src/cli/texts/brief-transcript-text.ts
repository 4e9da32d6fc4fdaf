/** The transcript of a brief for people: what was given, what was written, each behind a left mark. Pure; controls stripped. */

import type { BriefTranscript, ShownPart } from '../../runtime/brief-transcript.js';
import { oneLine } from '../../shared/terminal-text.js';
import { marked } from './transcript-text.js';

/** What was given, then output. */
export function briefTranscriptText({ brief, path, given, output }: BriefTranscript): string {
  return [
    `brief ${brief}, ${oneLine(path)}`,
    `given to the engineer (${sizes(given, 'behind it')})`,
    ...marked(given.text),
    `its output (${sizes(output, 'before it')})`,
    ...marked(output.text),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function sizes({ bytes, left_out }: ShownPart, where: string): string {
  return left_out === 0 ? `${bytes} bytes` : `${bytes} bytes; ${left_out} of them, ${where}, are not shown`;
}
