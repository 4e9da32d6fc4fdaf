import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { promptBody, splitFrontmatter } from '../../src/shared/frontmatter.js';

describe('splitFrontmatter', () => {
  test('splits at the fences and says on which line the body begins', () => {
    expect(splitFrontmatter('---\nname: x\nkind: y\n---\n\n# Body\n')).toEqual({
      kind: 'split',
      frontmatter: 'name: x\nkind: y\n',
      body: '\n# Body\n',
      bodyLine: 5,
    });
  });

  test('drops one BOM and reads CRLF as LF', () => {
    expect(splitFrontmatter('\uFEFF---\r\nname: x\r\n---\r\nBody\r\n')).toEqual({
      kind: 'split',
      frontmatter: 'name: x\n',
      body: 'Body\n',
      bodyLine: 4,
    });
  });

  test.each([
    ['an empty frontmatter', '---\n---\nBody', { frontmatter: '', body: 'Body', bodyLine: 3 }],
    [
      'no body and no last line break',
      '---\nname: x\n---',
      { frontmatter: 'name: x\n', body: '', bodyLine: 4 },
    ],
    [
      'a rule of three dashes in the body',
      '---\na: b\n---\nx\n---\ny',
      { frontmatter: 'a: b\n', body: 'x\n---\ny', bodyLine: 4 },
    ],
    [
      'dashes inside a line, longer or indented',
      '---\na: ---\n----\n ---\n--- \n---\n',
      { frontmatter: 'a: ---\n----\n ---\n--- \n', body: '', bodyLine: 7 },
    ],
  ])('reads %s', (_, text, expected) => {
    expect(splitFrontmatter(text)).toEqual({ kind: 'split', ...expected });
  });

  test.each([
    '',
    'text',
    '\n---\na: b\n---\n',
    ' ---\na: b\n---\n',
    '----\na: b\n---\n',
    '--- \na: b\n---\n',
    '\uFEFF\uFEFF---\n---\n',
  ])('finds none in %j: the fence opens only on the first line', (text) => {
    expect(splitFrontmatter(text)).toEqual({ kind: 'no-frontmatter' });
  });

  test.each(['---', '---\n', '---\na: b', '---\na: b\n--- \n', '---\na: b\n...\n'])(
    '%j is never closed',
    (text) => {
      expect(splitFrontmatter(text)).toEqual({ kind: 'unclosed' });
    },
  );

  test('every text gives one of the three kinds, and a split loses nothing', () => {
    const pieces = fc.constantFrom(
      '---',
      '----',
      '--- ',
      '\n',
      '\r\n',
      '\r',
      'a: b',
      '\uFEFF',
      ' ',
      '# Body',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 20 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (one) => {
        const normal = one.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
        const split = splitFrontmatter(one);
        const [first, ...later] = normal.split('\n');
        if (first !== '---') {
          expect(split).toEqual({ kind: 'no-frontmatter' });
          return;
        }
        const closing = later.indexOf('---');
        if (closing === -1) {
          expect(split).toEqual({ kind: 'unclosed' });
          return;
        }
        expect(split).toEqual({
          kind: 'split',
          frontmatter: later
            .slice(0, closing)
            .map((line) => `${line}\n`)
            .join(''),
          body: later.slice(closing + 1).join('\n'),
          bodyLine: closing + 3,
        });
      }),
      { numRuns: 1000 },
    );
  });
});

describe('promptBody', () => {
  test('removes one leading line break and all trailing white space, and nothing else', () => {
    expect(promptBody('\n# Body\n\ntext  \n\n')).toBe('# Body\n\ntext');
    expect(promptBody('\n\n  indented')).toBe('\n  indented');
    expect(promptBody('')).toBe('');
    expect(promptBody('\n')).toBe('');
  });
});
