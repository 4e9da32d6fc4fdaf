/** What a step expects and captures of what was sent. */

import { describe, expect, test } from 'vitest';
import { called, lead } from './lead.js';

describe('expect and capture', () => {
  test('captures fill text, arguments at any depth and later regexes, there as literal text', async () => {
    const conversation = lead({
      turns: [
        {
          steps: [
            {
              capture: { file: '^path: (.+)$', kind: { match: 'kind (\\w+)', default: 'text' } },
              text: 'reading {{file}}',
              calls: [
                {
                  tool: 'fs_read_file',
                  args: { path: '{{file}}', options: { list: ['{{ kind }}', 3, true] } },
                },
              ],
            },
            { expect: '^{{file}}: (.*)$', capture: { line: '^{{file}}: (.*)$' }, text: 'read' },
          ],
        },
        { await: 'about {{file}}', steps: [{ text: '{{line}}' }] },
      ],
    }).tell('please\npath: a+b (1).md\nthanks');
    const first = await conversation.answer();
    expect(first.text).toBe('reading a+b (1).md');
    expect(called(first)).toEqual([
      { fs_read_file: { path: 'a+b (1).md', options: { list: ['text', 3, true] } } },
    ]);
    await conversation.results('a+b (1).md: a {{file}} $& line').answer();
    expect((await conversation.tell('about a+b (1).md').answer()).text).toBe('a {{file}} $& line');
  });

  test('an answer depends on what was sent: another nonce, another answer', async () => {
    const part = {
      turns: [
        {
          steps: [
            { calls: [{ tool: 'fs_read_file' }] },
            { capture: { nonce: 'nonce=(\\w+)' }, text: 'it says {{nonce}}' },
          ],
        },
      ],
    };
    for (const nonce of ['n1', 'n2']) {
      const conversation = lead(part).tell('go');
      await conversation.answer();
      expect((await conversation.results(`nonce=${nonce}`).answer()).text).toBe(`it says ${nonce}`);
    }
  });

  test('an unmet expect fails with the place, the regex and what was sent', async () => {
    const conversation = lead({
      turns: [{ steps: [{ calls: [{ tool: 'a' }] }, { expect: ['fine', 'all (good|well)'], text: 'x' }] }],
    }).tell('go');
    await conversation.answer();
    const failure = await conversation.results('fine but not \u001b[31mgood').failure();
    expect(failure.code).toBe('script-mismatch');
    expect(failure.message).toBe(
      'team.yaml: roles.lead.turns[0].steps[1]: expect: expected /all (good|well)/ in what was sent; sent: "fine but not [31mgood"',
    );
  });

  test('a capture that finds nothing fails with its name, unless it has a default', async () => {
    const part = (capture: object): object => ({ turns: [{ steps: [{ capture, text: 'x{{n}}' }] }] });
    const failure = await lead(part({ n: 'n=(\\d+)' }))
      .tell('n=one')
      .failure();
    expect(failure).toMatchObject({ code: 'script-mismatch' });
    expect(failure.message).toBe(
      'team.yaml: roles.lead.turns[0].steps[0]: capture "n": expected /n=(\\d+)/ in what was sent; sent: "n=one"',
    );
    expect(
      (
        await lead(part({ n: { match: 'n=(\\d+)', default: '' } }))
          .tell('n=one')
          .answer()
      ).text,
    ).toBe('x');
    expect(
      (
        await lead(part({ n: 'n=(\\d+)?' }))
          .tell('n=one')
          .failure()
      ).code,
    ).toBe('script-mismatch');
  });

  test('a name that nothing captured fails when it is used', async () => {
    const failure = await lead({ turns: [{ steps: [{ text: '{{lien}}' }] }] })
      .tell('go')
      .failure();
    expect(failure).toEqual({
      kind: 'fatal',
      code: 'script-mismatch',
      message:
        'team.yaml: roles.lead.turns[0].steps[0]: nothing has captured {{lien}}; known here: member, role',
    });
  });

  test('a failure leaves the script where it is: what comes next may meet it', async () => {
    const conversation = lead({ turns: [{ steps: [{ expect: 'word', text: 'x' }] }] }).tell('go');
    await conversation.failure();
    expect((await conversation.tell('word').answer()).text).toBe('x');
  });

  test('regexes see the newest 64 Ki characters, and a long text stays one excerpt', async () => {
    const part = { turns: [{ steps: [{ expect: 'needle', text: 'x' }] }] };
    expect(
      (
        await lead(part)
          .tell(`needle${' '.repeat(65_530)}`)
          .answer()
      ).text,
    ).toBe('x');
    const failure = await lead(part)
      .tell(`needle${' '.repeat(65_531)}`)
      .failure();
    expect(failure.message.length).toBeLessThan(1000);
  });

  test('a later step of a turn hears only what was sent since the answer before it', async () => {
    const conversation = lead({
      turns: [
        { steps: [{ calls: [{ tool: 'a' }] }, { calls: [{ tool: 'b' }] }, { expect: 'word', text: 'x' }] },
      ],
    }).tell('word');
    await conversation.answer();
    await conversation.results('word').tell('word').answer();
    expect(await conversation.results().failure()).toMatchObject({ code: 'script-mismatch' });
    expect((await conversation.tell('word').answer()).text).toBe('x');
  });
});
