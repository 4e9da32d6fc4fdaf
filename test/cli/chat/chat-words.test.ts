import { describe, expect, test } from 'vitest';
import { CHAT_HELP, chatWord } from '../../../src/cli/chat/chat-words.js';

describe('a line of the person', () => {
  test.each([
    ['', { kind: 'nothing' }],
    ['  \t', { kind: 'nothing' }],
    ['hello there ', { kind: 'say', text: 'hello there' }],
    [' /quit', { kind: 'say', text: '/quit' }],
    ['/quit', { kind: 'quit' }],
    ['/help ', { kind: 'help' }],
    ['/skills', { kind: 'skills' }],
    ['/skill load flux', { kind: 'load', name: 'flux' }],
    ['/skill  unload   a name of four words', { kind: 'unload', name: 'a name of four words' }],
  ])('%j means %j', (line, word) => {
    expect(chatWord(line)).toEqual(word);
  });

  test.each(['/quit now', '/skills all', '/skill', '/skill load', '/skill drop x', '/', '/etc/hosts'])(
    '%j is told, never sent by mistake',
    (line) => {
      expect(chatWord(line)).toMatchObject({ kind: 'wrong' });
    },
  );

  test('every command of the help is one', () => {
    const commands = [...CHAT_HELP.matchAll(/^(\/.*?)(?: {2,}|$)/gm)].map(([, command = '']) => command);
    expect(commands).toHaveLength(5);
    for (const command of commands) {
      expect(chatWord(command.replace('<name>', 'x')).kind).not.toMatch(/wrong|say/);
    }
  });
});
