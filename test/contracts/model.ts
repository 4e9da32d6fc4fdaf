/**
 * What every implementation of the model port promises (M1–M3 of `src/models/model.ts`). The far side is
 * scripted by the suite: it must give `answers[n]` to a request that holds n earlier answers, computed from the
 * request alone.
 */

import { afterEach, describe, expect, test } from 'vitest';
import type { Model, ModelMessage, ModelRequest } from '../../src/models/model.js';
import { Releases } from '../../src/shared/releases.js';
import { Conversation, requestOf } from '../helpers/conversation.js';

export interface FarAnswer {
  readonly text: string;
  /** A text as `args` is the raw text of arguments that are no JSON. */
  readonly calls?: readonly { readonly tool: string; readonly args: Record<string, unknown> | string }[];
  /** How long the far side takes. */
  readonly delayMs?: number;
}

/** Makes a model whose far side gives these answers; what must be closed is registered with `releases`. */
export type ModelFactory = (answers: readonly FarAnswer[], releases: Releases) => Promise<Model>;

const TWO_CALLS: FarAnswer = {
  text: 'reading',
  calls: [
    { tool: 'fs_read_file', args: { path: 'b.md', lines: [1, 2], deep: { on: true, none: null } } },
    { tool: 'fs_list', args: { path: 'a' } },
    { tool: 'fs_read_file', args: { path: 'a.md' } },
  ],
};
const ANSWERS: readonly FarAnswer[] = [TWO_CALLS, { text: 'closing' }];

export function modelContract(name: string, create: ModelFactory): void {
  describe(`model contract: ${name}`, () => {
    let releases = new Releases();
    afterEach(async () => {
      await releases.run();
      releases = new Releases();
    });
    const model = (answers: readonly FarAnswer[] = ANSWERS): Promise<Model> => create(answers, releases);

    test('its id names provider and model', async () => {
      expect((await model()).id).toMatch(/^[a-z][a-z0-9-]*\/.+$/);
    });

    test('M1: the same request gives the same answer, whatever was asked in between', async () => {
      const asked = await model();
      const one = new Conversation(asked).tell('go');
      const first = await one.ask();
      const other = new Conversation(asked).tell('go');
      await other.answer();
      await other.results().answer();
      expect(await one.ask()).toEqual(first);
      expect(first).toMatchObject({ kind: 'reply', text: 'reading' });
    });

    test('M1: a conversation taken from JSON by another instance goes on where it stood', async () => {
      const before = new Conversation(await model()).tell('go');
      await before.answer();
      before.results('one', 'two', 'three');
      const stored = JSON.parse(JSON.stringify(before.messages)) as ModelMessage[];
      const after = new Conversation(await model(), { messages: stored });
      expect(await after.answer()).toEqual(await before.answer());
      expect(after.messages.at(-1)).toMatchObject({ text: 'closing', calls: [] });
    });

    test('M1: two requests at once do not mix', async () => {
      const asked = await model();
      const ahead = new Conversation(asked).tell('go');
      await ahead.answer();
      ahead.results();
      const outcomes = await Promise.all([new Conversation(asked).tell('go').ask(), ahead.ask()]);
      expect(outcomes).toMatchObject([{ text: 'reading' }, { text: 'closing' }]);
    });

    test('M2: a signal that has fired gives `cancelled`', async () => {
      const conversation = new Conversation(await model()).tell('go');
      expect(await conversation.ask(AbortSignal.abort())).toEqual({ kind: 'cancelled' });
    });

    test('M2: a signal that fires while the far side thinks gives `cancelled`', async () => {
      const conversation = new Conversation(await model([{ text: 'late', delayMs: 60_000 }])).tell('go');
      const abort = new AbortController();
      const outcome = conversation.ask(abort.signal);
      abort.abort();
      expect(await outcome).toEqual({ kind: 'cancelled' });
    });

    const call = { id: 'c1', tool: 'fs_list', arguments: {} };
    const user: ModelMessage = { role: 'user', text: 'go' };
    const asking: ModelMessage = { role: 'assistant', text: '', calls: [call] };
    const result: ModelMessage = { role: 'tool', call: 'c1', tool: 'fs_list', text: 'ok', failed: false };
    const bad: readonly (readonly [string, readonly ModelMessage[]])[] = [
      ['has no message', []],
      ['begins with an answer', [{ role: 'assistant', text: 'hi', calls: [] }, user]],
      ['ends with an answer', [user, { role: 'assistant', text: 'hi', calls: [] }]],
      ['leaves a call without a result', [user, asking, user]],
      ['gives a result to no call', [user, result]],
      ['gives a call two results', [user, asking, result, result]],
      ['repeats a call id', [user, asking, result, asking, result]],
    ];
    test.each(bad)('M2: a request that %s is a failure, not an exception', async (_what, messages) => {
      const outcome = await (await model()).generate(requestOf(messages), new AbortController().signal);
      expect(outcome).toMatchObject({ kind: 'fatal', code: 'bad-request' });
    });

    test('M3: calls come back in the order asked, their arguments as objects', async () => {
      const reply = await new Conversation(await model()).tell('go').answer();
      expect(reply.calls).toEqual(TWO_CALLS.calls?.map(({ tool, args }) => ({ tool, arguments: args })));
    });

    test('M3: arguments that are no JSON are kept as raw text', async () => {
      const asked = await model([{ text: '', calls: [{ tool: 'fs_list', args: '{"path": ' }] }]);
      const reply = await new Conversation(asked).tell('go').answer();
      expect(reply.calls).toEqual([{ tool: 'fs_list', arguments: '{"path": ' }]);
    });

    test('usage is counted in whole tokens, more for more', async () => {
      const asked = await model();
      const small = await new Conversation(asked).tell('go').answer();
      const large = await new Conversation(asked).tell('go '.repeat(1000)).answer();
      for (const count of Object.values(small.usage)) expect(count).toBeGreaterThanOrEqual(0);
      for (const count of Object.values(small.usage)) expect(Number.isInteger(count)).toBe(true);
      expect(large.usage.inputTokens).toBeGreaterThan(small.usage.inputTokens);
    });

    test('why it stopped is told: for calls, or at the end', async () => {
      const conversation = new Conversation(await model()).tell('go');
      expect((await conversation.answer()).stop).toBe('tool_calls');
      expect((await conversation.results().answer()).stop).toBe('end');
    });

    test('a request is not changed', async () => {
      const request = frozen(requestOf([user, asking, result], { role: 'lead' }));
      const outcome = await (
        await model([{ text: '', calls: [{ tool: 'fs_list', args: {} }] }, { text: 'x' }])
      ).generate(request, new AbortController().signal);
      expect(outcome).toMatchObject({ kind: 'reply', text: 'x' });
    });

    test('what is left of a script is a list of lines, empty for one that is used up', async () => {
      const conversation = new Conversation(await model()).tell('go');
      await conversation.answer();
      await conversation.results().answer();
      expect(conversation.leftover()).toEqual([]);
    });
  });
}

function frozen(request: ModelRequest): ModelRequest {
  const freeze = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    Object.freeze(value);
    for (const item of Object.values(value)) freeze(item);
  };
  freeze(request);
  return request;
}
