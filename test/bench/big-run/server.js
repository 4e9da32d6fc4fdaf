/** The far side of a run of many turns: a Chat Completions server on a free port of 127.0.0.1 that keeps nothing but counts. */

import { createServer } from 'node:http';

/**
 * Starts it.
 * @param answerOf what whoever is asked answers, from what it is sent: `answerOf` of `players.js`
 * @returns its base URL, the number of requests and their bytes so far, what it could not answer, and its end
 */
export async function startServer(answerOf) {
  const counts = { requests: 0, bytes: 0 };
  const problems = [];
  const server = createServer((request, response) => {
    serve(request, response, counts, answerOf).catch((error) => {
      problems.push(String(error.stack));
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: String(error), type: 'invalid_request_error' } }));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    counts,
    problems,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function serve(request, response, counts, answerOf) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  counts.requests++;
  counts.bytes += text.length;
  const body = JSON.parse(text);
  const answer = answerOf({
    system: body.messages.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n'),
    messages: body.messages.flatMap(messageOf),
  });
  const usage = { prompt_tokens: Math.ceil(text.length / 4), completion_tokens: 20 };
  const calls = answer.calls.map((call, index) => ({
    id: `call${String(index).padStart(5, '0')}`,
    type: 'function',
    function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
  }));
  const message = { role: 'assistant', content: answer.text === '' ? null : answer.text };
  if (calls.length > 0) message.tool_calls = calls;
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: body.model };
  if (body.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const choices = [{ index: 0, message, finish_reason }];
    response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const delta = {
    ...message,
    ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...call })) }),
  };
  const chunk = (choices, more = {}) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
  response.end(
    chunk([{ index: 0, delta, finish_reason: null }]) +
      chunk([{ index: 0, delta: {}, finish_reason }]) +
      chunk([], { usage }) +
      'data: [DONE]\n\n',
  );
}

function messageOf({ role, content, tool_calls: calls = [] }) {
  if (role === 'system') return [];
  return [
    {
      role,
      text: content ?? '',
      calls: calls.map((call) => ({
        tool: call.function.name,
        arguments: JSON.parse(call.function.arguments),
      })),
    },
  ];
}
