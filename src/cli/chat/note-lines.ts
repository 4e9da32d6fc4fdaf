/** What is told on stderr while a chat goes on, a line each. Pure. */

import type { ChatNote } from '../../chat/parts.js';
import type { Spent } from '../../chat/spent.js';
import { oneLine } from '../../shared/terminal-text.js';
import { secondsText } from '../../team/waits.js';

const LINE_LENGTH = 300;

/** The line of a note; an answer has none, it goes to stdout. */
export function noteLine(note: Exclude<ChatNote, { kind: 'answer' }>): string {
  return `  ${oneLine(noteText(note), LINE_LENGTH)}`;
}

function noteText(note: Exclude<ChatNote, { kind: 'answer' }>): string {
  switch (note.kind) {
    case 'calling':
      return `${note.tool}: ${note.summary}`;
    case 'became-active':
      return `${note.name} is active (${note.detail === null ? BY[note.why] : `keyword "${note.detail}"`})`;
    case 'left-out':
      return `${note.name} is not active: ${note.reason}`;
    case 'withheld':
      return `${note.name} is active without ${note.tools.join(', ')}: the safety mode does not admit what they do`;
    case 'dropped':
      return `the window is full: ${counted(note.turns, 'older message')} and what followed are not sent any more`;
    case 'too-large':
      return `about ${note.tokens} tokens are sent, which may be more than the window of ${note.window} takes`;
    case 'waiting': {
      const why = note.why === 'rate_limited' ? 'rate limited' : 'no answer';
      return `waiting ${secondsText(note.waitMs)} for the provider (${why}): ${note.detail}`;
    }
  }
}

const BY = {
  'always-on': 'always on',
  role: 'listed by the role',
  keyword: 'keyword',
  manual: 'loaded by hand',
  model: 'loaded by the model',
} as const;

/** The last line: what the chat has used. */
export function spentLine(messages: number, spent: Spent): string {
  const { modelCalls, inputTokens, cachedTokens, outputTokens, costUsd } = spent;
  const cost = costUsd === null ? 'unknown' : `${costUsd.toFixed(4)} USD`;
  return `${counted(messages, 'message')}, ${counted(modelCalls, 'model call')}, ${inputTokens} tokens in (${cachedTokens} cached), ${outputTokens} out; cost: ${cost}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
