/** How a script is played: turns, `await`, what counts as sent. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Conversation } from '../../helpers/conversation.js';
import { scriptModel } from '../../helpers/script.js';
import { called, lead } from './lead.js';

describe('turns and steps', () => {
  test('a step with calls is followed by the next step of its turn, one without ends the turn', async () => {
    const conversation = lead({
      turns: [
        { steps: [{ text: 'one', calls: [{ tool: 'fs_list' }] }, { text: 'two' }] },
        { steps: [{ text: 'three' }] },
      ],
    }).tell('go');
    expect(await conversation.answer()).toMatchObject({
      text: 'one',
      calls: [{ tool: 'fs_list', arguments: {} }],
    });
    expect(await conversation.results().answer()).toMatchObject({ text: 'two', calls: [] });
    expect(await conversation.tell('more').answer()).toMatchObject({ text: 'three' });
  });

  test('roles are compared without case, hyphen and underscore', async () => {
    const model = scriptModel({
      script: 1,
      roles: { 'Code-Reviewer': { turns: [{ steps: [{ text: 'hi' }] }] } },
    });
    expect(await new Conversation(model, { role: 'code_reviewer' }).tell('go').answer()).toMatchObject({
      text: 'hi',
    });
  });

  test('two members of one role are two conversations that know their own names', async () => {
    const model = scriptModel({
      script: 1,
      roles: {
        reader: {
          idle: '{{member}} waits',
          turns: [{ await: 'go', steps: [{ text: '{{member}} as {{role}}' }] }],
        },
      },
    });
    const first = new Conversation(model, { role: 'reader', member: 'reader-1' }).tell('go');
    const second = new Conversation(model, { role: 'reader', member: 'reader-2' }).tell('not yet');
    expect((await first.answer()).text).toBe('reader-1 as reader');
    expect((await second.answer()).text).toBe('reader-2 waits');
  });

  test('usage is counted from the bytes sent and answered, a quarter of them, rounded up', async () => {
    const reply = await lead({ turns: [{ steps: [{ text: 'äöü' }] }] })
      .tell('12345')
      .answer();
    // 'You are lead.' has 13 bytes, the message 5; 'äöü' has 6.
    expect(reply.usage).toEqual({ inputTokens: 5, cachedTokens: 0, outputTokens: 2 });
  });
});

describe('await', () => {
  const waiting = {
    turns: [
      {
        await: ['from writer', 'from reader'],
        steps: [{ expect: 'from writer', capture: { page: 'page (\\d+)' }, text: 'page {{page}}' }],
      },
    ],
  };

  test('an unmet await is answered with `idle`, and the script does not move on', async () => {
    const conversation = lead({ idle: 'Waiting.', ...waiting }).tell('go');
    expect(await conversation.answer()).toMatchObject({ text: 'Waiting.', calls: [], stop: 'end' });
    expect(await conversation.tell('from reader').answer()).toMatchObject({ text: 'Waiting.' });
    expect(conversation.leftover()).toHaveLength(1);
  });

  test('a role without `idle` says something all the same while it waits', async () => {
    expect((await lead(waiting).tell('go').answer()).text.trim()).not.toBe('');
  });

  test('mail that came while idling counts, for await, expect and capture alike', async () => {
    const conversation = lead(waiting).tell('from writer: page 7');
    await conversation.answer();
    expect((await conversation.tell('from reader').answer()).text).toBe('page 7');
  });

  test('mail put in between two steps counts for the next turn, results of tools do not', async () => {
    const part = {
      idle: 'Waiting.',
      turns: [
        { steps: [{ calls: [{ tool: 'a' }] }, { calls: [{ tool: 'b' }] }, { text: 'closed' }] },
        { await: 'ready', steps: [{ text: 'went on' }] },
      ],
    };
    const mailed = lead(part).tell('go');
    await mailed.answer();
    await mailed.results().tell('ready').answer();
    expect((await mailed.results().answer()).text).toBe('closed\n\nwent on');

    const told = lead(part).tell('go');
    await told.answer();
    await told.results('ready').answer();
    expect((await told.results('ready').answer()).text).toBe('closed');
    expect((await told.tell('hello').answer()).text).toBe('Waiting.');
    expect((await told.tell('ready').answer()).text).toBe('went on');
  });

  test('what opened a turn does not open the next one', async () => {
    const turn = { await: 'ready', steps: [{ calls: [{ tool: 'a' }] }, { text: 'closed' }] };
    const conversation = lead({ idle: 'Waiting.', turns: [turn, turn] }).tell('ready');
    await conversation.answer();
    expect((await conversation.results().answer()).text).toBe('closed');
    expect((await conversation.tell('hello').answer()).text).toBe('Waiting.');
  });

  test('a turn without await begins with whatever wakes the member', async () => {
    const conversation = lead({ turns: [{ steps: [{ text: 'one' }] }, { steps: [{ text: 'two' }] }] }).tell(
      'go',
    );
    await conversation.answer();
    expect((await conversation.tell('anything').answer()).text).toBe('two');
  });

  test('what the script does is the same however its mail is spread over wake-ups and results', async () => {
    const part = {
      turns: [
        {
          await: 'begin',
          steps: [{ calls: [{ tool: 'one' }] }, { calls: [{ tool: 'two' }] }, { text: 'first done' }],
        },
        {
          await: ['mail a', 'mail b'],
          steps: [
            { capture: { nonce: 'mail b (\\w+)' }, calls: [{ tool: 'three', args: { nonce: '{{nonce}}' } }] },
            { text: 'end' },
          ],
        },
      ],
    };
    const model = scriptModel({ script: 1, roles: { lead: part } });
    const mail = ['mail a', 'noise', 'mail b n0nce'];
    const rounds = fc.nat(5);
    await fc.assert(
      fc.asyncProperty(fc.tuple(rounds, rounds, rounds), async (arrival) => {
        const conversation = new Conversation(model).tell('begin');
        const calls: unknown[] = [];
        for (let round = 0; round < 9; round++) {
          const reply = await conversation.answer();
          calls.push(...called(reply));
          conversation.results();
          for (const [index, text] of mail.entries()) {
            if (arrival[index] === round) conversation.tell(text);
          }
          if (conversation.leftover().length === 0) break;
          // Something else wakes a member that has ended its turn.
          if (conversation.messages.at(-1)?.role === 'assistant') conversation.tell('tick');
        }
        expect(calls).toEqual([{ one: {} }, { two: {} }, { three: { nonce: 'n0nce' } }]);
        expect(conversation.leftover()).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

test('a conversation of three hundred answers is played in one pass over its messages', async () => {
  const turns = Array.from({ length: 300 }, (_, index) => ({
    await: `mail ${index}$`,
    steps: [{ text: `answer ${index}` }],
  }));
  const conversation = lead({ turns });
  let reads = 0;
  for (let index = 0; index < 300; index++) {
    const message = {
      role: 'user' as const,
      get text() {
        reads++;
        return `mail ${index}`;
      },
    };
    conversation.messages.push(message);
    if (index < 299) conversation.messages.push({ role: 'assistant', text: `answer ${index}`, calls: [] });
  }
  expect((await conversation.answer()).text).toBe('answer 299');
  expect(reads).toBeLessThanOrEqual(5 * 300);
});
