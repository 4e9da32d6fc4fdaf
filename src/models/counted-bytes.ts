/**
 * How many UTF-8 bytes the pieces of a request are. A conversation is sent again with each question: what it is made of
 * never changes, so each piece is counted once, and its size is forgotten with it.
 */

import type { ModelCall, ModelMessage, ToolDefinition } from './model.js';

/** A message as text: what is said, and the names and arguments of its calls. */
export const textBytes: (message: ModelMessage) => number = once(
  (message) =>
    Buffer.byteLength(message.text) + (message.role === 'assistant' ? callBytes(message.calls) : 0),
);

/** A message as it is sent at most: its calls with all that stands around them. */
export const sentBytes: (message: ModelMessage) => number = once((message) => {
  const calls = message.role === 'assistant' && message.calls.length > 0 ? JSON.stringify(message.calls) : '';
  return Buffer.byteLength(message.text) + Buffer.byteLength(calls);
});

/** The definition of a tool. */
export const toolBytes: (tool: ToolDefinition) => number = once((tool) =>
  Buffer.byteLength(JSON.stringify(tool)),
);

/** Names and arguments of calls. */
export function callBytes(calls: readonly Omit<ModelCall, 'id'>[]): number {
  let bytes = 0;
  for (const call of calls) {
    bytes += Buffer.byteLength(call.tool) + Buffer.byteLength(JSON.stringify(call.arguments) ?? '');
  }
  return bytes;
}

/** The same count, made once for each object. */
function once<Counted extends object>(count: (counted: Counted) => number): (counted: Counted) => number {
  const known = new WeakMap<Counted, number>();
  return (counted) => {
    const before = known.get(counted);
    if (before !== undefined) return before;
    const bytes = count(counted);
    known.set(counted, bytes);
    return bytes;
  };
}
