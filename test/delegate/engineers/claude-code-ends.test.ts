/** How the real Claude Code ends, and what the adapter makes of it: faults of its provider, its own limits, a hanging model. */

import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { EngineerEnd } from '../../../src/delegate/engineers/engineer.js';
import { type Agent, letWork, realAgent, smallRepository } from '../../helpers/engineers/at-work.js';
import { called, said } from '../../helpers/engineers/model-server.js';
import type { Deed } from '../../helpers/providers/far-side.js';
import { INSTALL_MS } from '../../helpers/real-engineers.js';

let claude: Agent;
beforeAll(async () => {
  claude = await realAgent('claude-code');
}, INSTALL_MS);

type Cause = Extract<EngineerEnd, { kind: 'failure' }>['cause'];

const status = (code: number, message: string): Deed => ({ kind: 'status', status: code, message });

const FAULTS: readonly (readonly [string, Deed, Cause, RegExp])[] = [
  ['a wrong key', status(401, 'invalid x-api-key'), 'auth', /api key/i],
  ['no more money', status(400, 'Your credit balance is too low to access the API.'), 'quota', /balance/],
  ['a rate limit', status(429, 'Number of requests exceeded'), 'quota', /429/],
  ['a fault of the server', status(500, 'Internal server error'), 'api_error', /500/],
  ['a model that is not there', status(404, 'model: nope'), 'api_error', /model/],
  [
    'a prompt that is too long',
    status(400, 'prompt is too long: 250000 tokens > 200000 maximum'),
    'engineer_error',
    /too long/i,
  ],
  ['an answer that is cut', { kind: 'cut', when: 'within' }, 'api_error', /./],
  // Case J203: it wants a tool and names none, again and again.
  ['a call that is none', { kind: 'reply', text: '', stop: 'tool_use' }, 'unfinished', /./],
];

test.each(FAULTS)('%s', async (_, deed, cause, detail) => {
  const { end, exit, events } = await letWork(claude, await smallRepository(), () => deed);
  expect(end).toEqual({
    kind: 'failure',
    cause,
    detail: expect.stringMatching(detail),
    message: expect.any(String),
  });
  expect(exit).toEqual({ kind: 'exited', code: 1 });
  expect(events.filter(({ kind }) => kind === 'began')).toHaveLength(1);
});

test('without any key it says so', async () => {
  const settings = { env: { ANTHROPIC_API_KEY: '' } };
  const { end, far } = await letWork(claude, await smallRepository(), () => said('x'), { settings });
  expect(end).toMatchObject({ kind: 'failure', cause: 'auth', detail: expect.stringContaining('/login') });
  expect(far.seen).toEqual([]);
});

test('J210: its turns are limited; the session is told for who takes it up', async () => {
  const tree = await smallRepository();
  const read = called('Read', { file_path: join(tree, 'a.txt') });
  const { end, far, usage, events } = await letWork(claude, tree, () => read, { turns: 2 });
  const began = events.find((event) => event.kind === 'began');
  expect(end).toMatchObject({ kind: 'failure', cause: 'max_turns' });
  expect(end).toHaveProperty('detail', expect.stringContaining(`claude --resume`));
  expect(end).toHaveProperty('detail', expect.stringContaining(String(began?.session)));
  expect(far.seen).toHaveLength(2);
  // 120 a request, 30 of them from a cache.
  expect(usage).toMatchObject({ inputTokens: 240, cachedTokens: 60, outputTokens: 40 });
});

test('its cost is limited, and what it used is told', async () => {
  const tree = await smallRepository();
  const costs: Deed = {
    kind: 'reply',
    text: '',
    calls: [{ tool: 'Read', arguments: { file_path: join(tree, 'a.txt') } }],
    usage: { input: 10_000, output: 10_000 },
  };
  const { end, far, usage } = await letWork(claude, tree, () => costs, { costUsd: 0.05 });
  expect(end).toMatchObject({
    kind: 'failure',
    cause: 'max_budget',
    detail: expect.stringContaining('0.05'),
  });
  expect(far.seen).toHaveLength(1);
  expect(usage).toMatchObject({ inputTokens: 10_000, outputTokens: 10_000 });
  expect(usage.costUsd).toBeGreaterThan(0.05);
});

test('a model that says nothing: it waits until it is ended from outside, and has no end of its own', async () => {
  const outer = new AbortController();
  const { end, exit, usage } = await letWork(
    claude,
    await smallRepository(),
    () => {
      outer.abort();
      return { kind: 'silent', when: 'before' };
    },
    { signal: outer.signal },
  );
  expect(end).toEqual({ kind: 'none' });
  expect(exit).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  expect(usage).toMatchObject({ inputTokens: 0, costUsd: null });
});
