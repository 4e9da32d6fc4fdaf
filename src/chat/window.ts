/**
 * How much of a model's window a chat takes (spec/skills.md §8): tokens are UTF-8 bytes / 4, rounded up, over all that
 * a request sends. Pure.
 */

import type { ModelMessage } from '../models/model.js';
import type { Window } from '../runtime/chat/chat-order.js';

/** A load has to leave at least this part of the window. */
const LEFT_PART = 10;

/**
 * Why an entry may not be loaded, with the sizes; undefined when it may. Exactly a tenth left is enough.
 * @param used tokens of the next request if it were loaded
 * @param added the part of them that came with it
 */
export function tooLittleLeft(window: Window | null, used: number, added: number): string | undefined {
  if (window === null) return undefined;
  const left = window.tokens - used;
  if (left * LEFT_PART >= window.tokens) return undefined;
  const assumed = window.known
    ? ''
    : `; the window of ${window.model} is not known and counts as ${window.tokens}`;
  return `it takes ${added} tokens and would leave ${left} of the ${window.tokens} of ${window.model}, less than 10 % (tokens are UTF-8 bytes / 4${assumed})`;
}

/**
 * Where the newest part of a conversation begins that fits: at the beginning of a turn. The newest turn stays whatever
 * its size.
 * @param from where the messages began that were sent last: what was dropped once does not come back
 */
export function keptFrom(
  messages: readonly ModelMessage[],
  from: number,
  fits: (from: number) => boolean,
): number {
  const starts = messages.flatMap(({ role }, at) => (role === 'user' && at >= from ? [at] : []));
  return starts.find(fits) ?? starts.at(-1) ?? from;
}
