import { describe, expect, test } from 'vitest';
import { splitNames } from '../../../src/catalog/files/name-list.js';
import { isMemberName, isSlug } from '../../../src/catalog/files/names.js';
import { innerPath, isInside } from '../../../src/shared/inner-path.js';
import { fileStem, roleIdentity, sameRole, spellingIn } from '../../../src/shared/role-identity.js';

describe('names', () => {
  test.each([
    ['quickstart', true],
    ['pr-review-2', true],
    ['2fast', true],
    ['', false],
    ['-x', false],
    ['Pr', false],
    ['a_b', false],
    ['../etc', false],
    ['a/b', false],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
  ])('%j is a slug: %s', (text, expected) => expect(isSlug(text)).toBe(expected));

  test.each([
    ['code-reviewer', true],
    ['Code Reviewer 2.0', true],
    ['Prüferin', true],
    [' x', false],
    ['a\nb', false],
    ['a/b', false],
    ['.hidden', false],
    ['x'.repeat(65), false],
  ])('%j may name a member: %s', (text, expected) => expect(isMemberName(text)).toBe(expected));

  test.each([
    ['Code Reviewer', 'code_reviewer', true],
    ['code-reviewer', 'CodeReviewer', true],
    ['Pr\u00fcfer', 'pru\u0308fer', true],
    ['code.reviewer', 'code-reviewer', false],
  ])('%j and %j are the same role: %s', (one, other, expected) =>
    expect(sameRole(one, other)).toBe(expected),
  );

  test('the spelling of a list is kept, and a name it lacks has none', () => {
    expect(spellingIn('CODE_REVIEWER', ['lead', 'code-reviewer'])).toBe('code-reviewer');
    expect(spellingIn('tester', ['lead'])).toBeUndefined();
    expect(roleIdentity('- _')).toBe('');
    expect(fileStem('roles/review/code-reviewer.MD')).toBe('code-reviewer');
  });
});

describe('name lists', () => {
  test.each([
    ['Read, Grep , Glob', ['Read', 'Grep', 'Glob']],
    ['Bash(git diff:*, git log:*), Read', ['Bash(git diff:*, git log:*)', 'Read']],
    ['Bash(a (b, c), d), Read', ['Bash(a (b, c), d)', 'Read']],
    ['Bash(open, Read', ['Bash(open, Read']],
    ['a), b', ['a)', 'b']],
    ['', []],
    [' , ,', []],
    [
      ['Read', 'Write, Edit'],
      ['Read', 'Write', 'Edit'],
    ],
    [[], []],
  ] as const)('%j is %j', (written, expected) => expect(splitNames(written)).toEqual(expected));
});

describe('paths that may not lead out', () => {
  test.each([
    ['.', '.'],
    ['./docs//api/', 'docs/api'],
    ['a/../b', 'b'],
    ['..name/x', '..name/x'],
    ['a\\b', 'a/b'],
  ])('%j is %j', (written, expected) => expect(innerPath(written)).toBe(expected));

  test.each([
    '',
    ' ',
    '..',
    '../x',
    'a/../../b',
    '/etc',
    '~',
    '~/x',
    'C:\\x',
    'c:x',
    '\\\\host\\x',
    '..\\x',
    'a\0b',
  ])('%j is refused', (written) => expect(innerPath(written)).toBeUndefined());

  test('a sibling whose name begins alike is not inside', () => {
    expect(isInside('/a/b', '/a')).toBe(true);
    expect(isInside('/a', '/a')).toBe(true);
    expect(isInside('/ab', '/a')).toBe(false);
    expect(isInside('/x', '/')).toBe(true);
  });
});
