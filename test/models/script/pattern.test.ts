import { describe, expect, test } from 'vitest';
import { compilePattern, fill, type Pattern, search } from '../../../src/models/script/pattern.js';

function pattern(source: string): Pattern {
  const compiled = compilePattern(source);
  if (compiled.kind === 'bad') throw new Error(compiled.reason);
  return compiled.pattern;
}

const captures = new Map([
  ['name', 'a.b-c/[d]'],
  ['sign', '!'],
]);

describe('a regex', () => {
  test('matches at the start and end of every line, and the dot stays within one', () => {
    expect(search(pattern('^(b.*)$'), 'a\nbc\nd', captures)).toEqual({ kind: 'matched', group: 'bc' });
    expect(search(pattern('a.b'), 'a\nb', captures).kind).toBe('unmatched');
    expect(search(pattern('a[^]b'), 'a\nb', captures).kind).toBe('matched');
  });

  test('takes whole code points, and the first match', () => {
    expect(search(pattern('(.)'), '😀x', captures)).toEqual({ kind: 'matched', group: '😀' });
  });

  test('matches a capture literally', () => {
    expect(search(pattern('^{{name}}$'), 'a.b-c/[d]', captures).kind).toBe('matched');
    expect(search(pattern('^{{ name }}$'), 'axb-c/d', captures)).toEqual({
      kind: 'unmatched',
      regex: '^a\\.b-c\\/\\[d\\]$',
    });
  });

  test('that a capture breaks, or that names none, says so and does not throw', () => {
    expect(search(pattern('[a-{{sign}}]'), 'a', captures)).toMatchObject({ kind: 'unusable' });
    expect(search(pattern('{{other}}'), 'a', captures)).toEqual({
      kind: 'unusable',
      reason: 'nothing has captured {{other}}; known here: name, sign',
    });
  });

  test.each([
    ['(?:a)', 0],
    ['(a)|b', 1],
    ['(?<x>a)(b(c))', 3],
    ['\\(a\\)', 0],
  ])('%s has %i groups', (source, groups) => {
    expect(compilePattern(source)).toMatchObject({ kind: 'compiled', groups });
  });
});

test('a text is filled once: what a capture holds is not looked into, and what is missing stays and is told', () => {
  const missing = new Set<string>();
  const holding = new Map([
    ['a', '{{b}} $1'],
    ['b', 'x'],
  ]);
  expect(fill('{{a}} {{ b }} {{c}} {{not a name}} {', holding, missing)).toBe(
    '{{b}} $1 x {{c}} {{not a name}} {',
  );
  expect([...missing]).toEqual(['c']);
});
