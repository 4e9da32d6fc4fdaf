/** How a script ends: a call too many, steps left over, failures on order. */

import { describe, expect, test } from 'vitest';
import { Conversation } from '../../helpers/conversation.js';
import { scriptModel } from '../../helpers/script.js';
import { lead } from './lead.js';

describe('a call too many, a step left over', () => {
  const part = { turns: [{ name: 'only', steps: [{ calls: [{ tool: 'a' }] }, { text: 'done' }] }] };

  test('after the last turn a call fails, naming the role and what was sent', async () => {
    const conversation = lead(part).tell('go');
    await conversation.answer();
    await conversation.results().answer();
    const failure = await conversation.tell('and now?').failure();
    expect(failure.code).toBe('script-exhausted');
    expect(failure.message).toContain(
      'team.yaml: roles.lead: a call too many: all 1 turns are used; sent: "and now?"',
    );
  });

  test('after the last turn a role that declares `idle` idles for ever', async () => {
    const conversation = lead({ idle: 'Done.', ...part }).tell('go');
    await conversation.answer();
    await conversation.results().answer();
    for (const text of ['a', 'b', 'c']) expect((await conversation.tell(text).answer()).text).toBe('Done.');
    expect(conversation.leftover()).toEqual([]);
  });

  test('a refused team_finish in the last step is a call too many', async () => {
    const conversation = lead({ turns: [{ steps: [{ calls: [{ tool: 'team_finish' }] }] }] }).tell('go');
    await conversation.answer();
    const failure = await conversation.results('refused: #1 is open').failure();
    expect(failure).toMatchObject({ code: 'script-exhausted' });
    expect(failure.message).toContain(
      'roles.lead.turns[0]: a call too many: its 1 steps are used; sent: "refused: #1 is open"',
    );
  });

  test('a role without a part fails, naming the parts', async () => {
    const model = scriptModel({ script: 1, roles: { lead: part } });
    const failure = await new Conversation(model, { role: 'writer' }).tell('go').failure();
    expect(failure).toMatchObject({ code: 'script-exhausted' });
    expect(failure.message).toContain('there is no part for "writer"; parts: lead');
    expect(new Conversation(model, { role: 'writer' }).leftover()).toEqual([]);
  });

  test('steps never used are listed, one line per turn with its place', async () => {
    const conversation = lead({ turns: [...part.turns, { steps: [{ text: 'x' }] }] });
    expect(conversation.leftover()).toEqual([
      'team.yaml: roles.lead.turns[0] (only): 2 of 2 steps were never used',
      'team.yaml: roles.lead.turns[1]: 1 of 1 steps were never used',
    ]);
    await conversation.tell('go').answer();
    expect(conversation.leftover()[0]).toBe(
      'team.yaml: roles.lead.turns[0] (only): 1 of 2 steps were never used',
    );
    await conversation.results().answer();
    expect(conversation.leftover()).toHaveLength(1);
    await conversation.tell('go').answer();
    expect(conversation.leftover()).toEqual([]);
  });

  test('a conversation that another script led is refused, with place and calls', async () => {
    const conversation = lead(part).tell('go');
    await conversation.answer();
    const edited = scriptModel(
      { script: 1, roles: { lead: { turns: [{ steps: [{ calls: [{ tool: 'b' }] }, { text: 'done' }] }] } } },
      { path: 'team.yaml' },
    );
    const resumed = new Conversation(edited, { messages: conversation.results().messages });
    const failure = await resumed.failure();
    expect(failure.code).toBe('script-mismatch');
    expect(failure.message).toContain(
      'roles.lead.turns[0].steps[0]: the conversation does not follow this script: it called [a] where the script says [b]',
    );
    expect(resumed.leftover()).toHaveLength(1);
  });
});

describe('delays and failures on order', () => {
  test('a `fail` step fails in place of an answer, each time, and is not left over', async () => {
    const conversation = lead({
      turns: [
        {
          steps: [
            { calls: [{ tool: 'a' }] },
            { fail: { kind: 'fatal', code: 'bad-key', message: 'no such key' } },
          ],
        },
      ],
    }).tell('go');
    await conversation.answer();
    expect(conversation.leftover()).toHaveLength(1);
    conversation.results();
    const expected = {
      kind: 'fatal',
      code: 'bad-key',
      message: 'team.yaml: roles.lead.turns[0].steps[1]: no such key',
    };
    expect(await conversation.ask()).toEqual(expected);
    expect(await conversation.ask()).toEqual(expected);
    expect(conversation.leftover()).toEqual([]);
  });

  test('a failure that passes comes so many times before the step is said, and then never again', async () => {
    const fail = { kind: 'rate_limited', message: 'slow down', retry_after_ms: 20, times: 2 };
    const conversation = lead({ turns: [{ steps: [{ text: 'here', fail }] }] }).tell('go');
    const failure = {
      kind: 'rate_limited',
      retryAfterMs: 20,
      message: 'team.yaml: roles.lead.turns[0].steps[0]: slow down',
    };
    expect(await conversation.ask()).toEqual(failure);
    expect(conversation.leftover(), 'the step is not said yet').toHaveLength(1);
    expect(await conversation.ask()).toEqual(failure);
    expect(await conversation.answer()).toMatchObject({ text: 'here' });
    expect(conversation.leftover()).toEqual([]);
  });

  test('each member meets a failure that passes for itself, and one that names no time comes once', async () => {
    const fail = { kind: 'unavailable', message: 'away' };
    const model = scriptModel({
      script: 1,
      roles: { lead: { turns: [{ steps: [{ text: 'here', fail }] }] } },
    });
    const kinds: string[] = [];
    for (const member of ['one', 'other', 'one', 'other'])
      kinds.push((await new Conversation(model, { role: 'lead', member }).tell('go').ask()).kind);
    expect(kinds).toEqual(['unavailable', 'unavailable', 'reply', 'reply']);
  });

  test('a delayed answer comes all the same', async () => {
    expect(
      (
        await lead({ turns: [{ steps: [{ text: 'late', delay_ms: 1 }] }] })
          .tell('go')
          .answer()
      ).text,
    ).toBe('late');
  });
});
