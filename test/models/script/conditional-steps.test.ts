/** Steps that are said only when something was heard: for what seldom happens, such as an interrupted call. */

import { describe, expect, test } from 'vitest';
import { checkScript } from '../../../src/models/script/check-script.js';
import type { Conversation } from '../../helpers/conversation.js';
import { called, lead } from './lead.js';

const WRITE = { calls: [{ tool: 'write' }] };
const LOOK = { when: '^interrupted:', calls: [{ tool: 'look' }] };
const AGAIN = { when: '^nothing is there', calls: [{ tool: 'write_again' }] };
const PART = { turns: [{ steps: [WRITE, LOOK, AGAIN, { text: 'done' }] }] };

/** The tools that are called until the turn ends, when the calls give these results one after the other. */
async function played(conversation: Conversation, ...results: string[]): Promise<string[]> {
  const tools: string[] = [];
  for (let reply = await conversation.tell('go').answer(); ; reply = await conversation.answer()) {
    if (reply.calls.length === 0) return [...tools, reply.text];
    tools.push(...reply.calls.map((call) => call.tool));
    conversation.results(results.shift() ?? 'ok');
  }
}

describe('a step with `when`', () => {
  test('is passed over when what was sent does not meet it, and is not left over', async () => {
    const conversation = lead(PART);
    expect(await played(conversation, 'written')).toEqual(['write', 'done']);
    expect(conversation.leftover()).toEqual([]);
  });

  test('is said when what was sent meets it, and hears the results of the step before it', async () => {
    const both = lead(PART);
    expect(await played(both, 'interrupted: unknown', 'nothing is there')).toEqual([
      'write',
      'look',
      'write_again',
      'done',
    ]);
    expect(both.leftover()).toEqual([]);
    expect(await played(lead(PART), 'interrupted: unknown', 'it is there')).toEqual([
      'write',
      'look',
      'done',
    ]);
  });

  test('needs all its regexes, knows what was captured, and sets captures only when it is said', async () => {
    const part = {
      turns: [
        {
          steps: [
            { capture: { file: 'read (\\S+)' }, ...WRITE },
            { when: ['^{{file}} is', 'gone$'], capture: { why: 'is (\\w+)' }, calls: [{ tool: 'look' }] },
            { text: 'done' },
          ],
        },
      ],
    };
    for (const [result, tools] of [
      ['a.md is gone', ['look']],
      ['axmd is gone', []],
      ['a.md is here', []],
    ] as const) {
      const conversation = lead(part).tell('read a.md');
      await conversation.answer();
      const reply = await conversation.results(result).answer();
      expect(reply.calls.map((call) => call.tool)).toEqual(tools);
    }
  });

  test('is found again from the messages alone, and a conversation that went another way is refused', async () => {
    const conversation = lead(PART).tell('go');
    await conversation.answer();
    await conversation.results('interrupted: unknown').answer();
    expect(called(await conversation.results('nothing is there').answer())).toEqual([{ write_again: {} }]);
    const other = lead({ turns: [{ steps: [WRITE, { ...LOOK, when: 'never' }, { text: 'done' }] }] });
    other.messages.push(...conversation.messages);
    expect((await other.results().failure()).message).toContain('does not follow this script');
  });
});

describe('`when` is refused where a turn could begin or end with it', () => {
  const rows: readonly (readonly [string, readonly object[], number])[] = [
    ['on the first step', [LOOK, { text: 'done' }], 0],
    ['on the last step', [WRITE, { when: 'x', calls: [{ tool: 'team_finish' }] }], 1],
    ['on a step without calls', [WRITE, { when: 'x', text: 'stop' }, { text: 'done' }], 1],
  ];
  test.each(rows)('%s', (_where, steps, at) => {
    const text = JSON.stringify({ script: 1, roles: { lead: { turns: [{ steps }] } } });
    const finding = checkScript(text, 'a.yaml', { roles: ['lead'] }).find(
      ({ code }) => code === 'misplaced-when',
    );
    expect(finding?.message).toContain(`roles.lead.turns[0].steps[${at}]: "when" stands where`);
    expect(finding?.message).toContain(
      'allowed: on a step with calls that is neither the first nor the last of its turn',
    );
    expect(finding?.severity).toBe('error');
  });

  test('in between it has no findings, and what it uses must have been captured', () => {
    const script = (part: object): string => JSON.stringify({ script: 1, roles: { lead: part } });
    expect(checkScript(script(PART), 'a.yaml', { roles: ['lead'] })).toEqual([]);
    const unknown = { turns: [{ steps: [WRITE, { ...LOOK, when: '{{nobody}}' }, { text: 'done' }] }] };
    expect(checkScript(script(unknown), 'a.yaml', { roles: ['lead'] })[0]).toMatchObject({
      code: 'unknown-capture',
      message: expect.stringContaining('roles.lead.turns[0].steps[1].when: nothing before it captures'),
    });
  });
});
