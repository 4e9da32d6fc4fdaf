import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mendFrontmatter } from '../../src/shared/repair-frontmatter.js';

const isText = (key: string): boolean => key !== 'tools';
const mend = (text: string): { text: string; lines: readonly { line: number; key: string }[] } =>
  mendFrontmatter(text, isText);

describe('a line that cannot be read alone', () => {
  test.each([
    ['Use: this when', 'Use: this when'],
    ['Triggers on: "a", "b": c', 'Triggers on: "a", "b": c'],
    ['Reviews: C# #1 and #2  ', 'Reviews: C# #1 and #2'],
    ['"Quoted" first: then more', '"Quoted" first: then more'],
    ['[Beta] does: things', '[Beta] does: things'],
    ['@mention of somebody', '@mention of somebody'],
    ['`code` first: then', '`code` first: then'],
    ['%percent', '%percent'],
    ['*emphasis*', '*emphasis*'],
    ['*emphasis* and more', '*emphasis* and more'],
    ['Use when:\\n\\n<example> user: hi', 'Use when:\\n\\n<example> user: hi'],
    ['ends with a colon:', 'ends with a colon:'],
    ['"a" b', '"a" b'],
    ['é: ü — “ß”: x', 'é: ü — “ß”: x'],
  ])('is taken literally: %j', (written, value) => {
    const mended = mend(`name: a\ndescription: ${written}\ntools: Read`);
    expect(mended.lines).toMatchObject([{ line: 2, key: 'description' }]);
    expect(parse(mended.text)).toEqual({ name: 'a', description: value, tools: 'Read' });
  });

  test('is named with the cause', () => {
    expect(mendFrontmatter('description: Use: this', isText).lines).toEqual([
      {
        line: 1,
        key: 'description',
        cause: 'YAML: the value holds ": ", which begins another key in text without quotes',
      },
    ]);
  });
});

test.each([
  ['a key that is no text', 'tools: Read, Bash(a: b)'],
  ['a quote that its line does not close', 'description: "Use: this'],
  ['an apostrophe that does not close', "description: 'tis: this"],
  ['a list that its line does not close', 'description: [a: b'],
  ['a mapping that its line does not close', 'description: {a: {b: c}'],
  ['a line further in', 'metadata:\n  note: a: b'],
  ['a key with blanks', 'When to use: a: b'],
  ['a line without a key', 'and more: of: this text goes on'],
  ['what is YAML', 'description: plain\nother: "quoted: text"\nlist: [a, b]\nblock: |\n  a: b: c'],
  ['an alias of something', 'name: &a b\ndescription: *a'],
  ['a value on the next line', 'description:\n  Use: this: when'],
])('%s is left as it stands', (_, text) => {
  expect(mend(text)).toEqual({ text, lines: [] });
});

test('whatever comes in: lines stay, and only pairs that are no YAML change', async () => {
  const piece = fc.constantFrom(
    'a',
    ': ',
    ' #',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    '- ',
    '>',
    '|',
    '\\',
    '&x',
    '*x',
    ',',
  );
  const value = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const line = fc.tuple(fc.constantFrom('name: ', 'tools: ', 'other: ', '  ', '- ', ''), value);
  await fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), (rows) => {
      const before = rows.map(([key, rest]) => key + rest);
      const { text, lines } = mend(before.join('\n'));
      const after = text.split('\n');
      expect(after).toHaveLength(Math.max(1, before.length));
      for (const [at, written] of before.entries()) {
        if (!lines.some(({ line: mended }) => mended === at + 1)) {
          expect(after[at]).toBe(written);
          continue;
        }
        expect(written).not.toMatch(/^tools/);
        const colon = written.indexOf(':');
        const read: unknown = parse(after[at] ?? '');
        expect(read).toEqual({ [written.slice(0, colon)]: written.slice(colon + 1).trim() });
      }
    }),
    { numRuns: 2_000 },
  );
});
