/** What the adapter of a provider adds to the HTTP that a question costs in any case. */

import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const built = new URL('../../../dist/', import.meta.url);
const adapter = new URL('models/providers/open-provider.js', built);

const CALLS = 64;
const AT_ONCE = 8;

export const row = {
  name: 'model-call',
  measures: `${CALLS} questions through the adapter of Anthropic, ${AT_ONCE} at a time, server in this process`,
  reference: 'the same bodies by the built-in fetch, answers parsed as JSON',
  goal: null,
  floor: null,
  rounds: 15,
  warmup: 3,
  cpu: 'self',
  missing: () =>
    existsSync(adapter) ? undefined : `${fileURLToPath(adapter)} is not there: build it with "npm run build"`,
  ours: {
    async prepare() {
      const server = await serve();
      const { openProvider } = await import(adapter.href);
      const choice = {
        provider: 'anthropic',
        name: 'claude-bench',
        id: 'anthropic/claude-bench',
        origin: 'flag',
      };
      const credential = { kind: 'key', variable: 'BENCH_API_KEY', key: 'bench' };
      const door = { baseUrl: server.url, credential, region: null };
      const facts = { contextTokens: null, maxOutputTokens: null, price: null };
      return { server, model: await openProvider(choice, door, facts) };
    },
    run: ({ model }) =>
      inTurns(async () => {
        const outcome = await model.generate(question(), new AbortController().signal);
        if (outcome.kind !== 'reply') throw new Error(`no answer: ${outcome.message}`);
      }),
    release: ({ server }) => server.close(),
  },
  theirs: {
    prepare: async () => ({ server: await serve() }),
    run: ({ server }) =>
      inTurns(async () => {
        const response = await fetch(`${server.url}/v1/messages`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': 'bench' },
          body: JSON.stringify(wireBody()),
        });
        const answer = await response.json();
        if (answer.type !== 'message') throw new Error('no answer');
      }),
    release: ({ server }) => server.close(),
  },
};

async function inTurns(ask) {
  for (let asked = 0; asked < CALLS; asked += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, ask));
  }
}

async function serve() {
  const answer = JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-bench',
    content: [
      { type: 'text', text: 'reading' },
      { type: 'tool_use', id: 'toolu_1', name: 'fs_read_file', input: { path: 'a.md' } },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 2000, output_tokens: 60 },
  });
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(answer);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

const TOOLS = Array.from({ length: 20 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Does one thing, and says so at some length.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}));

const PARTS = ['preamble', 'role', 'contract'].map((name) => ({
  name,
  text: `${name}: be careful. `.repeat(60),
}));

/** A conversation in the middle of a turn: ten rounds of one call each. */
function question() {
  const rounds = Array.from({ length: 10 }, (_, index) => [
    {
      role: 'assistant',
      text: 'reading',
      calls: [{ id: `1-${index}.0`, tool: 'tool_1', arguments: { path: 'a.md' } }],
    },
    {
      role: 'tool',
      call: `1-${index}.0`,
      tool: 'tool_1',
      text: 'line of a file\n'.repeat(40),
      failed: false,
    },
  ]);
  return {
    member: 'lead',
    role: 'lead',
    system: PARTS,
    messages: [{ role: 'user', text: 'go' }, ...rounds.flat()],
    tools: TOOLS,
    maxOutputTokens: 1000,
  };
}

/** The same as it goes over the wire. */
function wireBody() {
  const { messages, maxOutputTokens } = question();
  return {
    model: 'claude-bench',
    max_tokens: maxOutputTokens,
    system: PARTS.map(({ text }) => ({ type: 'text', text })),
    messages: messages.map((message) => {
      if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.text }] };
      if (message.role === 'tool') {
        const content = [{ type: 'tool_result', tool_use_id: message.call, content: message.text }];
        return { role: 'user', content };
      }
      const uses = message.calls.map(({ id, tool, arguments: input }) => ({
        type: 'tool_use',
        id,
        name: tool,
        input,
      }));
      return { role: 'assistant', content: [{ type: 'text', text: message.text }, ...uses] };
    }),
    tools: TOOLS.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
  };
}
