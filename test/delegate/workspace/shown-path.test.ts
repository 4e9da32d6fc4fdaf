import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pathsUnder, shownPath } from '../../../src/delegate/workspace/shown-path.js';

test('what is shown can be seen, and no two paths are shown alike', () => {
  const path = fc.string({
    unit: fc.constantFrom(
      'a',
      '/',
      '\\',
      'u',
      '{',
      '}',
      '\n',
      '\u001b',
      '\u202e',
      '\u{e0041}',
      '€',
      '\ud800',
    ),
  });
  fc.assert(fc.property(path, (one) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(shownPath(one))));
  fc.assert(fc.property(path, path, (one, other) => one === other || shownPath(one) !== shownPath(other)));
});

test.each([
  [['test/**'], ['test/a', 'test/.env', 'test/a/b', 'test/a\nb'], ['tests/a', 'src/test/a']],
  [['**/*.test.ts'], ['a.test.ts', 'x/y.test.ts', '.x/.y.test.ts'], ['a.test.tsx']],
  [
    ['/.ci/*', './ci/**'],
    ['.ci/a', 'ci/a/b'],
    ['x/.ci/a', '.ci/a/b'],
  ],
  [
    ['{a,b}.yml', '!x'],
    ['a.yml', 'b.yml', '!x'],
    ['c.yml', 'y'],
  ],
  [
    ['test', 'src/gen/'],
    ['test', 'test/a/b', 'src/gen/x'],
    ['tests/a', 'src/generated'],
  ],
  ...['', '/', '{a', '[z-a]'].map((odd): [string[], string[], string[]] => [
    [odd],
    ['any', 'thing/else'],
    [],
  ]),
  [[], [], ['a']],
])('%j', (globs, matching, others) => {
  expect(pathsUnder(globs, [...matching, ...others])).toEqual(matching);
});

test('a name that makes a glob take for ever counts as matched', () => {
  const glob = `${'*a'.repeat(30)}b`;
  const path = `${'a'.repeat(3_000)}c`;
  expect(pathsUnder([glob], [path])).toEqual([path]);
});
