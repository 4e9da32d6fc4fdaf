import { describe, expect, test } from 'vitest';
import { columns, fitted } from '../../../src/cli/texts/columns.js';

describe('lines of a table', () => {
  test('have columns as wide as the widest cell; one that is too long pushes no other line', () => {
    expect(
      columns([
        ['a', 'bb', 'c'],
        ['aaa', 'b', 'c'],
      ]),
    ).toBe('a    bb  c\naaa  b   c\n');
    expect(
      columns(
        [
          ['a', 'c'],
          ['long', 'c'],
        ],
        3,
      ),
    ).toBe('a  c\nlong  c\n');
    expect(
      columns(
        [
          ['aaaa', 'b', 'c'],
          ['a', 'long', 'c'],
        ],
        [4, 1],
      ),
    ).toBe('aaaa  b  c\na     long  c\n');
  });

  test('are cut where a terminal ends, by characters, and nowhere else', () => {
    expect(fitted('12345\n123456\n\n', 5)).toBe('12345\n1234…\n\n');
    expect(fitted('😀😀😀\n', 3)).toBe('😀😀😀\n');
    expect(fitted('😀😀😀😀\n', 3)).toBe('😀😀…\n');
    expect(fitted('123456\n', null)).toBe('123456\n');
  });
});
