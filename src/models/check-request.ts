/**
 * The shape that every conversation must have before it is sent, whatever the model: what providers refuse with
 * a bad-request error is found here, with a sentence that says where.
 */

import type { ModelFailure, ModelMessage, ModelRequest } from './model.js';

/**
 * What is wrong with a request, or null when it may be sent. A sound conversation begins with a user message,
 * ends with a user message or a result, gives each call an id of its own, and gives exactly one result to each
 * call before anything else is said.
 */
export function requestFault(request: ModelRequest): string | null {
  if (!(request.maxOutputTokens >= 1)) {
    return `maxOutputTokens is ${request.maxOutputTokens}; it must be at least 1`;
  }
  const [first] = request.messages;
  if (first === undefined) return 'there is no message; a conversation begins with a user message';
  if (first.role !== 'user')
    return `message 0 is a ${first.role} message; a conversation begins with a user message`;
  if (request.messages.at(-1)?.role === 'assistant') {
    return 'the last message is an answer; something must have been sent after it';
  }
  return callFault(request.messages);
}

/** The same as the failure of a model that is no provider's: it names the member whose conversation it is. */
export function requestFailure(request: ModelRequest): ModelFailure | null {
  const fault = requestFault(request);
  return fault === null
    ? null
    : { kind: 'fatal', code: 'bad-request', message: `${request.member}: ${fault}` };
}

/** A conversation is looked at with each question, and most of it holds no calls: what it takes is made when there is one. */
function callFault(messages: readonly ModelMessage[]): string | null {
  let seen: Set<string> | undefined;
  let open: Set<string> | undefined;
  let index = -1;
  for (const message of messages) {
    index++;
    if (message.role === 'tool') {
      if (open?.delete(message.call) !== true)
        return `message ${index} is a result for call "${message.call}", which is not open`;
      continue;
    }
    if (open !== undefined && open.size > 0) return unanswered(open, `message ${index}`);
    if (message.role === 'user') continue;
    for (const call of message.calls) {
      seen ??= new Set();
      if (seen.has(call.id)) return `message ${index} repeats the call id "${call.id}"`;
      seen.add(call.id);
      open ??= new Set();
      open.add(call.id);
    }
  }
  return open !== undefined && open.size > 0 ? unanswered(open, 'the end') : null;
}

function unanswered(open: ReadonlySet<string>, before: string): string {
  return `call "${[...open].join('", "')}" has no result before ${before}`;
}
