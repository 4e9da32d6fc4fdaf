import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageProblem } from '../../src/shared/page.js';

test.each([
  'https://docs.example/page?id=1#top',
  'HTTP://docs.example',
  'docs/page.md',
  '/srv/docs/page.md',
  '../docs/a page.md',
  'C:\\docs\\page.md',
  'seite-über-ökologie.md',
  'docs/a[1].md',
])('%j is a page', (text) => {
  expect(pageProblem(text)).toBeNull();
});

test.each([
  ['', 'is empty'],
  ['  ', 'is empty'],
  [' docs', 'begins or ends with a blank'],
  ['docs\n', 'begins or ends with a blank'],
  ['a\nb', 'holds a character that cannot be seen'],
  ['a\u2028b', 'holds a character that cannot be seen'],
  ['a\u202eb', 'holds a character that cannot be seen'],
  ['a\u001b[31mb', 'holds a character that cannot be seen'],
  ['a\ud800b', 'holds a character that cannot be seen'],
  ['ftp://docs.example', 'begins with ftp:'],
  ['javascript:alert(1)', 'begins with javascript:'],
  ['file:///etc/passwd', 'begins with file:'],
  ['https:docs.example', 'is no address'],
  ['https://', 'is no address'],
  ['https://ann:secret@docs.example/', 'names a user'],
  ['https://ann@docs.example/', 'names a user'],
  ['a'.repeat(2_049), 'has 2049 characters'],
])('%j is none: it %s', (text, problem) => {
  expect(pageProblem(text)).toBe(problem);
});

test('whatever is a page stands on one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      if (pageProblem(text) === null) expect(text.split(/[\r\n\v\f\u0085\u2028\u2029]/u)).toHaveLength(1);
    }),
  );
});
