import { describe, expect, test } from 'vitest';
import { pageText } from '../../../src/cli/texts/page-text.js';
import { helpPages } from '../../helpers/readme.js';

describe('a page for a terminal', () => {
  test.each([
    ['a heading', '## At a terminal', 'At a terminal\n'],
    ['emphasis, and code that is not', '*a* **b\nc** `**kwargs**`', 'a b\nc `**kwargs**`\n'],
    ['a link to a page', 'see [keys](keys.md)', 'see "bnerd help keys"\n'],
    [
      'a link in other words',
      'a [long story](record.md#after-a-kill)',
      'a long story ("bnerd help record")\n',
    ],
    ['another link', '[the site](https://example.org/a)', 'the site\n'],
    ['a link in code', '`[a](b.md)`', '`[a](b.md)`\n'],
    [
      'a fence',
      'a:\n\n```sh\nbnerd chat # **x**\n\n| y\n```\n\nb',
      'a:\n\n  bnerd chat # **x**\n\n  | y\n\nb\n',
    ],
    [
      'a table',
      '| key | meaning |\n|---|---|\n| `a` | one \\| two |\n| `bbb` | **three** |\nend',
      '  key    meaning\n  `a`    one | two\n  `bbb`  three\nend\n',
    ],
  ])('%s', (_, markdown, text) => {
    expect(pageText(markdown)).toBe(text);
  });

  test('of ours has no mark left, and prose of at most 100 characters a line', async () => {
    for (const { path, text } of await helpPages()) {
      const shown = pageText(text);
      expect(shown, path).not.toMatch(/^#|^```|\]\(/m);
      expect(shown.replaceAll(/`[^`\n]*`/g, ''), path).not.toMatch(/`|\*\*\w|\w\*\*/);
      const long = text.split('\n').filter((line) => !line.startsWith('|') && line.length > 105);
      expect(long, path).toEqual([]);
    }
  });
});
