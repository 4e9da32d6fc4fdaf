import { expect, test } from 'vitest';
import { patternProblem } from '../../src/config/secret-pattern.js';
import { parseSettings } from '../../src/config/settings-file.js';

test.each([
  'ghp_[A-Za-z0-9]{36}',
  'sk-[A-Za-z0-9_-]{20,}',
  '\\bAKIA[A-Z0-9]{16}\\b',
  '(?:xoxb|xoxp)-[0-9A-Za-z-]{10,200}',
  'ticket-\\d{8}',
  'glpat-[^\\s"]{20}',
  'abcdefgh|ijklmnop',
])('%s is taken', (source) => expect(patternProblem(source)).toBeUndefined());

test.each([
  ['(a{2})+', 'without a group that repeats'],
  ['a+bcdefgh', 'is bounded: write {1,512}'],
  ['[a-z]{4,9}-[a-z]{4,9}', 'with one part of variable length'],
  ['(?=abc)abcdefgh', 'without a look to the side'],
  ['(?<!x)abcdefgh', 'without a look to the side'],
  ['(abcdefgh)\\1', 'without \\1'],
  ['^abcdefgh', 'without ^'],
  ['key: [^"]{8}', 'that matches no line end: [^"] does'],
  ['key:\\s?abcdefgh', 'that matches no line end: \\s does'],
  ['abc[0-9]*', 'that matches at least 8 characters; this one 3'],
  ['abc(', 'that can be read'],
])('%s is refused', (source, reason) => expect(patternProblem(source)).toContain(reason));

test('a pattern that is taken needs no more than a little time for a text made against it', () => {
  // 1 MiB that almost matches, everywhere: a slow form would need years.
  const expression = /ab[ab]{4,512}-c/g;
  expect(patternProblem(expression.source)).toBeUndefined();
  expect('ab'.repeat(2 ** 16).match(expression)).toBeNull();
});

test('the section secrets is read, and refused with the line and the right spelling', () => {
  const read = parseSettings(`secrets:
  names: [MINE]
  except: [SORT_KEY]
  patterns:
    - tk_[a-z0-9]{10}
    - {name: ticket, pattern: 'T-\\d{8}'}
  files: [~/.token]
`);
  expect(read).toMatchObject({
    kind: 'resolved',
    value: {
      secrets: {
        names: ['MINE'],
        except: ['SORT_KEY'],
        patterns: [
          { name: 'pattern-1', expression: /tk_[a-z0-9]{10}/g },
          { name: 'ticket', expression: /T-\d{8}/g },
        ],
        files: [{ text: '~/.token', line: 7 }],
      },
    },
  });
  for (const [text, line, message] of [
    ['secrets:\n  Names: [A]\n', 2, 'allowed: "names"'],
    ['secrets:\n  pattern: [a]\n', 2, 'allowed: names, except, patterns, files'],
    ['secrets:\n  patterns:\n    - abcdefgh\n    - (abcdefgh){2}\n', 4, 'without a group that repeats'],
    ['secrets:\n  patterns:\n    - {name: a b, pattern: abcdefgh}\n', 3, '{name: <letters'],
    ['secrets:\n  patterns:\n    - {pattern: abcdefgh, nmae: x}\n', 3, 'or {name: <letters'],
    ['secrets:\n  files: token\n', 2, 'expected a list'],
  ] as const) {
    expect(parseSettings(text), text).toMatchObject({
      kind: 'refused',
      findings: [{ line, message: expect.stringContaining(message) }],
    });
  }
});
