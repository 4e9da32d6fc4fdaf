import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/shared/shell-word.js';

test.each([
  ['.claude/agents/a.md', '.claude/agents/a.md'],
  ['a b', "'a b'"],
  ["it's", "'it'\\''s'"],
])('%s is written %s', (word, written) => {
  expect(shellWord(word)).toBe(written);
});

test.each(['', '~', '$(id)', '`id`', 'a;id', "'; id '", 'a\nb', '*', '!x', '\\', '"', 'é'])(
  'a shell makes %j of it again',
  (word) => {
    const printed = execFileSync('sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' });
    expect(printed).toBe(word);
  },
);
