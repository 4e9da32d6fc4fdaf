/** Tokens of a request, counted by hand: UTF-8 bytes of everything it sends, divided by four, rounded up. */

import type { ModelRequest } from '../../src/models/model.js';

export function tokensSent(request: ModelRequest | undefined): number {
  if (request === undefined) throw new Error('there was no such request');
  const texts = [
    ...request.system.map(({ text }) => text),
    ...request.messages.map(({ text }) => text),
    ...request.messages.flatMap((message) =>
      message.role === 'assistant'
        ? message.calls.flatMap(({ tool, arguments: args }) => [tool, JSON.stringify(args)])
        : [],
    ),
    ...request.tools.map((tool) => JSON.stringify(tool)),
  ];
  return Math.ceil(new TextEncoder().encode(texts.join('')).length / 4);
}
