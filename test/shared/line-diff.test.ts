import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineDiff } from '../../src/shared/line-diff.js';

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** What a patch program makes of a text: hunks in order, every removed and kept line checked. */
function patched(before: readonly string[], hunks: readonly string[]): string[] {
  const after: string[] = [];
  let taken = 0;
  let expected = { old: 0, fresh: 0 };
  for (const line of hunks) {
    const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line);
    if (head !== null) {
      expect(expected).toEqual({ old: 0, fresh: 0 });
      const [old = 0, oldCount = 0, fresh = 0, freshCount = 0] = head.slice(1).map(Number);
      // A range of no lines names the line before it.
      while (taken < (oldCount === 0 ? old : old - 1)) after.push(before[taken++] ?? '');
      expect(after.length).toBe(freshCount === 0 ? fresh : fresh - 1);
      expected = { old: oldCount, fresh: freshCount };
      continue;
    }
    const rest = line.slice(1);
    if (line[0] !== '+') {
      expect(before[taken++]).toBe(rest);
      expected.old--;
    }
    if (line[0] !== '-') {
      after.push(rest);
      expected.fresh--;
    }
  }
  expect(expected).toEqual({ old: 0, fresh: 0 });
  return [...after, ...before.slice(taken)];
}

/** The fewest changed lines, by the plain table. */
function fewest(before: readonly string[], after: readonly string[]): number {
  const row = Array.from({ length: after.length + 1 }, (_, y) => y);
  for (const [x, line] of before.entries()) {
    let corner = row[0] ?? 0;
    row[0] = x + 1;
    for (const [y, other] of after.entries()) {
      const above = row[y + 1] ?? 0;
      row[y + 1] = line === other ? corner : Math.min(above, row[y] ?? 0) + 1;
      corner = above;
    }
  }
  return row.at(-1) ?? 0;
}

describe('a difference by lines', () => {
  test('shows three lines around each change, with the numbers of a unified diff', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const after = ['a', 'b', 'c', 'd', 'E', 'f', 'g', 'h', 'i'];
    expect(lineDiff(text(before), text(after))).toEqual([
      '@@ -2,7 +2,8 @@',
      ' b',
      ' c',
      ' d',
      '-e',
      '+E',
      ' f',
      ' g',
      ' h',
      '+i',
    ]);
  });

  test('of equal texts is empty; a missing line break at the end is a difference', () => {
    expect(lineDiff('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(lineDiff('a\n', 'a')).toEqual(['@@ -1,1 +1,2 @@', ' a', '+\\ no line break at the end']);
  });

  test('of a text from nothing, and of one to nothing, has the heads that patch programs know', () => {
    expect(lineDiff('', 'a\nb\n')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b']);
    expect(lineDiff('a\n', '')).toEqual(['@@ -1,1 +0,0 @@', '-a']);
  });

  test('of any two texts gives the second from the first, with the fewest changes', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const hunks = lineDiff(text(before), text(after));
        expect(patched(before, hunks)).toEqual(after);
        const changes = hunks.filter((line) => /^[+-]/.test(line)).length;
        expect(changes).toBe(fewest(before, after));
      }),
      { numRuns: 500 },
    );
  });

  test('beyond its bound everything between the common ends is one change, and nothing is lost', () => {
    const before = ['top', ...Array.from({ length: 3_000 }, (_, n) => `old ${n}`), 'end'];
    const after = ['top', ...Array.from({ length: 3_000 }, (_, n) => `new ${n}`), 'end'];
    const hunks = lineDiff(text(before), text(after));
    expect(patched(before, hunks)).toEqual(after);
    expect(hunks.filter((line) => /^@@/.test(line))).toHaveLength(1);
  });
});
